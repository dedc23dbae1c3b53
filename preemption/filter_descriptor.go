package preemption

import "github.com/outrank-go/outrank"

// descriptor is all that the engine knows of one built-in filter. The search,
// the cache of answers and the explanation derive what they need from the list
// of them ([builtIn]), so that a new filter is one descriptor in one file.
//
// There are two sorts. A node filter looks at the preemptor and the node alone,
// so that no preemption changes its answer: it has check. A pod filter looks at
// the pods of the node or of the cluster as well: it has begin.
type descriptor struct {
	name string
	// place is the filter's own in [builtIn].
	index int
	// concernsPod reports whether the filter can turn this preemptor away
	// because of what it asks for. Nil: a node filter then looks at what the node
	// asks for alone; a pod filter may concern any preemptor.
	concernsPod func(pod *outrank.Pod) bool
	// concernsNode reports whether the filter can turn a preemptor away from
	// this node that asks for nothing in particular. Nil: no node does.
	concernsNode func(node *outrank.Node) bool
	// concernsRunning reports whether a pod on a node can have a part in what
	// the filter says to some other pod. The snapshot counts such pods on each
	// node. Nil: the filter looks at no other pods, or finds them itself.
	concernsRunning func(pod *outrank.Pod) bool

	// check returns why the node does not take the preemptor, nil where it
	// does. The failure is unresolvable.
	check func(pod *outrank.Pod, node *outrank.Node) []string
	// appendSignature writes down everything of a preemptor that check reads:
	// pods with equal signatures get equal answers from every node.
	appendSignature func(key *keyWriter, pod *outrank.Pod)
	// narrow returns the only nodes that are filtered at all for this
	// preemptor; not ok where all are. No names at all fail every node with
	// conflict.
	narrow   func(pod *outrank.Pod) (names map[string]bool, ok bool)
	conflict []string

	// begin works out what a pod filter needs for one preemptor before the
	// first node is looked at; nil where it has nothing to say in the whole
	// attempt.
	begin func(q *question) podFilter
}

// podFilter is a pod filter in one attempt. The workers of the attempt share it
// and do not change it.
type podFilter interface {
	// touches reports whether any pod on the node has a part in the answer of
	// the filter there. If none has, the answer is the same whichever pods leave.
	touches(n *nodeState) bool
	// onNode returns the filter's view of one node after another, for one
	// worker. It may use the memory of an earlier one, which is nil or of the
	// same filter.
	onNode(earlier nodeFilter) nodeFilter
}

// nodeFilter is what one worker knows of a filter on the node at hand. It
// follows the pods that the dry run removes and adds.
type nodeFilter interface {
	// enter begins with a node, as the snapshot has it.
	enter(n *nodeState)
	// change follows a pod that is added (1) or removed (-1).
	change(p *podState, by int)
	// check returns the status with these nominated pods added. The place of
	// the filter is filled in by the caller.
	check(nominated []*podState) filterStatus
	// release lets go of everything that belongs to the attempt.
	release()
}

// question is one preemptor on one snapshot, as the filters see it.
type question struct {
	snap     *Snapshot
	pod      *outrank.Pod
	priority int32
	needs    []need
}
