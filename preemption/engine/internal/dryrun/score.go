package dryrun

import (
	"maps"
	"time"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Score is the score of a set of victims in the form in which the engine compares candidates.
type Score struct {
	rank.Figures
	// First is the time from which Figures.Start was made, as the caller gave it, with its time zone.
	First time.Time
}

// ScoreOf returns the score of victims that are sorted by importance. The top priority is that of the first
// victim, which need not be the highest if the caller orders pods. Without victims the score is zero, with
// rank.Never as its start.
func (a *Attempt) ScoreOf(victims []*state.PodState, violations int) Score {
	if len(victims) == 0 {
		return Score{Figures: rank.Figures{Start: rank.Never}}
	}

	// Add reports whether the victim has the earliest start so far among those of the highest priority (rule
	// 11.6).
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

// Tell converts a score to the public form.
func (a *Attempt) Tell(sc *Score) preemption.Score {
	told := a.TellFigures(&sc.Figures)
	told.Start = sc.First
	return told
}

// TellFigures converts figures to the public form, with the start in UTC.
func (a *Attempt) TellFigures(f *rank.Figures) preemption.Score {
	told := preemption.Score{
		Violations: f.Violations, TopPriority: f.Top, PrioritySum: f.Sum, Victims: int(f.Victims), Start: f.Start.Time(),
	}
	if a.Config.Cost != nil {
		told.Own = map[string]int64{a.Config.CostName: f.Cost}
	}
	return told
}

// figuresOf is the inverse of TellFigures.
func (a *Attempt) figuresOf(told *preemption.Score) rank.Figures {
	f := rank.Figures{
		Violations: told.Violations, Top: told.TopPriority, Sum: told.PrioritySum, Victims: int32(told.Victims), Start: rank.InstantOf(told.Start),
	}
	if a.Config.Cost != nil {
		f.Cost = told.Own[a.Config.CostName]
	}
	return f
}

// Complete adds to the score of a candidate what can be computed only from whole candidates: the costs beside
// the first, and the caller's figures. Each figure sees those before it.
func (a *Attempt) Complete(c *preemption.Candidate) {
	if !a.Config.Whole {
		return
	}
	a.AddCosts(c)
	if c.Score.Own == nil {
		c.Score.Own = map[string]int64{} // the caller's Figure may write into it
	}
	for i := range a.Ranks {
		if r := &a.Ranks[i]; r.Figure != nil {
			setOwn(c, r.Name, r.Figure(c))
		}
	}
}

// AddCosts sets every cost in the score of a candidate, if ranks need whole candidates.
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

// setOwn sets one of the caller's figures in the score of a candidate.
func setOwn(c *preemption.Candidate, name string, figure int64) {
	score := &c.Score
	if score.Own == nil {
		score.Own = map[string]int64{}
	}
	score.Own[name] = figure
}

// Compare compares two candidates by their public scores. order is negative if f is better, and by names the
// rank that decides; in a tie order is 0 and by is empty. A variant may first compare whether there are any
// victims (rule 13.2.11).
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

// CompareFigures is Compare by figures. No rank may need whole candidates.
func (a *Attempt) CompareFigures(f, g *rank.Figures) (order int, by string) {
	if order, by, decides := a.compareFree(int(f.Victims), int(g.Victims)); decides {
		return order, by
	}
	return a.named(a.CompareByRanks(f, g))
}

// compareFree compares by whether there are any victims, if the variant does that before the ranks.
func (a *Attempt) compareFree(victims, others int) (order int, by string, decides bool) {
	order, decides = a.Config.ByVariant().CompareFree(victims, others)
	if order != 0 {
		by = preemption.ByVictims.Name
	}
	return order, by, decides
}

// CompareByRanks compares by the ranks alone. at is the index of the rank that decides, -1 in a tie.
func (a *Attempt) CompareByRanks(f, g *rank.Figures) (order, at int) {
	for i, x := range a.Config.Order() {
		if x == rank.NoFigure {
			break
		}
		if c := f.Compare(g, x); c != 0 {
			return c, i // every rank has a figure, so that i is also the index of the rank
		}
	}
	return 0, -1
}

// named replaces the index of a rank by its name.
func (a *Attempt) named(order, at int) (int, string) {
	if at < 0 {
		return order, ""
	}
	return order, a.Ranks[at].Name
}

// own returns a copy of a score that does not share its map.
func own(told preemption.Score) preemption.Score {
	told.Own = maps.Clone(told.Own)
	return told
}
