package preemption

import "math"

// nodeScore is a candidate as the default ranks see it.
type nodeScore struct {
	position   int // in the order of the nodes, -1 for no candidate
	violations int
	top        int32
	victims    int32
	sum        int64
	start      instant
	cost       int64 // by the caller's rule
}

// better reports whether a candidate wins by the default ranks (chapter 11)
// and, in a tie, by the order of the nodes. It is [Score.Compare] written out,
// because it is called so often.
func (f *nodeScore) better(g *nodeScore) bool {
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
	if s.standard {
		return f.better(g)
	}
	if s.takesFree && f.position >= 0 && g.position >= 0 {
		if order, decides := s.config.variant().compareFree(int(f.victims), int(g.victims)); decides {
			return order < 0 || order == 0 && f.position < g.position
		}
	}
	return f.betterBy(g, s.ranks)
}

// betterBy is better for any ranks.
func (f *nodeScore) betterBy(g *nodeScore, ranks []Rank) bool {
	if f.position < 0 || g.position < 0 {
		return g.position < 0 && f.position >= 0
	}
	for _, r := range ranks {
		switch r {
		case ByViolations:
			if f.violations != g.violations {
				return f.violations < g.violations
			}
		case ByTopPriority:
			if f.top != g.top {
				return f.top < g.top
			}
		case ByPrioritySum:
			if f.sum != g.sum {
				return f.sum < g.sum
			}
		case ByVictims:
			if f.victims != g.victims {
				return f.victims < g.victims
			}
		case ByCost:
			if f.cost != g.cost {
				return f.cost < g.cost
			}
		case ByStart:
			if f.start != g.start {
				return g.start.before(f.start)
			}
		}
	}
	return f.position < g.position
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

// figuresOf are the figures of a score.
func (s *search) figuresOf(o *nodeScore) leading {
	return leading{figure(s.firstRank, o.top, o.victims, o.sum), figure(s.secondRank, o.top, o.victims, o.sum)}
}

func figure(rank Rank, top, victims int32, sum int64) int64 {
	switch rank {
	case ByVictims:
		return int64(victims)
	case ByPrioritySum:
		return sum
	case ByTopPriority:
		return int64(top)
	}
	return unknown
}
