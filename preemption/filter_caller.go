package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

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
	Start(pod *outrank.Pod, snap *state.Snapshot) (FilterState, error)
}

// FilterState is a filter's view of the cluster during one attempt. It starts
// with the state of the snapshot and follows the pods that the attempt removes
// and adds. What is called how often, in a decision with P possible victims on a node:
//
//   - Clone once for each of Config.Workers, on the goroutine that called the
//     evaluator, and once more for each Check where nominated pods that concern the
//     filter count on the node: these are added to that copy, which is then dropped.
//   - Check at most P + 3 times for a node, and P + 1 times more for the best one: as the
//     node is, with all possible victims away, and with each of them put back. For a
//     [SelectiveFilter] only where a pod that concerns it came or went since.
//   - Remove at most 3 P times for a node, and 2 P times more for the best one. Add as
//     often: whoever is removed is added again before the next node, but for the victims
//     on the best one at the very end.
//
// Each clone belongs to one worker, whose goroutine alone calls it; the state that
// Start returned is only cloned. Nothing is called after the evaluator's call has
// returned. Package filtertest checks that a filter keeps to all that.
type FilterState interface {
	// Check returns whether the pod may run on the node in the present state.
	// Code and Reasons of the status count; its Filter is filled in. Contradiction says that
	// the filter failed: preemption ends in that error where there is no candidate (rule
	// 8.12). Any code but Success and Unschedulable is otherwise as good as
	// UnschedulableAndUnresolvable.
	Check(node *outrank.Node) decision.Status
	// Remove follows the removal of a pod from the node. Add follows its
	// addition: the pod was removed before, or is nominated to the node. Where victims
	// are units (rule 12.8.2), the node may be another one than that which is asked.
	Remove(pod *outrank.Pod, node *outrank.Node)
	// Add puts a pod on the node: one that was removed before, or one that is
	// nominated to the node and runs nowhere. A nominated pod's NodeName is empty.
	Add(pod *outrank.Pod, node *outrank.Node)
	// Clone returns an independent copy.
	Clone() FilterState
}

// callerFilter is a filter of the caller that has something to say about the
// preemptor.
type callerFilter struct {
	state FilterState
	// concerns reports whether a pod has a part in the answer; nil if every pod is
	// assumed to have. Where the filter is attached to the snapshot, that has lists of
	// these pods, by attachment; it is -1 elsewhere.
	concerns   func(*outrank.Pod) bool
	attachment int
}

// begun begins an attempt for a filter of the caller. It returns nil if the filter has
// nothing to say.
func begun(f Filter, q *question) (podFilter, error) {
	switch r := f.(type) {
	case nodeRuleFilter:
		return &ruleAttempt{check: r.check, pod: q.pod}, nil
	case *keyedRule:
		key, table := r.answers(q)
		if table.Failing == 0 {
			return nil, nil
		}
		return &ruleAttempt{table: table, key: key}, nil
	}
	state, err := f.Start(q.pod, q.snap)
	if err != nil || state == nil {
		return nil, err
	}
	c := &callerFilter{state: state, attachment: -1}
	if selective, ok := f.(SelectiveFilter); ok {
		c.concerns = selective.Concerns
		c.attachment = q.snap.AttachmentOf(f)
	}
	return c, nil
}

func (f *callerFilter) touches(n *state.NodeState) bool {
	switch {
	case f.concerns == nil:
		return true
	case f.attachment >= 0:
		return len(n.Concerning(f.attachment)) > 0
	}
	return slices.ContainsFunc(n.Pods, func(p *state.PodState) bool { return f.concerns(p.Pod) })
}

// onNode clones the state for one worker. The clone lives longer than a node.
func (f *callerFilter) onNode(nodeFilter) nodeFilter {
	return &callerOnNode{callerFilter: f, state: f.state.Clone()}
}

// callerOnNode is a caller's filter on one node after another. Pods that a dry
// run removes have to be added again before the next node.
type callerOnNode struct {
	*callerFilter
	state FilterState
	n     *state.NodeState
	// status is the answer without nominated pods if known is set. It is kept where
	// the filter says which pods concern it, until one of those comes or goes.
	status filterStatus
	known  bool
}

func (f *callerOnNode) enter(n *state.NodeState) { f.n, f.known = n, false }

func (f *callerOnNode) change(p *state.PodState, by int) { f.changeFar(p, f.n, by) }

// changeFar is change for a pod of any node.
func (f *callerOnNode) changeFar(p *state.PodState, on *state.NodeState, by int) {
	switch {
	case f.concerns == nil:
	case f.attachment >= 0 && !slices.Contains(on.Concerning(f.attachment), p):
		return
	case f.attachment < 0 && !f.concerns(p.Pod):
		return
	}
	f.known = false
	if by > 0 {
		f.state.Add(p.Pod, on.Node)
	} else {
		f.state.Remove(p.Pod, on.Node)
	}
}

// follow is the same, since the state lives longer than a node.
func (f *callerOnNode) follow(p *state.PodState, on *state.NodeState, by int) { f.changeFar(p, on, by) }

// check adds nominated pods to a copy.
func (f *callerOnNode) check(nominated []*state.PodState) filterStatus {
	state, copied := f.state, false
	for _, p := range nominated {
		if f.concerns != nil && !f.concerns(p.Pod) {
			continue
		}
		if !copied {
			state, copied = state.Clone(), true
		}
		state.Add(p.Pod, f.n.Node)
	}
	if copied {
		return callerStatus(state.Check(f.n.Node))
	}
	if !f.known {
		f.status, f.known = callerStatus(state.Check(f.n.Node)), f.concerns != nil
	}
	return f.status
}

func callerStatus(s decision.Status) filterStatus {
	return filterStatus{code: min(s.Code, decision.Contradiction), text: s.Reasons}
}

func (f *callerOnNode) release() { *f = callerOnNode{} }
