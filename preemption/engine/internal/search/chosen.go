package search

import (
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// unhelpful counts what the nodes answer without their possible victims.
func (s *Search) unhelpful() []preemption.Count {
	t := s.tally[:0]
	for _, w := range s.Workers {
		t = s.Asked.sum(t, &w.after)
	}
	s.tally = t
	return s.Asked.counts(t)
}

// finishPlan completes the plan with the best candidate, whose victims are found once more,
// with their reasons: from the rows of the node, or by a dry run.
func (s *Search) finishPlan(p *preemption.Plan, best NodeScore) {
	w := s.Workers[0]
	if best.Position < 0 {
		p.Outcome = preemption.NothingHelps
		p.Unhelpful = s.unhelpful()
		if w.terms.Exact {
			p.ClusterCertificate = w.attempt.CertifyAll(nil, w.Dry.Open)
		}
		return
	}
	n := w.NodeAt(best.Position)
	if c, _ := w.candidateByRows(n, best.Position); c != nil && len(c.Victims) > 0 {
		p.Candidate = w.lasting(c, append(make([]preemption.Victim, 0, len(c.Victims)), c.Victims...))
	} else {
		possible, st := w.Dry.DryRun(n)
		if st.Code != filters.Success {
			w.Dry.Contradicted()
			return
		}
		p.Candidate = w.Dry.Candidate(possible)
	}
	p.ClearedNominations = w.attempt.ClearedNominations(n, p.Victims)
	if w.terms.Exact {
		p.ClusterCertificate = w.attempt.CertifyAll(&p.Candidate, w.Dry.Open) // one worker has all that is open
	}
}

// candidateByRows finds the candidate on a node from its rows, where resources alone decide
// by the default rules about victims and budgets: nil where preemption does not help, as the
// bound says. The bound is nil where more is to be asked than the rows.
func (w *Worker) candidateByRows(n *state.NodeState, position int) (*preemption.Candidate, *NodeBound) {
	sum := w.sums.At(n.Slot)
	if !w.rules.byRows || w.need.filtered || sum.Flags&^state.Restricted != 0 || w.mayRefuse(sum) || !n.InOrder(w.attempt.NowAt) {
		return nil, nil
	}
	b := &w.bounds[position]
	w.boundByResources(b, n.Slot, sum)
	switch {
	case b.before == 0:
		return nil, nil
	case b.Kind == Settled:
		return nil, b
	}
	return w.fillCandidate(n, position, b.Bound), b
}

// fillCandidate finds the victims from the rows, and fills in the worker's
// candidate, whose memory is used again.
func (w *Worker) fillCandidate(n *state.NodeState, position int, bound int32) *preemption.Candidate {
	w.blocked, w.recording = w.blocked[:0], true
	f, _ := w.reprieveRows(position, n, bound)
	w.recording = false
	slices.SortFunc(w.blocked, func(a, b blockedPod) int { return int(a.index - b.index) })
	c := &w.scratch
	*c = preemption.Candidate{Node: n.Name, Victims: c.Victims[:0], Score: w.attempt.TellFigures(&f.Figures)}
	c.Victims = slices.Grow(c.Victims, len(w.blocked))[:len(w.blocked)]
	var blocks preemption.Status // mostly the same as for the victim before
	for i, v := range w.blocked {
		if i == 0 || v.by != w.blocked[i-1].by {
			blocks = w.attempt.Public(statusOf(w.attempt.Asked.Needs, v.by))
		}
		c.Victims[i] = preemption.Victim{Pod: n.Pods[v.index].Located(), Priority: n.Pods[v.index].Priority(), Blocks: blocks}
	}
	if f.Violations > 0 {
		w.nameViolatedByRows(n, c.Victims)
	}
	if len(n.Nominated) > 0 {
		c.ClearedNominations = w.attempt.ClearedNominations(n, c.Victims)
	}
	return c
}

// nameViolatedByRows is nameViolated from the rows of a node.
func (w *Worker) nameViolatedByRows(n *state.NodeState, victims []preemption.Victim) {
	from, next := n.First(w.attempt.Reach), 0
	shared := dryrun.SharedNames{Budgets: w.snap.BudgetSet, Broken: w.Dry.Broken[:0]}
	for _, g := range n.Covered {
		if int(g.Index) < from {
			continue
		}
		broken := w.Dry.Budgets.Charge(n.Pods[g.Index])
		for next < len(w.blocked) && w.blocked[next].index < g.Index {
			next++
		}
		if next < len(w.blocked) && w.blocked[next].index == g.Index {
			victims[next].Violated = shared.Of(broken)
		}
	}
	w.Dry.Broken = shared.Broken
	w.Dry.Budgets.Reset()
}

// lasting returns a copy of a worker's candidate with victims of its own.
func (w *Worker) lasting(c *preemption.Candidate, victims []preemption.Victim) preemption.Candidate {
	out, now := *c, w.attempt.Now
	out.Victims = victims
	// The start in the very form in which the caller gave it.
	if start := victims[0].Pod.StartTime; start.Equal(c.Score.Start) {
		out.Score.Start = start
	} else if now.Equal(c.Score.Start) {
		out.Score.Start = now
	}
	return out
}
