package filters

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/refusing"
)

// CallerFilter is a caller's filter with a Start in one attempt. There is none for a filter that has nothing
// to say about the preemptor.
type CallerFilter struct {
	state preemption.FilterState
	// concerns reports whether a pod can change the answer. It is nil if every pod can.
	concerns func(*outrank.Pod) bool
	// lists has the pods that concern the filter, node by node. It is nil where the snapshot keeps no such
	// lists.
	lists *state.Attachment
}

// Begun begins an attempt for a filter of the caller. It returns nil if the filter has
// nothing to say.
func Begun(f *preemption.Filter, q *Question) (PodFilter, error) {
	if f.Node != nil {
		return begunRule(f, q)
	}

	began, err := f.Start(q.Pod, q.Snap.Within(q.ctx))
	if err == nil {
		err = q.ctx.Err() // the view that the filter was given may have ended with the context
	}
	if err != nil || began == nil {
		return nil, err
	}

	c := &CallerFilter{state: began, concerns: f.Concerns}
	if f.Concerns != nil {
		c.lists = q.Snap.ConcernedBy(q.ctx, f)
	}
	return c, nil
}

// begunRule is Begun for a filter that is a rule about nodes. The snapshot keeps the answers of a rule with a
// Key. Such a rule has nothing to say if no node fails it.
func begunRule(f *preemption.Filter, q *Question) (PodFilter, error) {
	if f.Key == nil {
		return &RuleAttempt{check: f.Node, pod: q.Pod}, nil
	}

	key, table := AnswersOf(f, q)
	switch {
	case table == nil:
		return nil, q.ctx.Err()
	case table.Failing == 0:
		return nil, nil
	}
	return &RuleAttempt{table: table, key: key}, nil
}

// refuseBy ends the attempt before the first node if a filter of the caller refuses the pod (rule 7.15.10).
// An earlier filter's refusal stands.
func (fp *Plan) refuseBy(c *CallerFilter, index int) {
	r, ok := c.state.(refusing.State[preemption.Status])
	if !ok || fp.Refuses() {
		return
	}
	fp.Refused = callerStatus(r.Refused().Status)
	fp.Refused.Code, fp.Refused.By = UnschedulableAndUnresolvable, index
}

// Touches reports whether pods of the node can change the answer; see [PodFilter].
func (f *CallerFilter) Touches(n *state.NodeState) bool {
	switch {
	case f.concerns == nil:
		return true
	case f.lists != nil:
		return len(f.lists.On(n)) > 0
	}
	return slices.ContainsFunc(n.Pods, func(p *state.PodState) bool { return f.concerns(p.Pod) })
}

// markConcerned marks the pods of a node that concern the filter; see [fewPodsFilter].
func (f *CallerFilter) markConcerned(n *state.NodeState, from int, marks []bool) {
	if f.lists != nil {
		for _, p := range f.lists.On(n) {
			if at := slices.Index(n.Pods, p); at >= from {
				marks[at] = true
			}
		}
		return
	}
	for at := from; at < len(n.Pods); at++ {
		marks[at] = marks[at] || f.concerns(n.Pods[at].Pod)
	}
}

// OnNode clones the state for one worker, which uses the clone for all nodes.
func (f *CallerFilter) OnNode(NodeFilter) NodeFilter {
	return &callerOnNode{filter: f, state: f.state.Clone()}
}

// callerOnNode is a caller's filter as one worker takes it from node to node. The state is not reset in
// between, so that a dry run must put back what it removed before the next node.
type callerOnNode struct {
	filter *CallerFilter
	state  preemption.FilterState
	n      *state.NodeState
	// status is the answer without nominated pods. It is valid while known is set: from the first question
	// about a node until a pod that concerns the filter comes or goes. A filter without concerns never sets
	// known.
	status Status
	known  bool
}

func (f *callerOnNode) Enter(n *state.NodeState) { f.n, f.known = n, false }

func (f *callerOnNode) Change(p *state.PodState, by int) { f.ChangeFar(p, f.n, by) }

// ChangeFar follows a pod of any node. A filter with concerns hears only of the pods that concern it.
func (f *callerOnNode) ChangeFar(p *state.PodState, on *state.NodeState, by int) {
	filter := f.filter
	switch {
	case filter.concerns == nil:
	case filter.lists != nil && !slices.Contains(filter.lists.On(on), p):
		return
	case filter.lists == nil && !filter.concerns(p.Pod):
		return
	}

	f.known = false
	if by > 0 {
		f.state.Add(p.Pod, on.Node)
	} else {
		f.state.Remove(p.Pod, on.Node)
	}
}

// Follow is ChangeFar: the state outlives the node, so that every change lasts for the attempt.
func (f *callerOnNode) Follow(p *state.PodState, on *state.NodeState, by int) { f.ChangeFar(p, on, by) }

// Check asks about the node; see [NodeFilter]. Nominated pods are added to a copy, so that they need not
// be removed again.
func (f *callerOnNode) Check(nominated []*state.PodState) Status {
	filter := f.filter
	state, copied := f.state, false
	for _, p := range nominated {
		if filter.concerns != nil && !filter.concerns(p.Pod) {
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

	// The answer is kept only if the filter says which pods concern it. Any other filter is asked anew.
	if !f.known {
		f.status, f.known = callerStatus(state.Check(f.n.Node)), filter.concerns != nil
	}
	return f.status
}

// callerStatus converts a caller's status into the engine's.
func callerStatus(s preemption.Status) Status {
	return Status{Code: CodeOf(s.Code), Text: s.Reasons}
}

func (f *callerOnNode) Release() { *f = callerOnNode{} }
