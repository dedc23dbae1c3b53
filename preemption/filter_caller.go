package preemption

import "github.com/outrank-go/outrank"

// Filter is a rule of the caller's own about where a pod may run. It is asked
// after the built-in filters. It must give the same answers for the same
// input, and must not change anything it is shown.
type Filter interface {
	// Name stands in statuses; it is not empty and not that of another filter.
	Name() string
	// Start begins an attempt to place the pod. A nil state means that the
	// filter has nothing to say about this pod. An error ends the attempt.
	// It may be called by several goroutines at once.
	Start(pod *outrank.Pod, snap *Snapshot) (FilterState, error)
}

// FilterState is a filter's view of the cluster during one attempt. It starts
// as the snapshot is and follows what the attempt tries: pods that are taken
// away and put back. One goroutine uses it at a time.
type FilterState interface {
	// Check says whether the pod may run on the node as things stand. Code and
	// Reasons of the status count; its Filter is filled in.
	Check(node *outrank.Node) Status
	// Remove takes a pod of the node away, Add puts one there: one that was
	// taken away before, or one that is nominated to the node.
	Remove(pod *outrank.Pod, node *outrank.Node)
	Add(pod *outrank.Pod, node *outrank.Node)
	// Clone gives a copy that changes apart from this one.
	Clone() FilterState
}

// NodeRule makes a filter of a function that looks at the pod and the node
// alone. The function may be called by several goroutines at once.
func NodeRule(name string, check func(pod *outrank.Pod, node *outrank.Node) Status) Filter {
	return nodeRuleFilter{name, check}
}

type nodeRuleFilter struct {
	name  string
	check func(*outrank.Pod, *outrank.Node) Status
}

func (r nodeRuleFilter) Name() string { return r.name }

func (r nodeRuleFilter) Start(pod *outrank.Pod, _ *Snapshot) (FilterState, error) {
	return nodeRuleState{r, pod}, nil
}

type nodeRuleState struct {
	rule nodeRuleFilter
	pod  *outrank.Pod
}

func (s nodeRuleState) Check(n *outrank.Node) Status     { return s.rule.check(s.pod, n) }
func (nodeRuleState) Remove(*outrank.Pod, *outrank.Node) {}
func (nodeRuleState) Add(*outrank.Pod, *outrank.Node)    {}
func (s nodeRuleState) Clone() FilterState               { return s }

// callerFilter is a filter of the caller's that has something to say about the
// preemptor. It is taken to look at every pod.
type callerFilter struct {
	name  string
	index int
	state FilterState
}

func (*callerFilter) touches(*nodeState) bool { return true }

// onNode clones the state, once for each worker: it has a memory of its own,
// which outlives a node.
func (f *callerFilter) onNode(nodeFilter) nodeFilter {
	return &callerOnNode{state: f.state.Clone()}
}

// callerOnNode is a caller's filter on one node after another. What a dry run
// removes has to be added again before the next node.
type callerOnNode struct {
	state FilterState
	node  *outrank.Node
}

func (f *callerOnNode) enter(n *nodeState) { f.node = n.node }

func (f *callerOnNode) change(p *podState, by int) {
	if by > 0 {
		f.state.Add(p.pod, f.node)
	} else {
		f.state.Remove(p.pod, f.node)
	}
}

// check adds nominated pods to a copy.
func (f *callerOnNode) check(nominated []*podState) filterStatus {
	state := f.state
	if len(nominated) > 0 {
		state = state.Clone()
		for _, p := range nominated {
			state.Add(p.pod, f.node)
		}
	}
	s := state.Check(f.node)
	return filterStatus{code: min(s.Code, UnschedulableAndUnresolvable), text: s.Reasons}
}

func (f *callerOnNode) release() { f.state, f.node = nil, nil }
