package preemption

import (
	"math"
	"math/bits"

	"github.com/outrank-go/outrank"
)

// lane is what a decision looks at first on every node: what is free there, and
// what its least important pods hold. Lanes lie side by side in memory, one
// cache line each, and are all that is read of most nodes.
type lane struct {
	// free is what the node offers less what is taken, by column; it may be
	// below zero.
	free amountRow
	// low is what the pods of the lowest priority on the node hold together,
	// and lowPods how many they are; none on a node without pods.
	low amountRow
	// room is how many more pods there may be.
	room    int32
	lowPods int32
	// lowest is the lowest priority.
	lowest int32
	flags  laneFlags
}

// laneFlags say why a lane alone does not tell everything about its node; most
// nodes have none.
type laneFlags uint8

const (
	// closed: the node itself may keep pods away.
	closed laneFlags = 1 << iota
	// hasNominated: pods are nominated to the node.
	hasNominated
	// oddAmounts: sums are too large for plain arithmetic.
	oddAmounts
)

// tops says how much the pods of the lowest priority on a node hold at most:
// tops[k-1] is the sum of the k largest amounts among them, for each column by
// itself. No k of them hold more.
type tops [topRows]amountRow

const topRows = 8

// atMost is what any k pods of the lowest priority hold at most of a column.
func (t *tops) atMost(k int32, column int) int64 {
	switch {
	case k <= 0:
		return 0
	case k <= topRows:
		return t[k-1][column]
	}
	// Each of the others holds no more than the smallest of the largest.
	last := t[topRows-1][column]
	each := last - t[topRows-2][column]
	hi, more := bits.Mul64(uint64(each), uint64(k-topRows))
	if hi != 0 || more > math.MaxInt64/4 {
		return math.MaxInt64 / 2
	}
	return last + int64(more)
}

// laneOf works a node's lane out.
func laneOf(n *nodeState) lane {
	l := lane{room: int32(min(max(n.maxPods-int64(len(n.pods)), math.MinInt32), math.MaxInt32))}
	if !opens(n.node) {
		l.flags |= closed
	}
	if len(n.nominated) > 0 {
		l.flags |= hasNominated
	}
	for k := range standard {
		taken := n.taken.std[k].saturated()
		if taken > math.MaxInt64/4 || n.offers.std[k] > math.MaxInt64/4 {
			l.flags |= oddAmounts
		}
		l.free[k] = n.offers.std[k] - taken
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

// topsOf works out the tops that go with a lane.
func topsOf(n *nodeState, l *lane) (t tops) {
	if l.flags&oddAmounts != 0 {
		return t
	}
	for i := range n.rows[len(n.rows)-int(l.lowPods):] {
		row := &n.rows[len(n.rows)-1-i]
		for k, v := range row {
			t.insert(v, k)
		}
	}
	for i := 1; i < topRows; i++ {
		for k := range standard {
			t[i][k] += t[i-1][k]
		}
	}
	return t
}

// insert keeps the largest amounts of a column, the largest first.
func (t *tops) insert(v int64, column int) {
	for i := range t {
		if v <= t[i][column] {
			continue
		}
		v, t[i][column] = t[i][column], v
	}
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

// lanes are the lanes of all slots with their tops, in blocks that snapshots
// share until one of them writes.
type lanes struct {
	blocks []*laneBlock
	owners []*owner // of each block
}

const laneBlockSize = 64

// laneBlock holds no pointers, so that its lanes lie on cache lines.
type laneBlock struct {
	lanes [laneBlockSize]lane
	tops  [laneBlockSize]tops
}

// at gives the lane of a slot for reading.
func (ls *lanes) at(slot int32) *lane {
	return &ls.blocks[uint32(slot)/laneBlockSize].lanes[uint32(slot)%laneBlockSize]
}

// topsAt gives the tops of a slot for reading.
func (ls *lanes) topsAt(slot int32) *tops {
	return &ls.blocks[uint32(slot)/laneBlockSize].tops[uint32(slot)%laneBlockSize]
}

// set works out the lane of a slot anew.
func (ls *lanes) set(slot int32, n *nodeState, o *owner) {
	at := int(slot / laneBlockSize)
	for len(ls.blocks) <= at {
		ls.blocks, ls.owners = append(ls.blocks, &laneBlock{}), append(ls.owners, o)
	}
	if ls.owners[at] != o {
		own := *ls.blocks[at]
		ls.blocks[at], ls.owners[at] = &own, o
	}
	l := &ls.blocks[at].lanes[slot%laneBlockSize]
	*l = laneOf(n)
	ls.blocks[at].tops[slot%laneBlockSize] = topsOf(n, l)
}
