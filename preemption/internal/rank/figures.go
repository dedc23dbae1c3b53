package rank

import (
	"cmp"
	"math"
	"time"
)

// Figure names one of the figures that ranks compare.
type Figure uint8

// The figures of the built-in ranks and of costs. NumFigures is the number of all Figures.
const (
	NoFigure Figure = iota
	ViolationsFigure
	TopFigure
	SumFigure
	VictimsFigure
	StartFigure
	CostFigure
	NumFigures
)

// Figures counts victims together: every figure that a rank can compare, in the form in which the
// searches count them. preemption.Score has the same figures for callers. The zero value has no victims.
type Figures struct {
	Violations int
	Top        int32 // what Add finds is the highest priority; a search may set another (rules 11.3 and 13.2.3)
	Victims    int32
	Sum        int64   // the sum of the priorities, each raised by PriorityShift
	Start      Instant // the earliest start among the victims of the highest priority
	Cost       int64   // the sum of costs by the first rank that has one
}

// PriorityShift is added to every priority. The result is never negative, so that one victim more never
// makes the sum smaller (rule 11.4).
const PriorityShift = 1 << 31

// Add counts a victim in all figures but the violations. starts reports whether the victim's start is now
// the one that counts.
func (f *Figures) Add(priority int32, start Instant, cost int64) (starts bool) {
	f.Victims++
	f.Sum += int64(priority) + PriorityShift
	f.Cost = AddCosts(f.Cost, cost)

	// A higher priority makes the starts of all victims before meaningless (rule 11.6).
	if f.Victims == 1 || priority > f.Top || priority == f.Top && start.Before(f.Start) {
		f.Top, f.Start = priority, start
		return true
	}
	return false
}

// AddCosts adds two costs, neither of them below 0. The sum stops at the largest int64 (rule 11.10).
func AddCosts(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Of returns a figure; the lower is the better. For StartFigure it returns 0, because an int64 cannot hold
// every start: see Starts.
func (f *Figures) Of(x Figure) int64 {
	switch x {
	case ViolationsFigure:
		return int64(f.Violations)
	case TopFigure:
		return int64(f.Top)
	case SumFigure:
		return f.Sum
	case VictimsFigure:
		return int64(f.Victims)
	case CostFigure:
		return f.Cost
	}
	return 0
}

// both returns the figure x of f and of g; the lower number is the better. For StartFigure the numbers only show
// which start is the better.
func (f *Figures) both(g *Figures, x Figure) (a, b int64) {
	if x != StartFigure {
		return f.Of(x), g.Of(x)
	}
	return f.Starts(g)
}

// Starts returns a for the start of f and b for the start of g, each 0 or 1. The later start is the better and
// has the lower number (rule 11.6). Equal starts have equal numbers.
func (f *Figures) Starts(g *Figures) (a, b int64) {
	if f.Start.Before(g.Start) {
		return 1, 0
	}
	if g.Start.Before(f.Start) {
		return 0, 1
	}
	return 0, 0
}

// Compare is negative if f is better than g by a figure, and positive if it is worse.
func (f *Figures) Compare(g *Figures, x Figure) int { return cmp.Compare(f.both(g, x)) }

// Gap returns by how much f is better than g in a figure. For StartFigure that is by how many nanoseconds
// its start is later, as far as an int64 goes.
func (f *Figures) Gap(g *Figures, x Figure) int64 {
	if x == StartFigure {
		return f.Start.since(g.Start)
	}
	a, b := f.both(g, x)
	return b - a
}

// since returns by how many nanoseconds a is later than b, as far as an int64 goes.
func (a Instant) since(b Instant) int64 {
	const most = math.MaxInt64/int64(time.Second) - 1

	// The difference may overflow, and then has the wrong sign.
	sec := a.Sec - b.Sec
	switch {
	case a.Before(b) && (sec > 0 || sec < -most):
		return math.MinInt64
	case b.Before(a) && (sec < 0 || sec > most):
		return math.MaxInt64
	}
	return sec*int64(time.Second) + int64(a.Nsec) - int64(b.Nsec)
}
