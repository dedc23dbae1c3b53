package preemption

import "cmp"

// scoreOf returns the score of victims that are sorted by importance. That of nobody is
// zero.
func (a *attempt) scoreOf(victims []*podState, violations int) Score {
	if len(victims) == 0 {
		return Score{}
	}
	sc := Score{Violations: violations, Victims: len(victims)}
	highest := victims[0]
	for _, p := range victims {
		if a.config.Cost != nil {
			sc.Cost = addCosts(sc.Cost, costOf(a.config.Cost, p.pod))
		}
		sc.PrioritySum += int64(p.priority()) + priorityShift
		c := cmp.Compare(p.priority(), highest.priority())
		if c > 0 || c == 0 && p.rank().compareStart(highest.rank(), a.nowAt) < 0 {
			highest = p
		}
	}
	sc.TopPriority, sc.Start = victims[0].priority(), highest.start(a.now)
	return sc
}
