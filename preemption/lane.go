package preemption

import (
	"math"

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

// tops says how much so many pods of the lowest priority on a node hold at
// most: tops[k-1] is for k of them.
type tops [topRows]top

const topRows = 8

// top is the sum of the largest amounts, for each column by itself, and of the
// largest shares. A pod's share is what it holds of all that the pods of the
// lowest priority hold together, added up over the columns: pods that hold much
// of one column mostly hold little of another, and shares tell.
type top struct {
	held  amountRow
	share float64
}

// rounding is more than the error of any sum of shares.
const rounding = 1e-9

// fewest is a lower bound of how many pods of the lowest priority hold what the
// node is short of. All of them together do.
func (t *tops) fewest(l *lane, short *amountRow) int32 {
	share := 0.0
	for k, v := range short {
		if v > 0 {
			share += float64(v) / float64(l.low[k])
		}
	}
	share -= rounding
	for i := range t {
		s := &t[i]
		if s.share >= share && s.held[0] >= short[0] && s.held[1] >= short[1] && s.held[2] >= short[2] {
			return max(int32(i+1), 1-l.room)
		}
	}
	return max(t.beyond(l, short), 1-l.room)
}

// beyond is fewest where topRows pods do not hold enough. No pod that is not
// among them holds more than the last one of them.
func (t *tops) beyond(l *lane, short *amountRow) int32 {
	pods := int64(topRows)
	for k, v := range short {
		last := t[topRows-1].held[k]
		if each := last - t[topRows-2].held[k]; v > last && each > 0 {
			pods = max(pods, topRows+(v-last+each-1)/each)
		}
	}
	return int32(min(pods, int64(l.lowPods)))
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
		share := 0.0
		for k, v := range row {
			if v > 0 {
				share += float64(v) / float64(l.low[k])
			}
			t.insert(v, k)
		}
		t.insertShare(share)
	}
	for i := 1; i < topRows; i++ {
		for k := range standard {
			t[i].held[k] += t[i-1].held[k]
		}
		t[i].share += t[i-1].share
	}
	return t
}

// insert keeps the largest amounts of a column, the largest first.
func (t *tops) insert(v int64, column int) {
	for i := range t {
		if at := &t[i].held[column]; v > *at {
			v, *at = *at, v
		}
	}
}

func (t *tops) insertShare(v float64) {
	for i := range t {
		if at := &t[i].share; v > *at {
			v, *at = *at, v
		}
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
	odd    int      // lanes with odd amounts
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
	ls.odd -= int(l.flags&oddAmounts) / int(oddAmounts)
	*l = laneOf(n)
	ls.odd += int(l.flags&oddAmounts) / int(oddAmounts)
	ls.blocks[at].tops[slot%laneBlockSize] = topsOf(n, l)
}
