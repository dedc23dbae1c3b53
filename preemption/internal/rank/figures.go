package rank

import (
	"cmp"
	"math"
	"time"
)

// Figure names one of the figures that ranks compare.
type Figure uint8

// The figures.
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

// Figures has what victims come to together: every figure that a rank can compare, in the form
// in which the searches count them; preemption.Score has the same for callers. The zero value is that
// of nobody.
type Figures struct {
	Violations int
	Top        int32 // priority of the most important victim
	Victims    int32
	Sum        int64   // of the priorities, each raised by PriorityShift
	Start      Instant // the earliest of those of the top priority
	Cost       int64   // by the first rank of the caller that says what a victim costs
}

// PriorityShift makes every priority non-negative, so that more victims never
// have a smaller sum.
const PriorityShift = 1 << 31

// Add counts a victim but for its violations, and reports whether its start is the one that
// counts now. The top priority is the highest of the victims'.
func (f *Figures) Add(priority int32, start Instant, cost int64) (starts bool) {
	f.Victims++
	f.Sum += int64(priority) + PriorityShift
	f.Cost = AddCosts(f.Cost, cost)
	if f.Victims == 1 || priority > f.Top || priority == f.Top && start.Before(f.Start) {
		f.Top, f.Start = priority, start
		return true
	}
	return false
}

// AddCosts adds costs, up to the largest number.
func AddCosts(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Of returns a figure, the lower the better; 0 for the start, of which only both says which is
// the better.
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

// both returns a figure of f and of g: the lower number is the better. Of starts the numbers
// only say which is the better.
func (f *Figures) both(g *Figures, x Figure) (a, b int64) {
	if x != StartFigure {
		return f.Of(x), g.Of(x)
	}
	return f.Starts(g)
}

// Starts is both for the start.
func (f *Figures) Starts(g *Figures) (a, b int64) {
	if f.Start.Before(g.Start) {
		return 1, 0
	}
	if g.Start.Before(f.Start) {
		return 0, 1
	}
	return 0, 0
}

// Compare is negative if f is better by a figure.
func (f *Figures) Compare(g *Figures, x Figure) int { return cmp.Compare(f.both(g, x)) }

// Gap returns by how much f is better than g in a figure: of starts by how many nanoseconds it
// is later, as far as an int64 goes.
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
	sec := a.Sec - b.Sec // of the other sign where it is more than an int64 holds
	switch {
	case a.Before(b) && (sec > 0 || sec < -most):
		return math.MinInt64
	case b.Before(a) && (sec < 0 || sec > most):
		return math.MaxInt64
	}
	return sec*int64(time.Second) + int64(a.Nsec) - int64(b.Nsec)
}
