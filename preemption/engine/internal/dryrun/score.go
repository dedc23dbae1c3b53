package dryrun

import (
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Standing is what a candidate is compared by.
type Standing struct {
	Score     *preemption.Score
	OwnScores []int64
}

// CompareStandings orders two candidates: by whether anybody has to leave, where the variant
// looks at that first, else by the caller's scorers, and without any by the ranks. order is
// negative if f is better. by is what decides, ByNodeOrder where nothing does and order is 0.
func (a *Attempt) CompareStandings(f, g Standing) (order int, by preemption.Rank) {
	if order, decides := a.Config.ByVariant().CompareFree(f.Score.Victims, g.Score.Victims); decides {
		if order == 0 {
			return 0, preemption.ByNodeOrder
		}
		return order, preemption.ByVictims
	}
	if len(a.Config.Scorers) == 0 {
		return CompareScores(f.Score, g.Score, a.Ranks)
	}
	// The higher score is the better one.
	if c := slices.Compare(g.OwnScores, f.OwnScores); c != 0 {
		return c, preemption.ByOwnScore
	}
	return 0, preemption.ByNodeOrder
}

// ScoreOf returns the score of victims that are sorted by importance. That of nobody is
// zero. The top priority is that of the first, which the caller's importance may put before
// higher ones.
func (a *Attempt) ScoreOf(victims []*state.PodState, violations int) preemption.Score {
	if len(victims) == 0 {
		return preemption.Score{}
	}
	f, first := rank.Figures{Violations: violations}, victims[0]
	for _, p := range victims {
		cost, r := int64(0), p.Rank().At(a.NowAt)
		if a.Config.Cost != nil {
			cost = state.CostOf(a.Config.Cost, p.Pod)
		}
		if f.Add(r.Priority, rank.Instant{Sec: r.Sec, Nsec: r.Nsec}, cost) {
			first = p
		}
	}
	f.Top = victims[0].Priority()
	sc := preemption.Score(f.Score())
	sc.Start = first.Start(a.Now)
	return sc
}

// CompareScores orders two scores by some ranks; see [Score.Compare]. Without ranks all are
// equal.
func CompareScores(a, b *preemption.Score, ranks []preemption.Rank) (order int, by preemption.Rank) {
	f, g := (*rank.Score)(a).Figures(), (*rank.Score)(b).Figures()
	for _, r := range ranks {
		if c := f.Compare(&g, rank.Of(r).Figure); c != 0 {
			return c, r
		}
	}
	return 0, preemption.ByNodeOrder
}
