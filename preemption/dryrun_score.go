package preemption

import (
	"slices"

	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/rank"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// standing is what a candidate is compared by.
type standing struct {
	score     *decision.Score
	ownScores []int64
}

// compareStandings orders two candidates: by whether anybody has to leave, where the variant
// looks at that first, else by the caller's scorers, and without any by the ranks. order is
// negative if f is better. by is what decides, ByNodeOrder where nothing does and order is 0.
func (a *attempt) compareStandings(f, g standing) (order int, by decision.Rank) {
	if order, decides := a.config.variant().compareFree(f.score.Victims, g.score.Victims); decides {
		if order == 0 {
			return 0, decision.ByNodeOrder
		}
		return order, decision.ByVictims
	}
	if len(a.config.Scorers) == 0 {
		return compareScores(f.score, g.score, a.ranks)
	}
	// The higher score is the better one.
	if c := slices.Compare(g.ownScores, f.ownScores); c != 0 {
		return c, decision.ByOwnScore
	}
	return 0, decision.ByNodeOrder
}

// scoreOf returns the score of victims that are sorted by importance. That of nobody is
// zero. The top priority is that of the first, which the caller's importance may put before
// higher ones.
func (a *attempt) scoreOf(victims []*state.PodState, violations int) decision.Score {
	if len(victims) == 0 {
		return decision.Score{}
	}
	f, first := rank.Figures{Violations: violations}, victims[0]
	for _, p := range victims {
		cost, r := int64(0), p.Rank().At(a.nowAt)
		if a.config.Cost != nil {
			cost = state.CostOf(a.config.Cost, p.Pod)
		}
		if f.Add(r.Priority, rank.Instant{Sec: r.Sec, Nsec: r.Nsec}, cost) {
			first = p
		}
	}
	f.Top = victims[0].Priority()
	sc := decision.Score(f.Score())
	sc.Start = first.Start(a.now)
	return sc
}

// usualRanks are the default ones, which nobody writes.
var usualRanks = decision.DefaultRanks()

// compareScores orders two scores by some ranks; see [Score.Compare]. Without ranks all are
// equal.
func compareScores(a, b *decision.Score, ranks []decision.Rank) (order int, by decision.Rank) {
	f, g := (*rank.Score)(a).Figures(), (*rank.Score)(b).Figures()
	for _, r := range ranks {
		if c := f.Compare(&g, rank.Of(r).Figure); c != 0 {
			return c, r
		}
	}
	return 0, decision.ByNodeOrder
}

// certify returns the certificate of a score by a bound on all scores.
func certify(sc, bound *decision.Score, ranks []decision.Rank, steps, unsolved int) *decision.Certificate {
	order, by := compareScores(bound, sc, ranks)
	if order >= 0 {
		return &decision.Certificate{Optimal: true, Bound: *sc, Steps: steps}
	}
	return &decision.Certificate{Bound: *bound, Rank: by, Gap: by.Gap(*bound, *sc), Steps: steps, Unsolved: unsolved}
}
