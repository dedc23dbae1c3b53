package preemption

import (
	"math"

	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// nodeScore is a candidate, or one that a node could be at best.
type nodeScore struct {
	position int // in the order of the nodes, -1 for no candidate
	rank.Figures
}

// rankOrder are the figures that ranks compare in turn, each once, up to NoFigure.
type rankOrder [rank.NumFigures]rank.Figure

// figuresOf returns the figures that ranks compare.
func figuresOf(ranks []decision.Rank) (order rankOrder) {
	var seen [rank.NumFigures]bool
	at := 0
	for _, r := range ranks {
		if x := rank.Of(r).Figure; x != rank.NoFigure && !seen[x] {
			seen[x], order[at] = true, x
			at++
		}
	}
	return order
}

// defaultOrder is that of the default ranks.
var defaultOrder = figuresOf(dryrun.UsualRanks)

// beats reports whether a candidate wins by an order of the ranks and, in a tie, by the
// order of the nodes.
func (f *nodeScore) beats(g *nodeScore, order *rankOrder) bool {
	if f.position < 0 || g.position < 0 {
		return g.position < 0 && f.position >= 0
	}
	for _, x := range order {
		if x == rank.NoFigure {
			break
		}
		a, b := f.Of(x), g.Of(x) // both, which is too long to be inlined
		if x == rank.StartFigure {
			a, b = f.Starts(&g.Figures)
		}
		if a != b {
			return a < b
		}
	}
	return f.position < g.position
}

// beatsByDefault is beats by the defaultOrder, written out because it is called so often
// (TestDefaultOrderIsWrittenOut holds it to that).
func (f *nodeScore) beatsByDefault(g *nodeScore) bool {
	switch {
	case f.position < 0 || g.position < 0:
		return g.position < 0 && f.position >= 0
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
	return f.position < g.position
}

// better reports whether a candidate wins by the ranks of the configuration and, in
// a tie, by the order of the nodes.
func (s *search) better(f, g *nodeScore) bool {
	if s.standard && !s.takesFree {
		return f.beatsByDefault(g)
	}
	if s.takesFree && f.position >= 0 && g.position >= 0 {
		if order, decides := s.Config.ByVariant().CompareFree(int(f.Victims), int(g.Victims)); decides {
			return order < 0 || order == 0 && f.position < g.position
		}
	}
	return f.beats(g, &s.figureOrder)
}

// unknown is better than any figure of a rank.
const unknown = math.MinInt64

// leading are what the first two ranks beside the violations compare, the less the
// better. Where the first is unknown, so is the second.
type leading struct{ first, second int64 }

// worst loses against any other figures, or ties with them.
var worst = leading{math.MaxInt64, math.MaxInt64}

// worse reports whether these figures lose against others.
func (f *leading) worse(g *leading) bool {
	return f.first > g.first || f.first == g.first && f.second > g.second
}

// decides reports whether others lose against a candidate by the first ranks: it is one, and
// no violation of it is compared before.
func (s *search) decides(f *nodeScore) bool {
	return f.position >= 0 && (f.Violations == 0 || !s.violationsFirst)
}

// leadingOf are the first figures of a score.
func (s *search) leadingOf(o *nodeScore) leading {
	return leading{leads(&o.Figures, s.firstFigure), leads(&o.Figures, s.secondFigure)}
}

// leads returns a figure, which is unknown where there is none.
func leads(f *rank.Figures, x rank.Figure) int64 {
	if x == rank.NoFigure {
		return unknown
	}
	return f.Of(x)
}
