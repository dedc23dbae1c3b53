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
	exact := w.terms.Exact // one worker searches for exact victims, so that it has all nodes that are open
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
		// The search has found victims here. If the dry run finds none, something that the caller configured
		// has said two things about one node.
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

// candidateByRows finds the candidate on a node from its rows, where resources alone decide by the default rules
// about victims and budgets. The candidate is nil if preemption does not help, as the bound says. Both are nil if
// more is to be asked than the rows.
func (w *Worker) candidateByRows(n *state.NodeState, position int) (*preemption.Candidate, *NodeBound) {
	sum := w.sums.At(n.Slot)
	if !w.rules.byRows || w.need.filtered || sum.Flags&^state.Restricted != 0 || w.mayRefuse(sum) || !n.InOrder(w.attempt.NowAt) {
		return nil, nil
	}

	b := &w.bounds[position]
	w.boundByResources(b, n.Slot, sum)
	switch {
	case b.before == 0: // it takes the preemptor, though the caller's status says otherwise
		return nil, nil
	case b.Kind == Settled:
		return nil, b
	}
	return w.fillCandidate(n, position, b.Bound), b
}

// fillCandidate finds the victims from the rows, and fills in the worker's
// candidate, whose memory is used again.
func (w *Worker) fillCandidate(n *state.NodeState, position int, bound int32) *preemption.Candidate {
	// The reprieve records what each victim lacked when it was to be put back, in the order of its trials.
	w.blocked, w.recording = w.blocked[:0], true
	f, _ := w.reprieveRows(position, n, bound)
	w.recording = false
	slices.SortFunc(w.blocked, func(a, b blockedPod) int { return int(a.index - b.index) }) // by importance (rule 9.8)

	c := &w.scratch
	*c = preemption.Candidate{Node: n.Name, Victims: c.Victims[:0], Score: w.attempt.TellFigures(&f.Figures)}
	c.Victims = slices.Grow(c.Victims, len(w.blocked))[:len(w.blocked)]
	attempt := w.attempt
	var blocks preemption.Status // mostly the same as for the victim before
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

// nameViolatedByRows names the budgets that each victim violates. All possible victims that budgets cover are
// charged in order of importance (group 6.3), and the victims, in the same order, are met on the way.
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

	dry.Broken = shared.Broken // its memory is used again
	dry.Budgets.Reset()
}

// lasting returns a copy of a worker's candidate with victims of its own. The start in its score was made from an
// instant. It is given back in the very form in which the caller gave it, with its time zone.
func (w *Worker) lasting(c *preemption.Candidate, victims []preemption.Victim) preemption.Candidate {
	out, attempt := *c, w.attempt
	out.Victims = victims
	if first := victims[0].Pod; first.StartTime.Equal(c.Score.Start) {
		out.Score.Start = first.StartTime
	} else if attempt.Now.Equal(c.Score.Start) { // a pod without a start counts as started now
		out.Score.Start = attempt.Now
	}
	return out
}
