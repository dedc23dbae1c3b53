package preemption

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// nodeSummary is what a decision looks at first on every node: what is free,
// and what the least important pods hold. Summaries lie side by side in memory,
// one cache line each. They are all that is read of most nodes.
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
	// shares[k-1] is the largest sum of shares that k pods of the lowest
	// priority can have, in whole parts of shareUnit, rounded down. A pod's
	// share is what it holds of all that those pods hold together, added up
	// over the columns. Adding up helps because pods that hold much of one
	// column often hold little of another.
	shares [topK]uint8
}

const (
	// mostPods is the largest number of pods on a node that a summary can
	// express.
	mostPods = 30000
	// shareUnit scales shares to a byte. No sum of shares exceeds the number of
	// columns.
	shareUnit = 255.0 / numColumns
)

// summaryFlags say why a summary alone does not tell everything about its node.
// Most nodes have no flag. The last two are set only where victims are units.
type summaryFlags uint8

const (
	// restricted: the node itself may keep pods away.
	restricted summaryFlags = 1 << iota
	// hasNominated: pods are nominated to the node.
	hasNominated
	// largeAmounts: sums are too large for plain arithmetic, those of nominated
	// pods included, or pods too many.
	largeAmounts
	// hasUnits: pods of the node name groups, so that they may leave with others.
	hasUnits
	// otherPriorities: some of these count as victims with another priority than their
	// own.
	otherPriorities

	anyUnits = hasUnits | otherPriorities
)

// topSums bounds what pods of the lowest priority on a node can hold:
// topSums[k-1] is for k of them.
type topSums [topK]topSum

const topK = 7

// topSum has, for each column by itself, the sum of the k largest amounts, and
// the latest that the earliest start of k pods can be, in seconds. It means
// nothing where there are fewer than k pods.
type topSum struct {
	held  amountRow
	start int64
}

// rounding is larger than the error of any sum of shares.
const rounding = 1e-9

// fewest returns a lower bound on how many pods of the lowest priority hold
// what the node is short of. All of them together do hold it. The bound is
// computed from the summary alone, with one division and no branch, because it
// is needed for nearly every node.
func (l *nodeSummary) fewest(asks *amountRow) int32 {
	// The share of a column is what is short divided by what is held. The three
	// are brought to one denominator.
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

// fewest returns a better bound than nodeSummary.fewest, which is passed as
// least.
func (t *topSums) fewest(l *nodeSummary, short *amountRow, least int32) int32 {
	for k := least; k <= topK; k++ {
		if s := &t[k-1]; s.held[0] >= short[0] && s.held[1] >= short[1] && s.held[2] >= short[2] {
			return k
		}
	}
	return max(least, t.beyond(l, short))
}

// beyond is fewest where topK pods do not hold enough. No further pod holds
// more than the topK-th largest amount.
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

// latestStart returns the latest that the earliest start of so many pods of the
// lowest priority can be. The pods are sorted by start, and a missing start
// comes last. The first of any k pods has k-1 of them behind it, so it comes no
// later than the k-th pod from the end, whose start is the bound.
func (t *topSums) latestStart(l *nodeSummary, pods int32) int64 {
	if pods > topK || pods > int32(l.lowPods) {
		return rank.NoStart
	}
	return t[pods-1].start
}

// summaryOf computes the summary of a node, without the flag restricted.
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
			l.low[k] += n.rows[i][k] // meaningless with largeAmounts
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

// setTopSums computes the top-k sums of a node, and the shares in its summary.
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

// numUpperLevels is how many levels above the lowest a block holds. A level
// without pods ends them.
const numUpperLevels = 3

// summaries are the summaries of all slots, with their top-k sums and upper
// levels, in blocks. Snapshots share a block until one of them writes it.
type summaries struct {
	blocks []*summaryBlock
	owners []*owner // of each block
	large  int      // summaries with large amounts
}

const summaryBlockSize = 64

// summaryBlock holds no pointers, so that its summaries lie on cache lines. The
// first upper level of all nodes lies together, then the second: few nodes need
// any, and most of those need only the first.
type summaryBlock struct {
	summaries   [summaryBlockSize]nodeSummary
	topSums     [summaryBlockSize]topSums
	upperLevels [numUpperLevels][summaryBlockSize]level
	extremes    [summaryBlockSize]extremes
	shareSums   [summaryBlockSize]shareSums
	twoLowest   [summaryBlockSize]twoLowest
	// latest is the latest start of any pod, in seconds; NoStart if one has none.
	latest [summaryBlockSize]int64
}

// at returns the summary of a slot for reading.
func (ls *summaries) at(slot int32) *nodeSummary {
	return &ls.blocks[uint32(slot)/summaryBlockSize].summaries[uint32(slot)%summaryBlockSize]
}

// topSumsAt returns the top-k sums of a slot for reading.
func (ls *summaries) topSumsAt(slot int32) *topSums {
	return &ls.blocks[uint32(slot)/summaryBlockSize].topSums[uint32(slot)%summaryBlockSize]
}

// extremesAt returns the extremes of a slot for reading.
func (ls *summaries) extremesAt(slot int32) *extremes {
	return &ls.blocks[uint32(slot)/summaryBlockSize].extremes[uint32(slot)%summaryBlockSize]
}

// shareSumsAt returns the sums of shares of a slot for reading.
func (ls *summaries) shareSumsAt(slot int32) *shareSums {
	return &ls.blocks[uint32(slot)/summaryBlockSize].shareSums[uint32(slot)%summaryBlockSize]
}

// twoLowestAt returns what is known of the pods of the two lowest priorities of a slot.
func (ls *summaries) twoLowestAt(slot int32) *twoLowest {
	return &ls.blocks[uint32(slot)/summaryBlockSize].twoLowest[uint32(slot)%summaryBlockSize]
}

// latestAt returns the latest start of any pod of a slot.
func (ls *summaries) latestAt(slot int32) int64 {
	return ls.blocks[uint32(slot)/summaryBlockSize].latest[uint32(slot)%summaryBlockSize]
}

// writable returns the block of a slot for writing.
func (ls *summaries) writable(slot int32, o *owner) *summaryBlock {
	at := int(slot / summaryBlockSize)
	for len(ls.blocks) <= at {
		ls.blocks, ls.owners = append(ls.blocks, &summaryBlock{}), append(ls.owners, o)
	}
	if ls.owners[at] != o {
		own := *ls.blocks[at]
		ls.blocks[at], ls.owners[at] = &own, o
	}
	return ls.blocks[at]
}

// setCovered computes anew what depends on budgets.
func (ls *summaries) setCovered(slot int32, n *nodeState, o *owner) {
	block, i := ls.writable(slot, o), slot%summaryBlockSize
	block.extremes[i] = extremesOf(n, &block.summaries[i])
	block.twoLowest[i] = twoLowestOf(n)
}

// set replaces the summary of a slot, and computes its top-k sums and upper
// levels.
func (ls *summaries) set(slot int32, n *nodeState, with nodeSummary, o *owner) {
	block, i := ls.writable(slot, o), slot%summaryBlockSize
	l := &block.summaries[i]
	ls.large -= int(l.flags&largeAmounts) / int(largeAmounts)
	*l = with
	ls.large += int(l.flags&largeAmounts) / int(largeAmounts)
	setTopSums(&block.topSums[i], n, l)
	block.extremes[i] = extremesOf(n, l)
	block.shareSums[i] = shareSumsOf(n, l, &block.extremes[i])
	block.twoLowest[i] = twoLowestOf(n)
	block.latest[i] = latestOf(n)
	for k := range block.upperLevels {
		block.upperLevels[k][i] = level{}
		if k+1 < len(n.levels) {
			block.upperLevels[k][i] = n.levels[k+1]
		}
	}
}
