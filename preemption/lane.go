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
	// lowest is the lowest priority.
	lowest  int32
	lowPods uint16
	// room is how many more pods there may be, or mostPods.
	room  int16
	flags laneFlags
	// shares are those of the tops, in whole parts of shareUnit. What is needed
	// is rounded in the same way, so that the order of the two stays.
	shares [topRows]uint8
}

const (
	// mostPods is how many pods there may be on a node whose lane can tell them.
	mostPods = 30000
	// shareUnit divides the number of columns, which no share exceeds.
	shareUnit = 255.0 / numColumns
)

// laneFlags say why a lane alone does not tell everything about its node; most
// nodes have none.
type laneFlags uint8

const (
	// closed: the node itself may keep pods away.
	closed laneFlags = 1 << iota
	// hasNominated: pods are nominated to the node.
	hasNominated
	// oddAmounts: sums are too large for plain arithmetic, or pods too many.
	oddAmounts
)

// tops says how much so many pods of the lowest priority on a node hold at
// most: of[k-1] is for k of them.
type tops struct {
	// weight is what a unit of a column counts in shares.
	weight [numColumns]float64
	_      float64 // so that what is read together lies in one cache line
	of     [topRows]top
}

const topRows = 7

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
// node is short of. All of them together do. It looks at the lane alone, and is
// written out and without branches because it is asked of nearly every node.
func (l *lane) fewest(asks *amountRow) int32 {
	share := float64(max(0, asks[0]-l.free[0]))/float64(max(1, l.low[0])) +
		float64(max(0, asks[1]-l.free[1]))/float64(max(1, l.low[1])) +
		float64(max(0, asks[2]-l.free[2]))/float64(max(1, l.low[2]))
	least := uint8(int64((share - rounding) * shareUnit))
	pods := int32(1)
	for _, s := range l.shares {
		if s < least {
			pods++
		}
	}
	return max(pods, 1-int32(l.room))
}

// fewest is a better bound than that of the lane.
func (t *tops) fewest(l *lane, short *amountRow) int32 {
	share := t.share(short) - rounding
	for i := range t.of {
		s := &t.of[i]
		if s.share >= share && s.held[0] >= short[0] && s.held[1] >= short[1] && s.held[2] >= short[2] {
			return max(int32(i+1), 1-int32(l.room))
		}
	}
	return max(t.beyond(l, short), 1-int32(l.room))
}

func (t *tops) share(amounts *amountRow) float64 {
	return float64(amounts[0])*t.weight[0] + float64(amounts[1])*t.weight[1] + float64(amounts[2])*t.weight[2]
}

// beyond is fewest where topRows pods do not hold enough. No pod that is not
// among them holds more than the last one of them.
func (t *tops) beyond(l *lane, short *amountRow) int32 {
	pods := int64(topRows)
	for k, v := range short {
		last := t.of[topRows-1].held[k]
		if each := last - t.of[topRows-2].held[k]; v > last && each > 0 {
			pods = max(pods, topRows+(v-last+each-1)/each)
		}
	}
	return int32(min(pods, int64(l.lowPods)))
}

// laneOf works a node's lane out.
func laneOf(n *nodeState) lane {
	l := lane{room: int16(min(n.maxPods-int64(min(len(n.pods), mostPods)), mostPods))}
	if len(n.pods) > mostPods {
		l.flags |= oddAmounts
	}
	if !opens(n.node) {
		l.flags |= closed
	}
	if len(n.nominated) > 0 {
		l.flags |= hasNominated
	}
	for k := range numColumns {
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
		l.lowPods = uint16(min(len(n.pods)-i, mostPods))
		for k := range numColumns {
			l.low[k] += n.rows[i][k] // meaningless where amounts are odd
		}
	}
	return l
}

// topsOf works out the tops that go with a lane.
func topsOf(n *nodeState, l *lane) (t tops) {
	if l.flags&oddAmounts != 0 || l.lowPods == 0 {
		return t
	}
	for k, v := range l.low {
		if v > 0 {
			t.weight[k] = 1 / float64(v)
		}
	}
	for i := range n.rows[len(n.rows)-int(l.lowPods):] {
		t.insert(&n.rows[len(n.rows)-1-i])
	}
	for i := 1; i < topRows; i++ {
		for k := range numColumns {
			t.of[i].held[k] += t.of[i-1].held[k]
		}
		t.of[i].share += t.of[i-1].share
	}
	return t
}

// insert keeps the largest amounts of each column, and the largest shares, the
// largest first.
func (t *tops) insert(row *amountRow) {
	share := t.share(row)
	for k, v := range row {
		for i := range t.of {
			if at := &t.of[i].held[k]; v > *at {
				v, *at = *at, v
			}
		}
	}
	for i := range t.of {
		if at := &t.of[i].share; share > *at {
			share, *at = *at, share
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
	t := &ls.blocks[at].tops[slot%laneBlockSize]
	*t = topsOf(n, l)
	for i := range l.shares {
		l.shares[i] = uint8(int64(min(255, (t.of[i].share+rounding)*shareUnit)))
	}
}
