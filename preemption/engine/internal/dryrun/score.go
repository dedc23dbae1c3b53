package dryrun

import (
	"maps"
	"time"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Score is what victims come to together, in the form in which candidates are compared within a
// decision.
type Score struct {
	rank.Figures
	// First is the start among the figures as the caller gave it.
	First time.Time
}

// ScoreOf returns the score of victims that are sorted by importance. That of nobody is
// zero. The top priority is that of the first, which the caller's importance may put before
// higher ones.
func (a *Attempt) ScoreOf(victims []*state.PodState, violations int) Score {
	if len(victims) == 0 {
		return Score{Figures: rank.Figures{Start: rank.Never}}
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
	return Score{Figures: f, First: first.Start(a.Now)}
}

// Tell returns a score as callers see it.
func (a *Attempt) Tell(sc *Score) preemption.Score {
	told := a.TellFigures(&sc.Figures)
	told.Start = sc.First
	return told
}

// TellFigures is Tell for figures, with the start in UTC.
func (a *Attempt) TellFigures(f *rank.Figures) preemption.Score {
	told := preemption.Score{
		Violations: f.Violations, TopPriority: f.Top, PrioritySum: f.Sum, Victims: int(f.Victims), Start: f.Start.Time(),
	}
	if a.Config.Cost != nil {
		told.Own = map[string]int64{a.Config.CostName: f.Cost}
	}
	return told
}

// figuresOf are those of a score that callers have seen.
func (a *Attempt) figuresOf(told *preemption.Score) rank.Figures {
	f := rank.Figures{
		Violations: told.Violations, Top: told.TopPriority, Sum: told.PrioritySum, Victims: int32(told.Victims), Start: rank.InstantOf(told.Start),
	}
	if a.Config.Cost != nil {
		f.Cost = told.Own[a.Config.CostName]
	}
	return f
}

// Complete adds what is known of a whole candidate alone to its score: each cost beside the first, and
// the figures, each of which is told of those before it.
func (a *Attempt) Complete(c *preemption.Candidate) {
	if !a.Config.Whole {
		return
	}
	a.AddCosts(c)
	if c.Score.Own == nil {
		c.Score.Own = map[string]int64{}
	}
	for i := range a.Ranks {
		if r := &a.Ranks[i]; r.Figure != nil {
			c.Score.Own[r.Name] = r.Figure(c)
		}
	}
}

// AddCosts adds each cost beside the first to the score of a candidate.
func (a *Attempt) AddCosts(c *preemption.Candidate) {
	if !a.Config.Whole {
		return
	}
	for i := range a.Ranks {
		if r := &a.Ranks[i]; r.Cost != nil {
			cost := int64(0)
			for k := range c.Victims {
				cost = rank.AddCosts(cost, state.CostOf(r.Cost, c.Victims[k].Pod))
			}
			if c.Score.Own == nil {
				c.Score.Own = map[string]int64{}
			}
			c.Score.Own[r.Name] = cost
		}
	}
}

// Compare orders two candidates by what callers see of their scores: by whether anybody has to leave,
// where the variant looks at that first, and else by the ranks. order is negative if f is better. by
// names the rank that decides, empty where none does and order is 0.
func (a *Attempt) Compare(f, g *preemption.Score) (order int, by string) {
	if order, by, decides := a.compareFree(f.Victims, g.Victims); decides {
		return order, by
	}
	if a.Config.Whole {
		return f.Compare(*g, a.Ranks)
	}
	x, y := a.figuresOf(f), a.figuresOf(g)
	return a.named(a.CompareByRanks(&x, &y))
}

// CompareFigures is Compare where no rank compares what is known of whole candidates alone.
func (a *Attempt) CompareFigures(f, g *rank.Figures) (order int, by string) {
	if order, by, decides := a.compareFree(int(f.Victims), int(g.Victims)); decides {
		return order, by
	}
	return a.named(a.CompareByRanks(f, g))
}

// compareFree compares how many victims there are, where that decides before the ranks.
func (a *Attempt) compareFree(victims, others int) (order int, by string, decides bool) {
	order, decides = a.Config.ByVariant().CompareFree(victims, others)
	if order != 0 {
		by = preemption.ByVictims.Name
	}
	return order, by, decides
}

// CompareByRanks compares by the ranks alone. at is the place of the one that decides, where one does.
func (a *Attempt) CompareByRanks(f, g *rank.Figures) (order, at int) {
	for i, x := range a.Config.Order() {
		if x == rank.NoFigure {
			break
		}
		if c := f.Compare(g, x); c != 0 {
			return c, i // each rank has a figure here
		}
	}
	return 0, -1
}

// named puts the name of a rank in place of where it stands.
func (a *Attempt) named(order, at int) (int, string) {
	if at < 0 {
		return order, ""
	}
	return order, a.Ranks[at].Name
}

// own returns a copy of a score with a map of its own.
func own(told preemption.Score) preemption.Score {
	told.Own = maps.Clone(told.Own)
	return told
}
