package preemption

import (
	"encoding/binary"
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
	// lowest is the lowest priority.
	lowest  int32
	lowPods uint16
	// room is how many more pods there may be, or mostPods.
	room  int16
	flags laneFlags
	// shares are the sums of the largest shares of so many pods of the lowest
	// priority, in whole parts of shareUnit; what is needed is rounded in the
	// same way, so that the order of the two stays. A pod's share is what it holds
	// of all that those pods hold together, added up over the columns: pods that
	// hold much of one column mostly hold little of another, and shares tell.
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
	// oddAmounts: sums are too large for plain arithmetic, those of nominated
	// pods included, or pods too many.
	oddAmounts
)

// tops says what so many pods of the lowest priority on a node come to at most:
// tops[k-1] is for k of them.
type tops [topRows]top

const topRows = 7

// top is the sum of the largest amounts, for each column by itself, and the
// latest that the earliest start of so many can be, in seconds; it means nothing
// where there are not as many.
type top struct {
	held  amountRow
	start int64
}

// rounding is more than the error of any sum of shares.
const rounding = 1e-9

// fewest is a lower bound of how many pods of the lowest priority hold what the
// node is short of. All of them together do. It looks at the lane alone, and has
// one division and no branch because it is asked of nearly every node.
func (l *lane) fewest(asks *amountRow) int32 {
	// Each column's share is what is short of what is held; the three are brought
	// to one denominator.
	short0, held0 := float64(max(0, asks[0]-l.free[0])), float64(max(1, l.low[0]))
	short1, held1 := float64(max(0, asks[1]-l.free[1])), float64(max(1, l.low[1]))
	short2, held2 := float64(max(0, asks[2]-l.free[2])), float64(max(1, l.low[2]))
	held01 := held0 * held1
	share := ((short0*held1+short1*held0)*held2 + short2*held01) / (held01 * held2)
	least := uint64(int64((share - rounding) * shareUnit)) // 0 to 255

	// The shares do not fall, so that as many are below as come before the first
	// that is not. All are compared at once, every second byte in a word: a bit
	// above each stays where the byte is not below.
	const (
		bytes = 0x00ff00ff00ff00ff
		ones  = 0x0001000100010001
		above = 0x0100010001000100
	)
	all := uint64(binary.LittleEndian.Uint32(l.shares[0:])) |
		uint64(binary.LittleEndian.Uint16(l.shares[4:]))<<32 | uint64(l.shares[6])<<48
	even := (all&bytes | above) - least*ones
	odd := (all>>8&bytes | above) - least*ones
	below := bits.TrailingZeros64((even&above)>>8|odd&above|1<<(8*topRows)) / 8
	return max(int32(1+below), 1-int32(l.room))
}

// fewest is a better bound than that of the lane, from which it starts.
func (t *tops) fewest(l *lane, short *amountRow, least int32) int32 {
	for k := least; k <= topRows; k++ {
		if s := &t[k-1]; s.held[0] >= short[0] && s.held[1] >= short[1] && s.held[2] >= short[2] {
			return k
		}
	}
	return max(least, t.beyond(l, short))
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

// latestStart is the latest that the earliest start of so many pods of the
// lowest priority can be: they are in the order of their starts, a missing one
// counting as later than any, so it is that of the pod that has as many behind
// it, itself included.
func (t *tops) latestStart(l *lane, pods int32) int64 {
	if pods > topRows || pods > int32(l.lowPods) {
		return noStart
	}
	return t[pods-1].start
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
	claimed := n.claimed()
	for k := range numColumns {
		taken := n.taken.std[k].saturated()
		if taken > math.MaxInt64/4 || n.offers.std[k] > math.MaxInt64/4 || claimed[k].saturated() > math.MaxInt64/4 {
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

// claimed is what the pods nominated to the node would take together.
func (n *nodeState) claimed() (sum [numColumns]total) {
	for _, p := range n.nominated {
		for k, v := range p.takes.std {
			sum[k].add(v)
		}
	}
	return sum
}

// setTops works out the tops that go with a lane, and the lane's shares.
func setTops(t *tops, n *nodeState, l *lane) {
	*t = tops{}
	if l.flags&oddAmounts != 0 || l.lowPods == 0 {
		return
	}
	var shares [topRows]float64
	for i := range n.rows[len(n.rows)-int(l.lowPods):] {
		at := len(n.rows) - 1 - i
		t.insert(&n.rows[at])
		insertShare(&shares, shareOf(&n.rows[at], &l.low))
		if i < topRows {
			t[i].start = n.ranks[at].sec
		}
	}
	for i := range t {
		if i > 0 {
			shares[i] += shares[i-1]
			for k := range numColumns {
				t[i].held[k] += t[i-1].held[k]
			}
		}
		l.shares[i] = uint8(int64(min(255, (shares[i]+rounding)*shareUnit)))
	}
}

func shareOf(row, of *amountRow) float64 {
	share := 0.0
	for k, v := range row {
		share += float64(v) / float64(max(1, of[k]))
	}
	return share
}

// insert keeps the largest amounts of each column, the largest first.
func (t *tops) insert(row *amountRow) {
	for k, v := range row {
		for i := range t {
			if at := &t[i].held[k]; v > *at {
				v, *at = *at, v
			}
		}
	}
}

func insertShare(shares *[topRows]float64, v float64) {
	for i := range shares {
		if at := &shares[i]; v > *at {
			v, *at = *at, v
		}
	}
}

// numSteps is how many priorities above the lowest a block tells, each with what
// its pods and those below hold together; they end with one of no pods.
const numSteps = 3

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

// lanes are the lanes of all slots with their tops and steps, in blocks that snapshots
// share until one of them writes.
type lanes struct {
	blocks []*laneBlock
	owners []*owner // of each block
	odd    int      // lanes with odd amounts
}

const laneBlockSize = 64

// laneBlock holds no pointers, so that its lanes lie on cache lines. Few nodes are
// asked for a step, and then mostly for the first: those lie together.
type laneBlock struct {
	lanes [laneBlockSize]lane
	tops  [laneBlockSize]tops
	steps [numSteps][laneBlockSize]level
}

// at gives the lane of a slot for reading.
func (ls *lanes) at(slot int32) *lane {
	return &ls.blocks[uint32(slot)/laneBlockSize].lanes[uint32(slot)%laneBlockSize]
}

// topsAt gives the tops of a slot for reading.
func (ls *lanes) topsAt(slot int32) *tops {
	return &ls.blocks[uint32(slot)/laneBlockSize].tops[uint32(slot)%laneBlockSize]
}

// levelAbove gives the level that is so many steps above the lowest, nil for
// none.
func (s *Snapshot) levelAbove(slot int32, i int) *level {
	if i > numSteps {
		if n := s.nodes[slot]; i < len(n.levels) {
			return &n.levels[i]
		}
		return nil
	}
	above := &s.lanes.blocks[uint32(slot)/laneBlockSize].steps[i-1][uint32(slot)%laneBlockSize]
	if above.pods == 0 {
		return nil
	}
	return above
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
	block, i := ls.blocks[at], slot%laneBlockSize
	setTops(&block.tops[i], n, l)
	for k := range block.steps {
		block.steps[k][i] = level{}
		if k+1 < len(n.levels) {
			block.steps[k][i] = n.levels[k+1]
		}
	}
}
