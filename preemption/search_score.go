package preemption

import "math"

// nodeScore is a candidate, or one that a node could be at best.
type nodeScore struct {
	position int // in the order of the nodes, -1 for no candidate
	figures
}

// rankOrder are the figures that ranks compare in turn, each once, up to noFigure.
type rankOrder [numFigures]figure

// figuresOf returns the figures that ranks compare.
func figuresOf(ranks []Rank) (order rankOrder) {
	var seen [numFigures]bool
	at := 0
	for _, r := range ranks {
		if x := r.rule().figure; x != noFigure && !seen[x] {
			seen[x], order[at] = true, x
			at++
		}
	}
	return order
}

// defaultOrder is that of the default ranks.
var defaultOrder = figuresOf(sharedRanks)

// beats reports whether a candidate wins by an order of the ranks and, in a tie, by the
// order of the nodes.
func (f *nodeScore) beats(g *nodeScore, order *rankOrder) bool {
	if f.position < 0 || g.position < 0 {
		return g.position < 0 && f.position >= 0
	}
	for _, x := range order {
		if x == noFigure {
			break
		}
		a, b := f.of(x), g.of(x) // both, which is too long to be inlined
		if x == startFigure {
			a, b = f.starts(&g.figures)
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
	case f.violations != g.violations:
		return f.violations < g.violations
	case f.top != g.top:
		return f.top < g.top
	case f.sum != g.sum:
		return f.sum < g.sum
	case f.victims != g.victims:
		return f.victims < g.victims
	case f.start != g.start:
		return g.start.before(f.start)
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
		if order, decides := s.config.variant().compareFree(int(f.victims), int(g.victims)); decides {
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
	return f.position >= 0 && (f.violations == 0 || !s.violationsFirst)
}

// leadingOf are the first figures of a score.
func (s *search) leadingOf(o *nodeScore) leading {
	return leading{o.leads(s.firstFigure), o.leads(s.secondFigure)}
}

// leads returns a figure, which is unknown where there is none.
func (f *figures) leads(x figure) int64 {
	if x == noFigure {
		return unknown
	}
	return f.of(x)
}
