package exact

import (
	"cmp"
	"math"
	"math/bits"
)

// Measure is a step in the comparison of two sets.
type Measure uint8

// The measures. The least number is the best, but for the start.
const (
	// ByViolations compares the number of parts that violate a budget.
	ByViolations Measure = iota + 1
	// ByTop compares the top of the first item.
	ByTop
	// BySum and BySecondSum compare sums over the items.
	BySum
	BySecondSum
	// ByParts compares the number of parts.
	ByParts
	// ByStart compares the earliest start among the parts with the highest top: the latest
	// is the best.
	ByStart
	// ByTiers compares the numbers of items by tier: of the highest top, then of the next. It is
	// the first measure, and sums alone follow it. The items are then looked at in their order,
	// which is that of the tops, and of sets that tie the one is taken that has the first item
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

func (a Instant) compare(b Instant) int {
	return cmp.Or(cmp.Compare(a.Sec, b.Sec), cmp.Compare(a.Nsec, b.Nsec))
}

// Figures are the values of a set that measures compare, but for its start. They grow with
// the set.
type Figures struct {
	Violations, Parts int64
	Sums              [2]int64
	Top               int32
}

// noFigures are those of the empty set.
var noFigures = Figures{Top: math.MinInt32}

// of returns the figure that a measure compares.
func (f *Figures) of(m Measure) int64 {
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

// most returns figures that are no better than either.
func (f *Figures) most(g *Figures) Figures {
	return Figures{
		max(f.Violations, g.Violations), max(f.Parts, g.Parts),
		[2]int64{max(f.Sums[0], g.Sums[0]), max(f.Sums[1], g.Sums[1])}, max(f.Top, g.Top),
	}
}

// compareFigures orders figures by some measures.
func compareFigures(f, g *Figures, measures []Measure) int {
	for _, m := range measures {
		a, b := f.of(m), g.of(m)
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
	}
	return 0
}

// Score is everything that measures compare of a set.
type Score struct {
	Figures
	Start Instant
}

// compareScores orders scores by some measures: it is negative if a is the better one.
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

// add adds amounts of at least 0, up to the largest number.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// times multiplies amounts of at least 0, up to the largest number.
func times(a int64, n int) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(n))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}
