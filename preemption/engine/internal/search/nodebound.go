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
	// exact is set once the top-k sums have tightened fewest.
	exact bool
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
	// Evaluated: the node is a candidate, and the cache has its score.
	Evaluated
)

// nodeAt is a node that a worker looks at: where it is, its summary and its bound.
type nodeAt struct {
	position int
	slot     int32
	sum      *state.NodeSummary
	b        *NodeBound
}

// setLowest sets the best score of victims that all have the lowest priority of the
// node or, if these do not make room, as little as is enough.
func (b *NodeBound) setLowest(o *NodeScore, position int) {
	o.Position, o.Figures = position, rank.Figures{Top: b.Bound, Start: rank.Never}
	b.setVictims(o)
}

// setVictims sets how many these victims are at least.
func (b *NodeBound) setVictims(o *NodeScore) {
	o.Victims, o.Sum = int32(b.fewest), lowestSum(b)
}

// leads returns a figure of the best score of such victims.
func (b *NodeBound) leads(x rank.Figure) int64 {
	f := rank.Figures{Top: b.Bound, Victims: int32(b.fewest), Sum: lowestSum(b)}
	return leads(&f, x)
}

// lowestSum is the least sum of the priorities of such victims.
func lowestSum(b *NodeBound) int64 { return int64(b.fewest) * (int64(b.Bound) + rank.PriorityShift) }

// above is the least priority of a victim above the lowest priority of the node.
func (b *NodeBound) above(sum *state.NodeSummary) int32 {
	if b.Bound == sum.Lowest && b.Bound < math.MaxInt32 {
		return b.Bound + 1
	}
	return b.Bound
}

// upperSum is the least sum of the priorities of so many pods of a node, one of which
// has at least the priority top.
func upperSum(sum *state.NodeSummary, top, pods int32) int64 {
	return int64(top) + rank.PriorityShift + int64(pods-1)*(int64(sum.Lowest)+rank.PriorityShift)
}
