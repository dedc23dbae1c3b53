package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// NodeBound is what the first round finds out about a node.
type NodeBound struct {
	// Bound is the lowest priority that the top victim can have, and fewest the
	// least number of victims if the top victim has it.
	Bound  int32
	fewest uint16
	Kind   boundKind
	// tightened is set once fewest is as large as any bound makes it.
	tightened bool
	// before is the node's answer as things are. after is its answer with all
	// pods of lower priority removed, if it was asked for that.
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
	// byFilters: the node is a candidate, and other filters have a part in the
	// choice.
	byFilters
	// unasked: the node is a candidate as far as resources go, and no filter after
	// NodeResourcesFit was asked.
	unasked
	// bySelection: the node is a candidate, and beside resources the caller's filters
	// that say which pods concern them have a part in the choice.
	bySelection
	// byColumns: the node is a candidate, and beside resources columns of other filters have a
	// part in the choice.
	byColumns
	// byUnits: the node is a candidate, and pods count with another priority than their
	// own, or filters look at pods of other nodes that leave as well. Its bound is the
	// lowest priority on the node, and fewest holds for pods of any priority.
	byUnits
	// Evaluated: the node is a candidate, and its score is known: the cache has it in the node's
	// entry, and where candidates are asked for in order the queue has it.
	Evaluated
)

// prospect is a node that a worker looks at: where it is, its summary and its bound.
type prospect struct {
	position int
	slot     int32
	sum      *state.NodeSummary
	bound    *NodeBound
}

// Victims of a node are of one of two sorts. They are low if all of them have the lowest priority of the
// node, and high if one of them is above it. The methods below say how good each sort can be.

// setLow sets the best score that low victims can have, but for their start and cost. If low victims do not
// make room, it sets the best score of any victims whose top priority is the bound.
func (b *NodeBound) setLow(o *NodeScore, position int) {
	o.Position = position
	o.Figures = rank.Figures{Top: b.Bound, Start: rank.Never}
	b.setLowVictims(o)
}

// setLowVictims sets how many the victims of setLow are at least, and the sum that follows.
func (b *NodeBound) setLowVictims(o *NodeScore) {
	o.Victims = int32(b.fewest)
	o.Sum = b.lowSum()
}

// lowFigure returns one figure of setLow.
func (b *NodeBound) lowFigure(x rank.Figure) int64 {
	f := rank.Figures{Top: b.Bound, Victims: int32(b.fewest), Sum: b.lowSum()}
	return figureOrUnknown(&f, x)
}

// lowSum is the least sum of the priorities of the victims of setLow.
func (b *NodeBound) lowSum() int64 { return int64(b.fewest) * (int64(b.Bound) + rank.PriorityShift) }

// mayBeLow reports whether low victims may make room.
func (p prospect) mayBeLow() bool { return p.bound.Bound == p.sum.Lowest }

// leastHigh is the least priority that the top one of high victims can have: the bound, which holds for any
// victims, or more than the lowest priority of the node.
func (p prospect) leastHigh() int32 {
	if b := p.bound.Bound; b != p.sum.Lowest || b == math.MaxInt32 {
		return b
	}
	return p.sum.Lowest + 1
}

// highSum is the least sum of the priorities of so many victims of a node, one of which has at least the
// priority top. The others have at least the lowest one of the node.
func highSum(sum *state.NodeSummary, top, victims int32) int64 {
	return int64(top) + rank.PriorityShift + int64(victims-1)*(int64(sum.Lowest)+rank.PriorityShift)
}
