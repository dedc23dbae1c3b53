package preemption

import (
	"cmp"
	"slices"
)

// standing is what a candidate is compared by.
type standing struct {
	score     *Score
	ownScores []int64
}

// compareStandings orders two candidates: by whether anybody has to leave, where the variant
// looks at that first, else by the caller's scorers, and without any by the ranks. order is
// negative if f is better. by is what decides, ByNodeOrder where nothing does and order is 0.
func (a *attempt) compareStandings(f, g standing) (order int, by Rank) {
	if order, decides := a.config.variant().compareFree(f.score.Victims, g.score.Victims); decides {
		if order == 0 {
			return 0, ByNodeOrder
		}
		return order, ByVictims
	}
	if len(a.config.Scorers) == 0 {
		return f.score.compareBy(g.score, a.ranks)
	}
	// The higher score is the better one.
	if c := slices.Compare(g.ownScores, f.ownScores); c != 0 {
		return c, ByOwnScore
	}
	return 0, ByNodeOrder
}

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
