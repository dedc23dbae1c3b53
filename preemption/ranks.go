package preemption

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// best is the candidate that the ranks prefer; of equal ones the first in the order of the nodes
// (rules 11.1 and 11.7). It is nil where there is none.
func (a *attempt) best(answers []answer) *Candidate {
	var best *Candidate
	for _, one := range answers {
		if one.candidate == nil {
			continue
		}
		if best == nil {
			best = one.candidate
			continue
		}
		if order, _ := a.compare(one.candidate, best); order < 0 {
			best = one.candidate
		}
	}
	return best
}

// compare orders two candidates by the ranks, each of which decides among those that tie in all before
// it (rule 11.1). by names the rank that decides.
func (a *attempt) compare(c, d *Candidate) (order int, by string) {
	if order, by := a.steps.compareFirst(c, d); order != 0 {
		return order, by
	}
	for _, r := range a.ranks() {
		if order := compareFigures(r, &c.Score, &d.Score); order != 0 {
			return order, r.Name
		}
	}
	return 0, ""
}

// ranks are those of the configuration, or of the variant (rules 11.9 and 13.1.4).
func (a *attempt) ranks() []Rank {
	if a.config.Ranks != nil {
		return a.config.Ranks
	}
	return a.steps.ranks
}

// compareFigures compares two scores by the figure of one rank. The lower is the better, but for the
// start: the later it is, the less work is lost (rules 11.2 to 11.6, 11.8 and 11.10).
func compareFigures(r Rank, s, t *Score) int {
	switch r.Name {
	case ByViolations.Name:
		return cmp.Compare(s.Violations, t.Violations)
	case ByTopPriority.Name:
		return cmp.Compare(s.TopPriority, t.TopPriority)
	case ByPrioritySum.Name:
		return cmp.Compare(s.PrioritySum, t.PrioritySum)
	case ByVictims.Name:
		return cmp.Compare(s.Victims, t.Victims)
	case ByStart.Name:
		return startOfScore(t).Compare(startOfScore(s))
	}
	return cmp.Compare(s.Own[r.Name], t.Own[r.Name])
}

// startOfScore is the start of a score, later than any where none is known (rule 11.6).
func startOfScore(s *Score) time.Time {
	if s.Start.IsZero() {
		return laterThanAny
	}
	return s.Start
}

// scoreOf is what candidates are compared by. The victims are in order of importance, so that the first
// is the most important one; the caller's own order may put others before those of the highest priority
// (rules 11.3 to 11.6 and 12.8.6).
func (a *attempt) scoreOf(victims []Victim) Score {
	score := Score{Victims: len(victims)}
	a.addCosts(victims, &score)
	if len(victims) == 0 {
		return score
	}

	score.TopPriority = victims[0].Pod.PriorityValue()
	for i := range victims {
		score.Violations += a.steps.violations(victims[i].Violated)
		// Raised so that none is negative, a sum never gets less with a victim more.
		score.PrioritySum += int64(victims[i].Pod.PriorityValue()) + 1<<31
	}
	score.Start = a.startOfTop(victims)
	return score
}

// startOfTop is the earliest start among the victims of the highest priority (rule 11.6), as the caller
// has written it. It is zero where nobody knows when now is and such a victim has no start.
func (a *attempt) startOfTop(victims []Victim) time.Time {
	top := slices.MaxFunc(victims, func(v, w Victim) int {
		return cmp.Compare(v.Pod.PriorityValue(), w.Pod.PriorityValue())
	}).Pod.PriorityValue()
	var first *outrank.Pod
	for i := range victims {
		p := victims[i].Pod
		if p.PriorityValue() == top && (first == nil || a.startOf(p).Before(a.startOf(first))) {
			first = p
		}
	}
	if first.StartTime.IsZero() {
		return a.now
	}
	return first.StartTime
}

// addCosts adds the figure of each rank that says what a victim costs: the sum, up to the
// largest number, where less than nothing counts as nothing (rule 11.10).
func (a *attempt) addCosts(victims []Victim, score *Score) {
	for _, r := range a.ranks() {
		costOf := r.Cost
		if costOf == nil {
			continue
		}
		sum := int64(0)
		for i := range victims {
			cost := max(0, costOf(victims[i].Pod))
			if sum > math.MaxInt64-cost {
				sum = math.MaxInt64 - cost
			}
			sum += cost
		}
		score.setOwn(r.Name, sum)
	}
}

// completeScores adds the figures of the caller's ranks that look at whole candidates, once these are
// final (rule 11.8). Each is told of those before it.
func (a *attempt) completeScores(answers []answer) {
	for _, one := range answers {
		for _, r := range a.ranks() {
			if one.candidate != nil && r.Figure != nil {
				one.candidate.Score.setOwn(r.Name, r.Figure(one.candidate))
			}
		}
	}
}

// setOwn sets the figure of a rank of the caller's (rules 11.8 and 11.10).
func (s *Score) setOwn(name string, figure int64) {
	if s.Own == nil {
		s.Own = map[string]int64{}
	}
	s.Own[name] = figure
}

// clearedNominations are the pods of lower priority that are nominated to the node, and lose that, by
// importance (rule 14.3.3).
func (a *attempt) clearedNominations(s *site, victims []Victim) []*outrank.Pod {
	if !a.steps.clears(a, victims) {
		return nil
	}
	var cleared []*outrank.Pod
	for _, p := range s.nominated {
		if p.pod.PriorityValue() < a.pod.PriorityValue() {
			cleared = append(cleared, p.pod)
		}
	}
	slices.SortFunc(cleared, byPriorityAndStart)
	return cleared
}

// byPriorityAndStart orders pods by importance where nobody says when now is: a missing start is later
// than any (rule 4.3.7).
func byPriorityAndStart(p, q *outrank.Pod) int {
	start := func(p *outrank.Pod) time.Time { return startOfScore(&Score{Start: p.StartTime}) }
	return cmp.Or(
		cmp.Compare(q.PriorityValue(), p.PriorityValue()),
		start(p).Compare(start(q)),
		cmp.Compare(p.NamespaceName(), q.NamespaceName()),
		cmp.Compare(p.Name, q.Name),
	)
}

// clearsForSomebody: where every victim is being deleted already, a release that carries preemption out
// asynchronously does nothing, and clears nothing either (rule 14.2.6).
func (a *attempt) clearsForSomebody(victims []Victim) bool {
	if !release.Release(a.cluster.Release).Asynchronous() {
		return true
	}
	return slices.ContainsFunc(victims, func(v Victim) bool { return !v.Pod.Terminating() })
}
