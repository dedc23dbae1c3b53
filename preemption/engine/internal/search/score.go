package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// NodeScore is the score of a candidate, or an optimistic score that no candidate on a node beats.
type NodeScore struct {
	Position int // in the order of the nodes, -1 for no candidate
	rank.Figures
}

// DefaultOrder has the figures of the default ranks in their order.
var DefaultOrder = dryrun.OrderOf(dryrun.UsualRanks)

// startSec returns the start in seconds, rank.NoStart if there is none.
func (f *NodeScore) startSec() int64 { return f.Start.Sec }

// Beats reports whether f wins against g by an order of the ranks and, in a tie, by the order of the nodes.
// Any candidate beats a score that stands for none.
func (f *NodeScore) Beats(g *NodeScore, order *dryrun.Order) bool {
	if f.Position < 0 || g.Position < 0 {
		return g.Position < 0 && f.Position >= 0
	}

	for _, x := range order {
		if x == rank.NoFigure {
			break
		}

		// This is Figures.both, written out because it is too long to be inlined.
		a, b := f.Of(x), g.Of(x)
		if x == rank.StartFigure {
			a, b = f.Starts(&g.Figures)
		}
		if a != b {
			return a < b
		}
	}
	return f.Position < g.Position
}

// BeatsByDefault is Beats by DefaultOrder, written out because it is called very often.
// TestDefaultOrderIsWrittenOut compares the two.
func (f *NodeScore) BeatsByDefault(g *NodeScore) bool {
	switch {
	case f.Position < 0 || g.Position < 0:
		return g.Position < 0 && f.Position >= 0
	case f.Violations != g.Violations:
		return f.Violations < g.Violations
	case f.Top != g.Top:
		return f.Top < g.Top
	case f.Sum != g.Sum:
		return f.Sum < g.Sum
	case f.Victims != g.Victims:
		return f.Victims < g.Victims
	case f.Start != g.Start:
		return g.Start.Before(f.Start)
	}
	return f.Position < g.Position
}

// unknown stands for a figure that no rank compares. It is better than any real figure.
const unknown = math.MinInt64

// leading has the figures that the first two ranks beside the violations compare. Less is better. If the
// first is unknown, so is the second.
type leading struct{ first, second int64 }

// worst is not better than any leading figures.
var worst = leading{math.MaxInt64, math.MaxInt64}

// Worse reports whether these figures lose against others.
func (f *leading) Worse(g *leading) bool {
	return f.first > g.first || f.first == g.first && f.second > g.second
}

// figureOrUnknown returns the figure x, or unknown if x is NoFigure.
func figureOrUnknown(f *rank.Figures, x rank.Figure) int64 {
	if x == rank.NoFigure {
		return unknown
	}
	return f.Of(x)
}
