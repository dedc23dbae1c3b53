package search

import (
	"math"
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// beginPlan begins the plan with what the first round found. Its outcome is
// final unless it is Preempt.
func (s *Search) beginPlan() *preemption.Plan {
	a := &s.Attempt
	p := &preemption.Plan{
		Pod: a.Asked.Pod, Now: a.Now, Release: s.snap.Release(), Variant: a.Config.Variant, Outcome: preemption.Preempts,
		Resize: a.Asked.Deferral.Asked, Refused: a.Public(a.Plan.Refused),
	}
	t, first := s.tally[:0], math.MaxInt
	for _, w := range s.Workers {
		p.Feasible += w.before.usual[0]
		first = min(first, w.firstFit)
		t = s.sum(t, &w.before)
	}
	p.TurnedDown = statusCounts(&s.Attempt, t)
	s.tally = t
	p.Ineligible = s.Attempt.Eligible(s.statusOfNode)
	switch {
	case p.Feasible > 0:
		p.Outcome, p.FirstFit = preemption.Fits, s.NodeAt(first).Name
	case p.Ineligible != "":
		p.Outcome = preemption.NotEligible
	}
	return p
}

// sum adds up the answers of nodes that turned the preemptor down.
func (s *Search) sum(t tally, of *answers) tally {
	for x, nodes := range of.usual {
		if x > 0 && nodes > 0 {
			t.add(s.statusOf(answer(x)), nodes)
		}
	}
	for _, other := range of.others {
		if other.nodes > 0 {
			t.add(other.Status, other.nodes)
		}
	}
	return t
}

// statusOfNode asks a single node by its name.
func (s *Search) statusOfNode(node string) (filters.Status, bool) {
	n := s.snap.NodeState(node)
	if n == nil || n.Node == nil {
		return filters.Status{}, false
	}
	if s.given.any {
		return s.givenOf(n), true
	}
	return s.Workers[0].Dry.Filter(n), true
}

// givenOf returns the status that the caller gave for a single node.
func (s *Search) givenOf(n *state.NodeState) filters.Status {
	if len(s.given.list) > 0 { // all are read
		return dryrun.FilterStatusOf(&s.given.list[slices.Index(s.snap.Order, n.Slot)])
	}
	status, err := s.Attempt.GivenStatusOf(s.given.from, n)
	if err != nil {
		s.Workers[0].Dry.Err = err
	}
	return dryrun.FilterStatusOf(&status)
}

// StatusOf returns the status of an answer that is in no tally.
func (s *Search) statusOf(of answer) filters.Status {
	if of == noVictims {
		return filters.NoVictims
	}
	st := filters.Status{Code: filters.Unschedulable, By: filters.ResourcesFilter.Index, TooMany: of&tooManyPods != 0}
	for i := range s.Attempt.Asked.Needs {
		if at := s.Attempt.Asked.Needs[i].Column; at >= 0 && of&(1<<at) != 0 {
			st.Short |= 1 << i
		}
	}
	if of&unresolvable != 0 {
		st.Code = filters.UnschedulableAndUnresolvable
	}
	return st
}

// finishPlan completes the plan with the best candidate, whose victims are found once more,
// with their reasons: from the rows of the node, or by a dry run.
func (s *Search) finishPlan(p *preemption.Plan, best NodeScore) {
	if best.Position < 0 {
		p.Outcome = preemption.NothingHelps
		t := s.tally[:0]
		for _, w := range s.Workers {
			t = s.sum(t, &w.after)
		}
		p.Unhelpful = statusCounts(&s.Attempt, t)
		s.tally = t
		p.ClusterCertificate = s.Attempt.CertifyAll(nil, s.openNodes())
		return
	}
	n, w := s.NodeAt(best.Position), s.Workers[0]
	if c, _ := w.candidateByRows(n, best.Position); c != nil && len(c.Victims) > 0 {
		p.Candidate = s.lasting(c, append(make([]preemption.Victim, 0, len(c.Victims)), c.Victims...))
	} else {
		possible, st := w.Dry.DryRun(n)
		if st.Code != filters.Success {
			w.Dry.Contradicted()
			return
		}
		p.Candidate = w.Dry.Candidate(possible)
	}
	p.ClearedNominations = s.Attempt.ClearedNominations(n, p.Victims)
	p.ClusterCertificate = s.Attempt.CertifyAll(&p.Candidate, s.openNodes())
}

// openNodes lists the nodes that were not searched to the end. One worker does all of it.
func (s *Search) openNodes() []dryrun.OpenNode { return s.Workers[0].Dry.Open }

// statusCounts returns the counts with their texts, sorted by frequency.
func statusCounts(a *dryrun.Attempt, t tally) []preemption.Count {
	if len(t) == 0 {
		return nil
	}
	out := make([]preemption.Count, 0, len(t))
	for i := range t {
		out = append(out, preemption.Count{Status: a.Public(t[i].Status), Nodes: t[i].nodes})
	}
	dryrun.SortCounts(out)
	return out
}

// refusedPlan is the answer to an attempt that ends before the first node.
func (s *Search) refusedPlan() *preemption.Plan {
	if n := len(s.snap.Order); n > 0 {
		before := &s.Workers[0].before
		before.count(before.intern(s.Attempt.Plan.Refused), n)
	}
	plan := s.beginPlan()
	if plan.Outcome == preemption.Preempts {
		s.finishPlan(plan, NodeScore{Position: -1})
	}
	return plan
}
