package filters

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/refusing"
)

// CallerFilter is a filter of the caller that has something to say about the
// preemptor.
type CallerFilter struct {
	state preemption.FilterState
	// concerns reports whether a pod has a part in the answer; nil if every pod is
	// assumed to have. Where the snapshot keeps them, lists has these pods, node by node.
	concerns func(*outrank.Pod) bool
	lists    *state.Attachment
}

// Begun begins an attempt for a filter of the caller. It returns nil if the filter has
// nothing to say.
func Begun(f *preemption.Filter, q *Question) (PodFilter, error) {
	switch {
	case f.Node != nil && f.Key == nil:
		return &RuleAttempt{check: f.Node, pod: q.Pod}, nil
	case f.Node != nil:
		key, table := AnswersOf(f, q)
		switch {
		case table == nil:
			return nil, q.ctx.Err()
		case table.Failing == 0:
			return nil, nil
		}
		return &RuleAttempt{table: table, key: key}, nil
	}
	state, err := f.Start(q.Pod, q.Snap.Within(q.ctx))
	if err == nil {
		err = q.ctx.Err() // what it was shown may have ended with that
	}
	if err != nil || state == nil {
		return nil, err
	}
	c := &CallerFilter{state: state, concerns: f.Concerns}
	if f.Concerns != nil {
		c.lists = q.Snap.ConcernedBy(q.ctx, f)
	}
	return c, nil
}

// refuseBy ends the attempt before the first node where a filter of the caller refuses the pod
// (rule 7.15.10), unless one before it has.
func (fp *Plan) refuseBy(c *CallerFilter, index int) {
	r, ok := c.state.(refusing.State[preemption.Status])
	if !ok || fp.Refused.Code != Success {
		return
	}
	fp.Refused = callerStatus(r.Refused().Status)
	fp.Refused.Code, fp.Refused.By = UnschedulableAndUnresolvable, index
}

// Touches reports whether pods of the node have a part in the answer; see [PodFilter].
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

// OnNode clones the state for one worker. The clone lives longer than a node.
func (f *CallerFilter) OnNode(NodeFilter) NodeFilter {
	return &callerOnNode{filter: f, state: f.state.Clone()}
}

// callerOnNode is a caller's filter on one node after another. Pods that a dry
// run removes have to be added again before the next node.
type callerOnNode struct {
	filter *CallerFilter
	state  preemption.FilterState
	n      *state.NodeState
	// status is the answer without nominated pods if known is set. It is kept where
	// the filter says which pods concern it, until one of those comes or goes.
	status Status
	known  bool
}

func (f *callerOnNode) Enter(n *state.NodeState) { f.n, f.known = n, false }

func (f *callerOnNode) Change(p *state.PodState, by int) { f.ChangeFar(p, f.n, by) }

// ChangeFar is change for a pod of any node.
func (f *callerOnNode) ChangeFar(p *state.PodState, on *state.NodeState, by int) {
	switch {
	case f.filter.concerns == nil:
	case f.filter.lists != nil && !slices.Contains(f.filter.lists.On(on), p):
		return
	case f.filter.lists == nil && !f.filter.concerns(p.Pod):
		return
	}
	f.known = false
	if by > 0 {
		f.state.Add(p.Pod, on.Node)
	} else {
		f.state.Remove(p.Pod, on.Node)
	}
}

// Follow is the same, since the state lives longer than a node.
func (f *callerOnNode) Follow(p *state.PodState, on *state.NodeState, by int) { f.ChangeFar(p, on, by) }

// Check adds nominated pods to a copy.
func (f *callerOnNode) Check(nominated []*state.PodState) Status {
	state, copied := f.state, false
	for _, p := range nominated {
		if f.filter.concerns != nil && !f.filter.concerns(p.Pod) {
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
		f.status, f.known = callerStatus(state.Check(f.n.Node)), f.filter.concerns != nil
	}
	return f.status
}

func callerStatus(s preemption.Status) Status {
	return Status{Code: CodeOf(s.Code), Text: s.Reasons}
}

func (f *callerOnNode) Release() { *f = callerOnNode{} }
