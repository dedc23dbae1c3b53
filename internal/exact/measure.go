package exact

import (
	"cmp"
	"math"
	"math/bits"
)

// Measure is one step in the comparison of two sets.
type Measure uint8

// The measures. For all of them but ByStart the least value is the best.
const (
	// ByViolations compares the number of parts that violate a budget.
	ByViolations Measure = iota + 1
	// ByTop compares the top of the first item in the set.
	ByTop
	// BySum and BySecondSum compare sums over the items.
	BySum
	BySecondSum
	// ByParts compares the number of parts.
	ByParts
	// ByStart compares the earliest start among the parts with the highest top. The latest start is
	// the best.
	ByStart
	// ByTiers compares the numbers of parts with the highest top, then with the next top, and so on. It is
	// the first measure, and only sums follow it. The search then takes the items in their own
	// order, in which tops never rise. Of sets that tie, it takes the set with the first item
	// in which they differ.
	ByTiers
)

// Instant is a time in a form that is cheap to compare.
type Instant struct {
	Sec  int64
	Nsec int32
}

// Before reports whether a is earlier than b.
func (a Instant) Before(b Instant) bool { return a.Sec < b.Sec || a.Sec == b.Sec && a.Nsec < b.Nsec }

// compare is negative if a is the earlier one.
func (a Instant) compare(b Instant) int {
	return cmp.Or(cmp.Compare(a.Sec, b.Sec), cmp.Compare(a.Nsec, b.Nsec))
}

// Figures are the values of a set that measures compare, except for its start. None of them shrinks when an
// item is added to the set.
type Figures struct {
	Violations, Parts int64
	Sums              [2]int64
	Top               int32
}

// noFigures are the figures of the empty set.
var noFigures = Figures{Top: math.MinInt32}

// value returns the figure that a measure compares, 0 for ByStart and ByTiers.
func (f *Figures) value(m Measure) int64 {
	switch m {
	case ByViolations:
		return f.Violations
	case ByTop:
		return int64(f.Top)
	case BySum:
		return f.Sums[0]
	case ByParts:
		return f.Parts
	case BySecondSum:
		return f.Sums[1]
	}
	return 0
}

// most returns the larger of f's and g's value for each figure. The result is no better than f and no better
// than g.
func (f *Figures) most(g *Figures) Figures {
	return Figures{
		max(f.Violations, g.Violations), max(f.Parts, g.Parts),
		[2]int64{max(f.Sums[0], g.Sums[0]), max(f.Sums[1], g.Sums[1])}, max(f.Top, g.Top),
	}
}

// compareFigures compares figures by some measures. It is negative if f is better.
func compareFigures(f, g *Figures, measures []Measure) int {
	for _, m := range measures {
		a, b := f.value(m), g.value(m)
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
	}
	return 0
}

// Score has all values of a set that measures compare.
type Score struct {
	Figures
	Start Instant
}

// compareScores compares scores by some measures. It is negative if a is better.
func compareScores(a, b *Score, measures []Measure) int {
	for i, m := range measures {
		order := 0
		if m == ByStart {
			order = b.Start.compare(a.Start)
		} else {
			order = compareFigures(&a.Figures, &b.Figures, measures[i:i+1])
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

// add adds amounts of at least 0. It returns the largest int64 instead of overflowing.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// times multiplies an amount of at least 0. It returns the largest int64 instead of overflowing.
func times(a int64, n int) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(n))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}
