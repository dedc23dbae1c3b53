package preemption

import "slices"

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
// zero. The top priority is that of the first, which the caller's importance may put before
// higher ones.
func (a *attempt) scoreOf(victims []*podState, violations int) Score {
	if len(victims) == 0 {
		return Score{}
	}
	f, first := figures{violations: violations}, victims[0]
	for _, p := range victims {
		cost, r := int64(0), p.rank().at(a.nowAt)
		if a.config.Cost != nil {
			cost = costOf(a.config.Cost, p.pod)
		}
		if f.add(r.priority, instant{r.sec, r.nsec}, cost) {
			first = p
		}
	}
	f.top = victims[0].priority()
	sc := f.score()
	sc.Start = first.start(a.now)
	return sc
}
