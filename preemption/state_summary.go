package preemption

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// nodeSummary is what a decision looks at first on every node: what is free there, and
// what its least important pods hold. Lanes lie side by side in memory, one
// cache line each, and are all that is read of most nodes.
type nodeSummary struct {
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
	flags summaryFlags
	// shares are the sums of the largest shares of so many pods of the lowest
	// priority, in whole parts of shareUnit; what is needed is rounded in the
	// same way, so that the order of the two stays. A pod's share is what it holds
	// of all that those pods hold together, added up over the columns: pods that
	// hold much of one column mostly hold little of another, and shares tell.
	shares [topK]uint8
}

const (
	// mostPods is how many pods there may be on a node whose nodeSummary can tell them.
	mostPods = 30000
	// shareUnit divides the number of columns, which no share exceeds.
	shareUnit = 255.0 / numColumns
)

// summaryFlags say why a nodeSummary alone does not tell everything about its node; most
// nodes have none.
type summaryFlags uint8

const (
	// restricted: the node itself may keep pods away.
	restricted summaryFlags = 1 << iota
	// hasNominated: pods are nominated to the node.
	hasNominated
	// largeAmounts: sums are too large for plain arithmetic, or pods too many.
	largeAmounts
)

// topSums says what so many pods of the lowest priority on a node come to at most:
// topSums[k-1] is for k of them.
type topSums [topK]topSum

const topK = 7

// topSum is the sum of the largest amounts, for each column by itself, and the
// latest that the earliest start of so many can be, in seconds; it means nothing
// where there are not as many.
type topSum struct {
	held  amountRow
	start int64
}

// rounding is more than the error of any sum of shares.
const rounding = 1e-9

// fewest is a lower bound of how many pods of the lowest priority hold what the
// node is short of. All of them together do. It looks at the nodeSummary alone, and has
// one division and no branch because it is asked of nearly every node.
func (l *nodeSummary) fewest(asks *amountRow) int32 {
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
	below := bits.TrailingZeros64((even&above)>>8|odd&above|1<<(8*topK)) / 8
	return max(int32(1+below), 1-int32(l.room))
}

// fewest is a better bound than that of the nodeSummary, from which it starts.
func (t *topSums) fewest(l *nodeSummary, short *amountRow, least int32) int32 {
	for k := least; k <= topK; k++ {
		if s := &t[k-1]; s.held[0] >= short[0] && s.held[1] >= short[1] && s.held[2] >= short[2] {
			return k
		}
	}
	return max(least, t.beyond(l, short))
}

// beyond is fewest where topK pods do not hold enough. No pod that is not
// among them holds more than the last one of them.
func (t *topSums) beyond(l *nodeSummary, short *amountRow) int32 {
	pods := int64(topK)
	for k, v := range short {
		last := t[topK-1].held[k]
		if each := last - t[topK-2].held[k]; v > last && each > 0 {
			pods = max(pods, topK+(v-last+each-1)/each)
		}
	}
	return int32(min(pods, int64(l.lowPods)))
}

// latestStart is the latest that the earliest start of so many pods of the
// lowest priority can be: they are in the order of their starts, a missing one
// counting as later than any, so it is that of the pod that has as many behind
// it, itself included.
func (t *topSums) latestStart(l *nodeSummary, pods int32) int64 {
	if pods > topK || pods > int32(l.lowPods) {
		return noStart
	}
	return t[pods-1].start
}

// summaryOf works a node's nodeSummary out, but for whether it is restricted.
func summaryOf(n *nodeState) nodeSummary {
	l := nodeSummary{room: int16(min(n.maxPods-int64(min(len(n.pods), mostPods)), mostPods))}
	if len(n.pods) > mostPods {
		l.flags |= largeAmounts
	}
	if len(n.nominated) > 0 {
		l.flags |= hasNominated
	}
	if claimsTooMuch(n.nominated) {
		l.flags |= largeAmounts
	}
	for k := range numColumns {
		taken := n.taken.std[k].saturated()
		if taken > math.MaxInt64/4 || n.offers.std[k] > math.MaxInt64/4 {
			l.flags |= largeAmounts
		}
		l.free[k] = n.offers.std[k] - taken
	}
	if len(n.pods) == 0 {
		return l
	}
	l.lowest = n.sortKeys[len(n.pods)-1].priority
	for i := len(n.pods) - 1; i >= 0 && n.sortKeys[i].priority == l.lowest; i-- {
		l.lowPods = uint16(min(len(n.pods)-i, mostPods))
		for k := range numColumns {
			l.low[k] += n.rows[i][k] // meaningless where amounts are odd
		}
	}
	return l
}

// claimsTooMuch reports whether what pending pods ask for is too large to be
// subtracted from what is free.
func claimsTooMuch(pods []*podState) bool {
	var claimed amountRow
	for _, p := range pods {
		for k, v := range p.takes.std {
			if v > math.MaxInt64/4-claimed[k] {
				return true
			}
			claimed[k] += v
		}
	}
	return false
}

// setTopSums works out the topSums that go with a nodeSummary, and the nodeSummary's shares.
func setTopSums(t *topSums, n *nodeState, l *nodeSummary) {
	*t = topSums{}
	if l.flags&largeAmounts != 0 || l.lowPods == 0 {
		return
	}
	var shares [topK]float64
	for i := range n.rows[len(n.rows)-int(l.lowPods):] {
		at := len(n.rows) - 1 - i
		t.insert(&n.rows[at])
		insertShare(&shares, shareOf(&n.rows[at], &l.low))
		if i < topK {
			t[i].start = n.sortKeys[at].sec
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
func (t *topSums) insert(row *amountRow) {
	for k, v := range row {
		for i := range t {
			if at := &t[i].held[k]; v > *at {
				v, *at = *at, v
			}
		}
	}
}

func insertShare(shares *[topK]float64, v float64) {
	for i := range shares {
		if at := &shares[i]; v > *at {
			v, *at = *at, v
		}
	}
}

// numSteps is how many priorities above the lowest a block tells, each with what
// its pods and those below hold together; they end with one of no pods.
const numUpperLevels = 3

// summaries are the summaries of all slots with their topSums and steps, in blocks that snapshots
// share until one of them writes.
type summaries struct {
	blocks []*summaryBlock
	owners []*owner // of each block
	large  int      // summaries with large amounts
}

const summaryBlockSize = 64

// summaryBlock holds no pointers, so that its summaries lie on cache lines. Few nodes are
// asked for a step, and then mostly for the first: those lie together.
type summaryBlock struct {
	summaries   [summaryBlockSize]nodeSummary
	topSums     [summaryBlockSize]topSums
	upperLevels [numUpperLevels][summaryBlockSize]level
}

// at gives the nodeSummary of a slot for reading.
func (ls *summaries) at(slot int32) *nodeSummary {
	return &ls.blocks[uint32(slot)/summaryBlockSize].summaries[uint32(slot)%summaryBlockSize]
}

// topSumsAt gives the topSums of a slot for reading.
func (ls *summaries) topSumsAt(slot int32) *topSums {
	return &ls.blocks[uint32(slot)/summaryBlockSize].topSums[uint32(slot)%summaryBlockSize]
}

// set replaces the nodeSummary of a slot, and works out what goes with it.
func (ls *summaries) set(slot int32, n *nodeState, with nodeSummary, o *owner) {
	at := int(slot / summaryBlockSize)
	for len(ls.blocks) <= at {
		ls.blocks, ls.owners = append(ls.blocks, &summaryBlock{}), append(ls.owners, o)
	}
	if ls.owners[at] != o {
		own := *ls.blocks[at]
		ls.blocks[at], ls.owners[at] = &own, o
	}
	l := &ls.blocks[at].summaries[slot%summaryBlockSize]
	ls.large -= int(l.flags&largeAmounts) / int(largeAmounts)
	*l = with
	ls.large += int(l.flags&largeAmounts) / int(largeAmounts)
	block, i := ls.blocks[at], slot%summaryBlockSize
	setTopSums(&block.topSums[i], n, l)
	for k := range block.upperLevels {
		block.upperLevels[k][i] = level{}
		if k+1 < len(n.levels) {
			block.upperLevels[k][i] = n.levels[k+1]
		}
	}
}
