package filters

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Filter is a preemption.Filter as the engine asks it.
type Filter interface {
	// Name stands in statuses.
	Name() string
	// Start begins an attempt to place the pod.
	Start(pod *outrank.Pod, snap *state.Snapshot) (preemption.FilterState, error)
}

// SelectiveFilter is a preemption.SelectiveFilter as the engine asks it.
type SelectiveFilter interface {
	Filter
	// Concerns reports whether a pod has a part in the answers.
	Concerns(pod *outrank.Pod) bool
	// Own returns the filter as its author made it, which is what a snapshot is attached to.
	Own() state.NamedFilter
}

// CallerFilter is a filter of the caller that has something to say about the
// preemptor.
type CallerFilter struct {
	state preemption.FilterState
	// concerns reports whether a pod has a part in the answer; nil if every pod is
	// assumed to have. Where the filter is attached to the snapshot, that has lists of
	// these pods, by attachment; it is -1 elsewhere.
	concerns   func(*outrank.Pod) bool
	attachment int
}

// Begun begins an attempt for a filter of the caller. It returns nil if the filter has
// nothing to say.
func Begun(f Filter, q *Question) (PodFilter, error) {
	switch r := f.(type) {
	case nodeRuleFilter:
		return &RuleAttempt{check: r.check, pod: q.Pod}, nil
	case *KeyedRule:
		key, table := r.Answers(q)
		switch {
		case table == nil:
			return nil, q.ctx.Err()
		case table.Failing == 0:
			return nil, nil
		}
		return &RuleAttempt{table: table, key: key}, nil
	}
	state, err := f.Start(q.Pod, q.Snap)
	if err != nil || state == nil {
		return nil, err
	}
	c := &CallerFilter{state: state, attachment: -1}
	if selective, ok := f.(SelectiveFilter); ok {
		c.concerns = selective.Concerns
		c.attachment = q.Snap.AttachmentOf(selective.Own())
	}
	return c, nil
}

// refuser is a state that may refuse the pod before any node is asked (rule 7.15.10).
type refuser interface{ Refused() preemption.Status }

// refuseBy ends the attempt before the first node where a filter of the caller refuses the pod,
// unless one before it has.
func (fp *Plan) refuseBy(c *CallerFilter, index int) {
	r, ok := c.state.(refuser)
	if !ok || fp.Refused.Code != Success {
		return
	}
	if s := callerStatus(r.Refused()); s.Code != Success {
		s.Code, s.By = UnschedulableAndUnresolvable, index
		fp.Refused = s
	}
}

// Touches reports whether pods of the node have a part in the answer; see [PodFilter].
func (f *CallerFilter) Touches(n *state.NodeState) bool {
	switch {
	case f.concerns == nil:
		return true
	case f.attachment >= 0:
		return len(n.Concerning(f.attachment)) > 0
	}
	return slices.ContainsFunc(n.Pods, func(p *state.PodState) bool { return f.concerns(p.Pod) })
}

// markConcerned marks the pods of a node that concern the filter; see [fewPodsFilter].
func (f *CallerFilter) markConcerned(n *state.NodeState, from int, marks []bool) {
	if f.attachment >= 0 {
		for _, p := range n.Concerning(f.attachment) {
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
	case f.filter.attachment >= 0 && !slices.Contains(on.Concerning(f.filter.attachment), p):
		return
	case f.filter.attachment < 0 && !f.filter.concerns(p.Pod):
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
