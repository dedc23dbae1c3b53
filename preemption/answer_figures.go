package preemption

import (
	"cmp"
	"math"
	"time"
)

// figure names one of the figures that ranks compare.
type figure uint8

// The figures.
const (
	noFigure figure = iota
	violationsFigure
	topFigure
	sumFigure
	victimsFigure
	startFigure
	costFigure
	numFigures
)

// figures has what victims come to together: every figure that a rank can compare, in the form
// in which the searches count them. [Score] has the same for callers. The zero value is that of
// nobody. A figure is counted by add and compared by of and starts, and nowhere else.
type figures struct {
	violations int
	top        int32 // priority of the most important victim
	victims    int32
	sum        int64   // of the priorities, each raised by priorityShift
	start      instant // the earliest of those of the top priority
	cost       int64
}

// priorityShift makes every priority non-negative, so that more victims never
// have a smaller sum.
const priorityShift = 1 << 31

// add counts a victim but for its violations, and reports whether its start is the one that
// counts now. The top priority is the highest of the victims'.
func (f *figures) add(priority int32, start instant, cost int64) (starts bool) {
	f.victims++
	f.sum += int64(priority) + priorityShift
	f.cost = addCosts(f.cost, cost)
	if f.victims == 1 || priority > f.top || priority == f.top && start.before(f.start) {
		f.top, f.start = priority, start
		return true
	}
	return false
}

// addCosts adds costs, up to the largest number.
func addCosts(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// of returns a figure, the lower the better; 0 for the start, of which only both says which is
// the better.
func (f *figures) of(x figure) int64 {
	switch x {
	case violationsFigure:
		return int64(f.violations)
	case topFigure:
		return int64(f.top)
	case sumFigure:
		return f.sum
	case victimsFigure:
		return int64(f.victims)
	case costFigure:
		return f.cost
	}
	return 0
}

// both returns a figure of f and of g: the lower number is the better. Of starts the numbers
// only say which is the better.
func (f *figures) both(g *figures, x figure) (a, b int64) {
	if x != startFigure {
		return f.of(x), g.of(x)
	}
	return f.starts(g)
}

// starts is both for the start.
func (f *figures) starts(g *figures) (a, b int64) {
	if f.start.before(g.start) {
		return 1, 0
	}
	if g.start.before(f.start) {
		return 0, 1
	}
	return 0, 0
}

// compare is negative if f is better by a figure.
func (f *figures) compare(g *figures, x figure) int { return cmp.Compare(f.both(g, x)) }

// gap returns by how much f is better than g in a figure: of starts by how many nanoseconds it
// is later, as far as an int64 goes.
func (f *figures) gap(g *figures, x figure) int64 {
	if x == startFigure {
		return f.start.since(g.start)
	}
	a, b := f.both(g, x)
	return b - a
}

// since returns by how many nanoseconds a is later than b, as far as an int64 goes.
func (a instant) since(b instant) int64 {
	if sec := a.sec - b.sec; sec > math.MaxInt64/int64(time.Second)-1 {
		return math.MaxInt64
	} else if sec < math.MinInt64/int64(time.Second)+1 {
		return math.MinInt64
	} else {
		return sec*int64(time.Second) + int64(a.nsec) - int64(b.nsec)
	}
}
