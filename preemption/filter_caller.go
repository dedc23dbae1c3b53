package preemption

import "github.com/outrank-go/outrank"

// Filter is a rule of the caller about where a pod may run. It is asked after
// the built-in filters. It must return the same answers for the same input, and
// must not change anything that it is given.
type Filter interface {
	// Name stands in statuses. It is not empty, and differs from the name of
	// any other filter.
	Name() string
	// Start begins an attempt to place the pod. A nil state means that the
	// filter has nothing to say about this pod. An error ends the attempt.
	// Several goroutines may call Start at once.
	Start(pod *outrank.Pod, snap *Snapshot) (FilterState, error)
}

// FilterState is a filter's view of the cluster during one attempt. It starts
// with the state of the snapshot and follows the pods that the attempt removes
// and adds. One goroutine uses it at a time.
type FilterState interface {
	// Check returns whether the pod may run on the node in the present state.
	// Code and Reasons of the status count; its Filter is filled in.
	Check(node *outrank.Node) Status
	// Remove follows the removal of a pod from the node. Add follows its
	// addition: the pod was removed before, or is nominated to the node.
	Remove(pod *outrank.Pod, node *outrank.Node)
	// Add puts a pod on the node: one that was removed before, or one that is
	// nominated to the node and runs nowhere. A nominated pod's NodeName is empty.
	Add(pod *outrank.Pod, node *outrank.Node)
	// Clone returns an independent copy.
	Clone() FilterState
}

// NodeRule makes a filter of a function that looks at the pod and the node
// alone. Several goroutines may call the function at once.
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

// callerFilter is a filter of the caller that has something to say about the
// preemptor. Every pod is assumed to have a part in its answer.
type callerFilter struct {
	name  string
	index int
	state FilterState
}

func (*callerFilter) touches(*nodeState) bool { return true }

// onNode clones the state for one worker. The clone lives longer than a node.
func (f *callerFilter) onNode(nodeFilter) nodeFilter {
	return &callerOnNode{state: f.state.Clone()}
}

// callerOnNode is a caller's filter on one node after another. Pods that a dry
// run removes have to be added again before the next node.
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
