package preemption

import "github.com/outrank-go/outrank"

// Filter is a rule of the caller's own about where a pod may run. It is asked
// after the built-in filters, in the order of [Config.Filters], and only about
// nodes that all before it let the pod on.
//
// Its contract has these parts. Package preemption/filtertest checks them.
//
//  1. The same input gives the same answer, reasons included: no clock, no
//     randomness, nothing that depends on the order of a map or on an address.
//  2. Nothing that it is shown is changed: not the pod, not a node, and not the
//     snapshot. All of it may be read until the attempt ends; other goroutines
//     read it at the same time.
//  3. An attempt shares no memory that changes with another one. Any number may
//     be under way, on any number of goroutines.
//  4. Which pods are there decides, not how they came: whatever is removed and
//     added in whatever order, a state answers as one that was started on a
//     snapshot in which exactly these pods run.
//
// The answers are what makes a pod a victim, so that a filter that breaks the
// contract pushes out pods for nothing, or answers differently for no reason
// that anybody can see. An evaluator does not notice, but for [Contradiction].
type Filter interface {
	// Name stands in statuses. It is not empty, not that of another filter, and
	// always the same. It may be called at any time, by several goroutines.
	Name() string
	// Start begins an attempt to place the pod. It is called once in each
	// decision about a single pod, and in a decision about a group for every pod
	// of it each time that a place for the group is looked for, with the pods
	// before it in place. The goroutine is the one that called the evaluator.
	//
	// A nil state means that the filter has nothing to say about this pod,
	// whatever pods are removed or added. An error ends the decision and is
	// returned from it; the state then does not matter.
	Start(pod *outrank.Pod, snap *Snapshot) (FilterState, error)
}

// FilterState is a filter's view of the cluster during one attempt. It starts
// as the snapshot is and follows what the attempt tries: pods that are removed
// and added again.
//
// The state that Start returned is cloned once for each worker, by the goroutine
// that called Start, and not used otherwise. Each clone belongs to one goroutine
// at a time, and several goroutines use clones of one state at once, so that a
// clone must share no memory that changes.
//
// A worker goes through nodes one after the other. On each of them it calls Check
// for the node as it is. Where that fails and removals may help, it calls Remove
// for the possible victims, the most important first, and Check; then for each of
// them Add and Check, and Remove again where Check failed. Under [Ascending] it
// calls Remove and Check in turn, the least important first. Before it goes to
// another node it calls Add for all that are still removed, so that the state is
// as before then; at the end of the attempt it may leave them. Where pods of at least the preemptor's
// priority are nominated to the node, each Check is preceded by one on a clone to
// which these have been added; the clone is used for nothing else.
//
// For a node with v possible victims that comes to at most 3v calls of Remove, as
// many of Add, and v+3 of Check, not counting those on clones for nominated pods;
// the chosen node is worked out once more. Most nodes cost less: how far each of
// them gets depends on what it can come to, so that a filter can conclude nothing
// from not being asked.
type FilterState interface {
	// Check says whether the pod may run on the node as things stand, and has
	// no effect on later answers. Code and Reasons of the status count; its Filter
	// is filled in. Success comes without reasons. [Unschedulable] means that
	// removing pods may help, [UnschedulableAndUnresolvable] that it cannot: the
	// node is then not tried. The reasons are kept, so that they must not be
	// written to later.
	Check(node *outrank.Node) Status
	// Remove takes a pod of the node away. The pod is one of those that run there.
	Remove(pod *outrank.Pod, node *outrank.Node)
	// Add puts a pod on the node: one that was removed before, or one that is
	// nominated to the node and runs nowhere. A nominated pod's NodeName is empty.
	Add(pod *outrank.Pod, node *outrank.Node)
	// Clone returns a copy with the same answers. What is done to one of the two
	// does not show in the other. It is never nil.
	Clone() FilterState
}

// NodeRule makes a filter of a function that looks at the pod and the node
// alone. The function may be called by several goroutines at once; it is called
// for each Check of [FilterState].
func NodeRule(name string, check func(pod *outrank.Pod, node *outrank.Node) Status) Filter {
	return nodeRule{name, check}
}

type nodeRule struct {
	name  string
	check func(*outrank.Pod, *outrank.Node) Status
}

func (r nodeRule) Name() string { return r.name }

func (r nodeRule) Start(pod *outrank.Pod, _ *Snapshot) (FilterState, error) {
	return nodeRuleState{r, pod}, nil
}

type nodeRuleState struct {
	rule nodeRule
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
	place int
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
func (f *callerOnNode) check(nominated []*podState) status {
	state := f.state
	if len(nominated) > 0 {
		state = state.Clone()
		for _, p := range nominated {
			state.Add(p.pod, f.node)
		}
	}
	s := state.Check(f.node)
	return status{code: min(s.Code, UnschedulableAndUnresolvable), text: s.Reasons}
}

func (f *callerOnNode) release() { f.state, f.node = nil, nil }
