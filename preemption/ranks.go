package preemption

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// best returns the candidate that the ranks prefer, and of equal ones the first in the order of the nodes
// (rules 11.1 and 11.7). It is nil without candidates.
//
// internal/proof/ranks.dfy proves that the ranks, with the order of the nodes last, are a total order
// (RanksAreATotalOrder), and that no other candidate is better than all others (TheBestIsUnique).
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

// compare orders two candidates, the better first: by the ranks, each of which decides between candidates
// that tie in all ranks before it (rule 11.1). by names the rank that decides, empty for none.
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

// ranks returns the ranks of the configuration or, if it names none, of the variant (rules 11.9 and 13.1.4).
func (a *attempt) ranks() []Rank {
	if a.config.Ranks != nil {
		return a.config.Ranks
	}
	return a.steps.ranks
}

// compareFigures compares two scores by the figure of one rank. The lower figure is better. Only a start is
// better the later it is, because less work is lost (rules 11.2 to 11.6, 11.8 and 11.10).
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

// startOfScore returns the start of a score. Where none is known it is later than any (rule 11.6).
func startOfScore(s *Score) time.Time {
	if s.Start.IsZero() {
		return laterThanAny
	}
	return s.Start
}

// scoreOf returns the figures by which candidates are compared, without the figures of whole candidates, which
// completeScores adds. The victims are in order of importance and count with their own priorities (rule
// 12.8.6).
func (a *attempt) scoreOf(victims []Victim) Score {
	score := Score{Victims: len(victims)}
	a.addCosts(victims, &score)
	if len(victims) == 0 {
		return score
	}

	// The first victim stands for the top priority. It need not have the highest one: units and the
	// caller's own order go by more than the priority of a pod (rules 11.3 and 12.8.6).
	score.TopPriority = victims[0].Pod.PriorityValue()

	for i := range victims {
		score.Violations += a.steps.violations(victims[i].Violated)

		// No term is negative, so that the sum never shrinks when a victim is added (rule 11.4).
		score.PrioritySum += int64(victims[i].Pod.PriorityValue()) + 1<<31
	}

	score.Start = a.startOfTop(victims)
	return score
}

// startOfTop returns the earliest start among the victims of the highest priority, as the caller has written it
// (rule 11.6). If the earliest is a victim without a start, it returns the time of the request, which may be
// zero.
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

// addCosts adds the figure of each rank with a Cost: the sum over the victims. A cost below 0 counts as 0, and
// the sum stops at the largest int64 (rule 11.10).
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

// completeScores adds the figures of the caller's ranks that look at whole candidates (rule 11.8). The
// candidates are final by then. A rank finds the figures of the ranks before it in the score.
func (a *attempt) completeScores(answers []answer) {
	for _, one := range answers {
		c := one.candidate
		if c == nil {
			continue
		}
		for _, r := range a.ranks() {
			if r.Figure != nil {
				c.Score.setOwn(r.Name, r.Figure(c))
			}
		}
	}
}

// setOwn sets the figure of one of the caller's ranks (rules 11.8 and 11.10).
func (s *Score) setOwn(name string, figure int64) {
	if s.Own == nil {
		s.Own = map[string]int64{}
	}
	s.Own[name] = figure
}

// clearedNominations lists the pods of lower priority whose nomination to the node is cleared, the most
// important first (rule 14.3.3).
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

// byPriorityAndStart orders pods by importance without knowing when now is: a missing start is later than
// any (rules 4.3.5 and 4.3.7).
func byPriorityAndStart(p, q *outrank.Pod) int {
	start := func(p *outrank.Pod) time.Time { return startOfScore(&Score{Start: p.StartTime}) }
	return cmp.Or(
		cmp.Compare(q.PriorityValue(), p.PriorityValue()),
		start(p).Compare(start(q)),
		cmp.Compare(p.NamespaceName(), q.NamespaceName()),
		cmp.Compare(p.Name, q.Name),
	)
}

// clearsForSomebody reports whether carrying the plan out clears nominations. Where every victim is being
// deleted already, a release that carries preemption out asynchronously clears none (rule 14.2.6).
func (a *attempt) clearsForSomebody(victims []Victim) bool {
	if !release.Release(a.cluster.Release).Asynchronous() {
		return true
	}
	return slices.ContainsFunc(victims, func(v Victim) bool { return !v.Pod.Terminating() })
}
