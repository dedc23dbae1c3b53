package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// NodeBound has what the first round finds out about a node: its answers and, for a candidate, a bound on its
// victims.
type NodeBound struct {
	// Bound is the lowest priority that the top victim can have, and fewest the least number of victims if
	// the top victim has that priority.
	Bound  int32
	fewest uint16
	Kind   boundKind
	// tightened is set once every bound on fewest has been applied.
	tightened bool
	// before is the node's answer with all pods in place. after is its answer with the possible victims
	// removed, if that was needed.
	before, after answer
}

// boundKind says what decides on the victims of a node.
type boundKind uint8

const (
	// Settled: the node takes the pod, or preemption does not help there, or it
	// has been evaluated.
	Settled boundKind = iota
	// byResources: the node is a candidate, and resources alone decide on the
	// victims.
	byResources
	// byFilters: the node is a candidate, and other filters take part in the choice of victims.
	byFilters
	// unasked: the node is a candidate as far as resources go, and no filter after
	// NodeResourcesFit was asked.
	unasked
	// bySelection: the node is a candidate, and beside resources only filters that say which pods concern
	// them take part in the choice of victims.
	bySelection
	// byColumns: the node is a candidate, and beside resources only columns of other filters take part in the
	// choice of victims.
	byColumns
	// byUnits: the node is a candidate, and some pods count by another priority than their own, or filters
	// look at pods of other nodes that leave as well. Bound is the lowest priority on the node, and fewest is
	// valid for victims of any priority.
	byUnits
	// Evaluated: the node is a candidate with a known score. It is in the node's cache entry or, when
	// candidates are listed in order, in the queue.
	Evaluated
)

// prospect is a node that a worker looks at: its position and slot, its summary and its bound.
type prospect struct {
	position int
	slot     int32
	sum      *state.NodeSummary
	bound    *NodeBound
}

// The victims of a node are called low if all of them have the lowest priority on the node, and high if one
// of them is above it. The methods below bound how good each kind can be.

// setLow sets the best score that low victims can have, with start and cost at their best. If low victims do
// not make room, it is the best score of any victims whose top priority is the bound.
func (b *NodeBound) setLow(o *NodeScore, position int) {
	o.Position = position
	o.Figures = rank.Figures{Top: b.Bound, Start: rank.Never}
	b.setLowVictims(o)
}

// setLowVictims sets the number of victims in the score of setLow, and the sum that follows from it.
func (b *NodeBound) setLowVictims(o *NodeScore) {
	o.Victims = int32(b.fewest)
	o.Sum = b.lowSum()
}

// lowFigure returns one figure of the score of setLow.
func (b *NodeBound) lowFigure(x rank.Figure) int64 {
	f := rank.Figures{Top: b.Bound, Victims: int32(b.fewest), Sum: b.lowSum()}
	return figureOrUnknown(&f, x)
}

// lowSum returns the sum of priorities in the score of setLow.
func (b *NodeBound) lowSum() int64 { return int64(b.fewest) * (int64(b.Bound) + rank.PriorityShift) }

// mayBeLow reports whether low victims may make room.
func (p prospect) mayBeLow() bool { return p.bound.Bound == p.sum.Lowest }

// leastHigh returns the least top priority that high victims can have: the bound, which is valid for any
// victims, or at least one more than the lowest priority of the node.
func (p prospect) leastHigh() int32 {
	if b := p.bound.Bound; b != p.sum.Lowest || b == math.MaxInt32 {
		return b
	}
	return p.sum.Lowest + 1
}

// highSum returns the least sum of priorities of this many victims of a node, if one of them has at least
// priority top. The others have at least the node's lowest priority.
func highSum(sum *state.NodeSummary, top, victims int32) int64 {
	return int64(top) + rank.PriorityShift + int64(victims-1)*(int64(sum.Lowest)+rank.PriorityShift)
}
