package preemption

import (
	"math"

	"github.com/outrank-go/outrank"
)

// lane is what a decision looks at first on every node: what is free there, and
// what its least important pods hold. Lanes lie side by side in memory and are
// all that is read of most nodes.
type lane struct {
	// free is what the node offers less what is taken, by column; it may be
	// below zero. offers is what the empty node has.
	free, offers amountRow
	// low is what the pods of the lowest priority on the node hold together,
	// and lowPods how many they are.
	low     amountRow
	lowPods int32
	// lowest is that priority.
	lowest int32
	// room is how many more pods there may be.
	room int32
	// pods is how many there are.
	pods  int32
	flags laneFlags
}

type laneFlags uint8

const (
	// plainNode: nothing about the node itself keeps any pod away.
	plainNode laneFlags = 1 << iota
	// hasNominated: pods are nominated to the node.
	hasNominated
	// oddAmounts: sums are too large for plain arithmetic.
	oddAmounts
)

// laneOf works a node's lane out.
func laneOf(n *nodeState) lane {
	l := lane{offers: n.offers.std, pods: int32(len(n.pods))}
	if opens(n.node) {
		l.flags |= plainNode
	}
	if len(n.nominated) > 0 {
		l.flags |= hasNominated
	}
	l.room = int32(min(max(n.maxPods-int64(len(n.pods)), math.MinInt32), math.MaxInt32))
	for k := range standard {
		taken := n.taken.std[k].saturated()
		if taken > math.MaxInt64/4 || l.offers[k] > math.MaxInt64/4 {
			l.flags |= oddAmounts
		}
		l.free[k] = l.offers[k] - taken
	}
	if len(n.pods) == 0 {
		return l
	}
	l.lowest = n.ranks[len(n.pods)-1].priority
	for i := len(n.pods) - 1; i >= 0 && n.ranks[i].priority == l.lowest; i-- {
		l.lowPods++
		for k := range standard {
			l.low[k] += n.rows[i][k] // meaningless where amounts are odd
		}
	}
	return l
}

// opens reports whether a node lets in every pod that does not choose.
func opens(n *outrank.Node) bool {
	if n == nil || n.Unschedulable {
		return false
	}
	for _, t := range n.Taints {
		if t.Effect == outrank.NoSchedule || t.Effect == outrank.NoExecute {
			return false
		}
	}
	return true
}

// lanes are the lanes of all slots, in blocks that snapshots share until one of
// them writes.
type lanes []*laneBlock

const laneBlockSize = 64

type laneBlock struct {
	owner *owner
	lanes [laneBlockSize]lane
}

// at gives the lane of a slot for reading.
func (ls lanes) at(slot int32) *lane {
	return &ls[slot/laneBlockSize].lanes[slot%laneBlockSize]
}

// set writes the lane of a slot.
func (ls *lanes) set(slot int32, l lane, o *owner) {
	block := int(slot / laneBlockSize)
	for len(*ls) <= block {
		*ls = append(*ls, &laneBlock{owner: o})
	}
	if (*ls)[block].owner != o {
		own := *(*ls)[block]
		own.owner = o
		(*ls)[block] = &own
	}
	(*ls)[block].lanes[slot%laneBlockSize] = l
}
