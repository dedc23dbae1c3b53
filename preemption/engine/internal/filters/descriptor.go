package filters

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// descriptor is one built-in filter as the engine asks it, beside its entry. The
// search, the cache of answers and the explanation derive what they need from the
// list of descriptors ([BuiltIn]). A new filter is one descriptor in one file.
//
// There are two sorts. A node filter looks at the preemptor and the node alone,
// so that no preemption changes its answer: it has check. A pod filter also
// looks at pods of the node or of the cluster: it has begin.
type descriptor struct {
	// Entry has everything about the filter that does not depend on how the engine asks it.
	Entry *filter.Entry
	// Index is the filter's own index in BuiltIn.
	Index int

	// refuse returns why no node at all takes the preemptor, nil if some node
	// may. It is asked before any node is looked at, and the
	// first filter that refuses ends the attempt (PreFilter). The failure is
	// unresolvable, on every node.
	refuse func(pod *outrank.Pod) []string

	// check returns why the node does not take the preemptor, nil where it
	// does. The failure is unresolvable.
	check func(q *Question, node *outrank.Node) []string
	// labels returns the labels that a node must have, if check asks for these and nothing
	// else, and nil otherwise. A node without them fails with unlabelled.
	labels     func(pod *outrank.Pod) map[string]string
	unlabelled []string
	// enforce returns why the configuration keeps every pod from the node, nil
	// where it does not; nil for a filter to which it adds nothing. It is asked
	// before check. enforces reports whether it can say no at all.
	enforce  func(p *preemption.Profile, node *outrank.Node) []string
	enforces func(p *preemption.Profile) bool
	// narrow returns the only nodes that are filtered at all for this
	// preemptor. It is not ok where all nodes are. The others fail with notFiltered. If it
	// names no node, every node fails with conflict.
	narrow                func(q *Question) (names map[string]bool, ok bool)
	notFiltered, conflict []string

	// begin prepares a pod filter for one preemptor, before the first node. It
	// returns nil if the filter has nothing to say in the whole attempt.
	begin func(q *Question) PodFilter
}

// PodFilter is a pod filter in one attempt. The workers of the attempt share it
// and do not change it.
type PodFilter interface {
	// Touches reports whether any pod on the node has a part in the filter's
	// answer there. If none has, the answer is the same whichever pods leave. A
	// filter before NodeResourcesFit passes on a node that it does not touch.
	Touches(n *state.NodeState) bool
	// OnNode returns the filter on one node after another, for one worker. It
	// may reuse the memory of an earlier result, which is nil or of the same
	// filter.
	OnNode(earlier NodeFilter) NodeFilter
}

// NodeFilter is a filter on the node that one worker looks at. It follows the
// pods that the dry run removes and adds.
type NodeFilter interface {
	// Enter begins with a node in the state of the snapshot.
	Enter(n *state.NodeState)
	// Change follows a pod that is added (1) or removed (-1).
	Change(p *state.PodState, by int)
	// Check returns the status with these nominated pods added. The caller
	// fills in the filter's index.
	Check(nominated []*state.PodState) Status
	// Release drops everything that belongs to the attempt.
	Release()
}

// ClusterFilter is a NodeFilter whose attempt counted pods of the whole cluster.
type ClusterFilter interface {
	// Follow counts a pod in that comes to a node (1), or out that leaves it (-1), for the
	// rest of the attempt. The pod's class may be new to the attempt. No other worker may use
	// the attempt.
	Follow(p *state.PodState, n *state.NodeState, by int)
}

// Question is one preemptor on one snapshot, as the filters see it.
type Question struct {
	// ctx is the context of the call, from Configure on. A question lasts no longer than the call.
	ctx      context.Context
	Snap     *state.Snapshot
	Rules    release.Rules
	Pod      *outrank.Pod
	Priority int32
	// Needs are the amounts that the preemptor asks for.
	Needs []Need
	// Deferral is set if the preemptor is on its node already and asks for room for a resize.
	Deferral deferral
	// tolerations are the pod's own. If isNamed is set, named are the only nodes that can meet its node
	// affinity. Configure fills in these three.
	tolerations fit.Tolerations
	named       map[string]bool
	isNamed     bool
	// Plugins is what the configuration changes about the filters.
	Plugins *preemption.Profile
	// Off are the filters that are not asked at all. Silent are these and the filters that are not asked
	// about nodes.
	Off, Silent state.FilterSet
	// Schedulers are the names of the schedulers that share their nominations. None means all.
	Schedulers []string
	// spread are the topology spread constraints that hold for the preemptor.
	spread []outrank.TopologySpreadConstraint
}

// Counts reports whether a nomination of another pod counts in this attempt.
func (q *Question) Counts(p *state.PodState) bool {
	return !state.SameName(p.Pod, q.Pod) && counts(p.Pod, q.Schedulers, q.Rules)
}

// counts reports whether the nomination of a pending pod counts, if these schedulers share their
// nominations, or all of them if none is named. The nomination of a pod that is being deleted does not
// count, nor in v1.36 that of a gated pod (rules 7.16.3, 7.16.5 and 7.16.6).
func counts(p *outrank.Pod, schedulers []string, rules release.Rules) bool {
	return !p.Terminating() && (rules.GatedNominations || !p.Gated()) && (len(schedulers) == 0 || slices.Contains(schedulers, p.Scheduler()))
}
