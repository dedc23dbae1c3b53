package dryrun

import (
	"maps"
	"time"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Score has the figures of a set of victims by which candidates are compared within a decision.
type Score struct {
	rank.Figures
	// First is the start of these figures as the caller gave it, with its time zone.
	First time.Time
}

// ScoreOf returns the score of victims that are sorted by importance. Without victims it is zero,
// with a start that no pod has. The top priority is that of the first victim. The caller's order
// of importance may put it before higher ones.
func (a *Attempt) ScoreOf(victims []*state.PodState, violations int) Score {
	if len(victims) == 0 {
		return Score{Figures: rank.Figures{Start: rank.Never}}
	}

	// Add keeps the highest priority and, among its pods, the earliest start (rule 11.6).
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

// TellFigures returns figures as callers see them, with the start in UTC.
func (a *Attempt) TellFigures(f *rank.Figures) preemption.Score {
	told := preemption.Score{
		Violations: f.Violations, TopPriority: f.Top, PrioritySum: f.Sum, Victims: int(f.Victims), Start: f.Start.Time(),
	}
	if a.Config.Cost != nil {
		told.Own = map[string]int64{a.Config.CostName: f.Cost}
	}
	return told
}

// figuresOf returns the figures of a score that callers see; TellFigures is the opposite.
func (a *Attempt) figuresOf(told *preemption.Score) rank.Figures {
	f := rank.Figures{
		Violations: told.Violations, Top: told.TopPriority, Sum: told.PrioritySum, Victims: int32(told.Victims), Start: rank.InstantOf(told.Start),
	}
	if a.Config.Cost != nil {
		f.Cost = told.Own[a.Config.CostName]
	}
	return f
}

// Complete adds to the score of a candidate what is only known of whole candidates: the costs beside
// the first one, and the figures of the caller. Each figure sees the ones before it.
func (a *Attempt) Complete(c *preemption.Candidate) {
	if !a.Config.Whole {
		return
	}
	a.AddCosts(c)
	if c.Score.Own == nil {
		c.Score.Own = map[string]int64{} // a figure of the caller may write it
	}
	for i := range a.Ranks {
		if r := &a.Ranks[i]; r.Figure != nil {
			setOwn(c, r.Name, r.Figure(c))
		}
	}
}

// AddCosts adds each cost to the score of a candidate. The first one is there already.
func (a *Attempt) AddCosts(c *preemption.Candidate) {
	if !a.Config.Whole {
		return
	}
	for i := range a.Ranks {
		r := &a.Ranks[i]
		if r.Cost == nil {
			continue
		}
		cost := int64(0)
		for k := range c.Victims {
			cost = rank.AddCosts(cost, state.CostOf(r.Cost, c.Victims[k].Pod))
		}
		setOwn(c, r.Name, cost)
	}
}

// setOwn sets a figure of the caller in a score.
func setOwn(c *preemption.Candidate, name string, figure int64) {
	score := &c.Score
	if score.Own == nil {
		score.Own = map[string]int64{}
	}
	score.Own[name] = figure
}

// Compare orders two candidates by their scores as callers see them. order is negative if f is better.
// by names the rank that decides; where none does it is empty and order is 0. A variant may look
// first at whether anybody leaves (rule 13.2.11).
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

// CompareFigures compares as Compare does, where no rank needs whole candidates.
func (a *Attempt) CompareFigures(f, g *rank.Figures) (order int, by string) {
	if order, by, decides := a.compareFree(int(f.Victims), int(g.Victims)); decides {
		return order, by
	}
	return a.named(a.CompareByRanks(f, g))
}

// compareFree compares the numbers of victims, where the variant has that decide before the ranks.
func (a *Attempt) compareFree(victims, others int) (order int, by string, decides bool) {
	order, decides = a.Config.ByVariant().CompareFree(victims, others)
	if order != 0 {
		by = preemption.ByVictims.Name
	}
	return order, by, decides
}

// CompareByRanks compares by the ranks alone. at is the index of the rank that decides, -1 for none.
func (a *Attempt) CompareByRanks(f, g *rank.Figures) (order, at int) {
	for i, x := range a.Config.Order() {
		if x == rank.NoFigure {
			break
		}
		if c := f.Compare(g, x); c != 0 {
			return c, i // every rank has a figure here, so that the indexes agree
		}
	}
	return 0, -1
}

// named puts the name of a rank in the place of its index.
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
