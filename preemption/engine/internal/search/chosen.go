package search

import (
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// unhelpful counts the answers that nodes give with their possible victims removed.
func (s *Search) unhelpful() []preemption.Count {
	t := s.tally[:0]
	for _, w := range s.Workers {
		t = s.Asked.sum(t, &w.after)
	}
	s.tally = t
	return s.Asked.counts(t)
}

// finishPlan completes the plan with the best candidate. The victims are found once more, now with their
// reasons, from the rows of the node or by a dry run.
func (s *Search) finishPlan(p *preemption.Plan, best NodeScore) {
	w := s.Workers[0]
	exact := w.terms.Exact // a search for exact victims has one worker, so that its Open lists all open nodes
	if best.Position < 0 {
		p.Outcome = preemption.NothingHelps
		p.Unhelpful = s.unhelpful()
		if exact {
			p.ClusterCertificate = w.attempt.CertifyAll(nil, w.Dry.Open)
		}
		return
	}

	n := w.NodeAt(best.Position)
	if c, _ := w.candidateByRows(n, best.Position); c != nil && len(c.Victims) > 0 {
		p.Candidate = w.lasting(c, append(make([]preemption.Victim, 0, len(c.Victims)), c.Victims...))
	} else {
		// The search has found victims here. If the dry run does not, something that the caller configured
		// has contradicted itself.
		possible, st := w.Dry.DryRun(n)
		if st.Code != filters.Success {
			w.Dry.Contradicted()
			return
		}
		p.Candidate = w.Dry.Candidate(possible)
	}

	p.ClearedNominations = w.attempt.ClearedNominations(n, p.Victims)
	if exact {
		p.ClusterCertificate = w.attempt.CertifyAll(&p.Candidate, w.Dry.Open)
	}
}

// candidateByRows finds the candidate on a node from its rows, if resources alone decide by the default rules
// about victims and budgets. If preemption does not help, the candidate is nil and the bound has the answer.
// Both are nil if the rows do not suffice.
func (w *Worker) candidateByRows(n *state.NodeState, position int) (*preemption.Candidate, *NodeBound) {
	sum := w.sums.At(n.Slot)
	if !w.rules.byRows || w.need.filtered || sum.Flags&^state.Restricted != 0 || w.mayRefuse(sum) || !n.InOrder(w.attempt.NowAt) {
		return nil, nil
	}

	b := &w.bounds[position]
	w.boundByResources(b, n.Slot, sum)
	switch {
	case b.before == 0: // it takes the preemptor, although the caller gave another status
		return nil, nil
	case b.Kind == Settled:
		return nil, b
	}
	return w.fillCandidate(n, position, b.Bound), b
}

// fillCandidate finds the victims from the rows, and returns the worker's candidate, whose memory the next
// call reuses.
func (w *Worker) fillCandidate(n *state.NodeState, position int, bound int32) *preemption.Candidate {
	// The reprieve records each pod that it could not put back, with the shortage, in the order of its
	// trials.
	w.blocked, w.recording = w.blocked[:0], true
	f, _ := w.reprieveRows(position, n, bound)
	w.recording = false
	slices.SortFunc(w.blocked, func(a, b blockedPod) int { return int(a.index - b.index) }) // by importance (rule 9.8)

	c := &w.scratch
	*c = preemption.Candidate{Node: n.Name, Victims: c.Victims[:0], Score: w.attempt.TellFigures(&f.Figures)}
	c.Victims = slices.Grow(c.Victims, len(w.blocked))[:len(w.blocked)]
	attempt := w.attempt
	var blocks preemption.Status // mostly the same as for the previous victim
	for i, v := range w.blocked {
		if i == 0 || v.by != w.blocked[i-1].by {
			blocks = attempt.Public(statusOf(attempt.Asked.Needs, v.by))
		}
		p := n.Pods[v.index]
		c.Victims[i] = preemption.Victim{Pod: p.Located(), Priority: p.Priority(), Blocks: blocks}
	}

	if f.Violations > 0 {
		w.nameViolatedByRows(n, c.Victims)
	}
	if len(n.Nominated) > 0 {
		c.ClearedNominations = attempt.ClearedNominations(n, c.Victims)
	}
	return c
}

// nameViolatedByRows fills in the budgets that each victim violates. All covered possible victims are charged
// in order of importance (group 6.3). The victims have the same order, so that one pass meets them all.
func (w *Worker) nameViolatedByRows(n *state.NodeState, victims []preemption.Victim) {
	dry := &w.Dry
	from, next := n.First(w.attempt.Reach), 0
	shared := dryrun.SharedNames{Budgets: w.snap.BudgetSet, Broken: dry.Broken[:0]}
	for _, g := range n.Covered {
		if int(g.Index) < from {
			continue
		}

		broken := dry.Budgets.Charge(n.Pods[g.Index])
		for next < len(w.blocked) && w.blocked[next].index < g.Index {
			next++
		}
		if next < len(w.blocked) && w.blocked[next].index == g.Index {
			victims[next].Violated = shared.Of(broken)
		}
	}

	dry.Broken = shared.Broken // keeps the memory
	dry.Budgets.Reset()
}

// lasting returns a copy of a worker's candidate with these victims. The start in its score was made from an
// instant, and is replaced by the caller's own value, which has a time zone.
func (w *Worker) lasting(c *preemption.Candidate, victims []preemption.Victim) preemption.Candidate {
	out, attempt := *c, w.attempt
	out.Victims = victims
	if first := victims[0].Pod; first.StartTime.Equal(c.Score.Start) {
		out.Score.Start = first.StartTime
	} else if attempt.Now.Equal(c.Score.Start) { // a victim without a start counts as started now
		out.Score.Start = attempt.Now
	}
	return out
}
