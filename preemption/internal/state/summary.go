package state

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// NodeSummary is what a decision looks at first on every node: what is free,
// and what the least important pods hold. Summaries lie side by side in memory,
// one cache line each. They are all that is read of most nodes.
type NodeSummary struct {
	// Free is what the node offers less what is taken, by column; it may be
	// below zero.
	Free AmountRow
	// Low is what the pods of the lowest priority on the node hold together,
	// and LowPods how many they are; none on a node without pods.
	Low AmountRow
	// Lowest is the lowest priority.
	Lowest  int32
	LowPods uint16
	// Room is how many more pods there may be, or MostPods.
	Room  int16
	Flags SummaryFlags
	// Shares[k-1] is the largest sum of shares that k pods of the lowest
	// priority can have, in whole parts of ShareUnit, rounded down. A pod's
	// share is what it holds of all that those pods hold together, added up
	// over the columns. Adding up helps because pods that hold much of one
	// column often hold little of another.
	Shares [TopK]uint8
}

const (
	// MostPods is the largest number of pods on a node that a summary can
	// express.
	MostPods = 30000
	// ShareUnit scales shares to a byte. No sum of shares exceeds the number of
	// columns.
	ShareUnit = 255.0 / NumColumns
)

// SummaryFlags say why a summary alone does not tell everything about its node.
// Most nodes have no flag. The last two are set only where victims are units.
type SummaryFlags uint8

const (
	// Restricted: the node itself may keep pods away.
	Restricted SummaryFlags = 1 << iota
	// HasNominated: pods are nominated to the node.
	HasNominated
	// LargeAmounts: sums are too large for plain arithmetic, those of nominated
	// pods included, or pods too many.
	LargeAmounts
	// HasUnits: pods of the node name groups, so that they may leave with others.
	HasUnits
	// OtherPriorities: some of these count as victims with another priority than their
	// own.
	OtherPriorities

	// AnyUnits: any of the two.
	AnyUnits = HasUnits | OtherPriorities
)

// topSums bounds what pods of the lowest priority on a node can hold:
// topSums[k-1] is for k of them.
type topSums [TopK]topSum

// TopK is how many of the largest amounts are known.
const TopK = 7

// topSum has, for each column by itself, the sum of the k largest amounts, and
// the latest that the earliest start of k pods can be, in seconds. It means
// nothing where there are fewer than k pods.
type topSum struct {
	held  AmountRow
	start int64
}

// Rounding is larger than the error of any sum of shares.
const Rounding = 1e-9

// Fewest returns a lower bound on how many pods of the lowest priority hold
// what the node is short of. All of them together do hold it. The bound is
// computed from the summary alone, with one division and no branch, because it
// is needed for nearly every node.
func (l *NodeSummary) Fewest(asks *AmountRow) int32 {
	// The share of a column is what is short divided by what is held. The three
	// are brought to one denominator.
	short0, held0 := float64(max(0, asks[0]-l.Free[0])), float64(max(1, l.Low[0]))
	short1, held1 := float64(max(0, asks[1]-l.Free[1])), float64(max(1, l.Low[1]))
	short2, held2 := float64(max(0, asks[2]-l.Free[2])), float64(max(1, l.Low[2]))
	held01 := held0 * held1
	share := ((short0*held1+short1*held0)*held2 + short2*held01) / (held01 * held2)
	least := uint64(int64((share - Rounding) * ShareUnit)) // 0 to 255

	// The shares do not fall, so that as many are below as come before the first
	// that is not. All are compared at once, every second byte in a word: a bit
	// above each stays where the byte is not below.
	const (
		bytes = 0x00ff00ff00ff00ff
		ones  = 0x0001000100010001
		above = 0x0100010001000100
	)
	all := uint64(binary.LittleEndian.Uint32(l.Shares[0:])) |
		uint64(binary.LittleEndian.Uint16(l.Shares[4:]))<<32 | uint64(l.Shares[6])<<48
	even := (all&bytes | above) - least*ones
	odd := (all>>8&bytes | above) - least*ones
	below := bits.TrailingZeros64((even&above)>>8|odd&above|1<<(8*TopK)) / 8
	return max(int32(1+below), 1-int32(l.Room))
}

// Fewest returns a better bound than NodeSummary.fewest, which is passed as
// least.
func (t *topSums) Fewest(l *NodeSummary, short *AmountRow, least int32) int32 {
	for k := least; k <= TopK; k++ {
		if s := &t[k-1]; s.held[0] >= short[0] && s.held[1] >= short[1] && s.held[2] >= short[2] {
			return k
		}
	}
	return max(least, t.beyond(l, short))
}

// beyond is fewest where TopK pods do not hold enough. No further pod holds
// more than the TopK-th largest amount.
func (t *topSums) beyond(l *NodeSummary, short *AmountRow) int32 {
	pods := int64(TopK)
	for k, v := range short {
		last := t[TopK-1].held[k]
		if each := last - t[TopK-2].held[k]; v > last && each > 0 {
			pods = max(pods, TopK+(v-last+each-1)/each)
		}
	}
	return int32(min(pods, int64(l.LowPods)))
}

// LatestStart returns the latest that the earliest start of so many pods of the
// lowest priority can be. The pods are sorted by start, and a missing start
// comes last. The first of any k pods has k-1 of them behind it, so it comes no
// later than the k-th pod from the end, whose start is the bound.
func (t *topSums) LatestStart(l *NodeSummary, pods int32) int64 {
	if pods > TopK || pods > int32(l.LowPods) {
		return rank.NoStart
	}
	return t[pods-1].start
}

// SummaryOf computes the summary of a node, without the flag restricted.
func SummaryOf(n *NodeState) NodeSummary {
	l := NodeSummary{Room: int16(min(n.MaxPods-int64(min(len(n.Pods), MostPods)), MostPods))}
	if len(n.Pods) > MostPods {
		l.Flags |= LargeAmounts
	}
	if len(n.Nominated) > 0 {
		l.Flags |= HasNominated
	}
	if claimsTooMuch(n.Nominated) {
		l.Flags |= LargeAmounts
	}
	for k := range NumColumns {
		taken := n.Taken.Std[k].Saturated()
		if taken > math.MaxInt64/4 || n.Offers.Std[k] > math.MaxInt64/4 {
			l.Flags |= LargeAmounts
		}
		l.Free[k] = n.Offers.Std[k] - taken
	}
	if len(n.Pods) == 0 {
		return l
	}
	l.Lowest = n.SortKeys[len(n.Pods)-1].Priority
	for i := len(n.Pods) - 1; i >= 0 && n.SortKeys[i].Priority == l.Lowest; i-- {
		l.LowPods = uint16(min(len(n.Pods)-i, MostPods))
		for k := range NumColumns {
			l.Low[k] += n.Rows[i][k] // meaningless with LargeAmounts
		}
	}
	return l
}

// claimsTooMuch reports whether what pending pods ask for is too large to be
// subtracted from what is free.
func claimsTooMuch(pods []*PodState) bool {
	var claimed AmountRow
	for _, p := range pods {
		for k, v := range p.Takes.Std {
			if v > math.MaxInt64/4-claimed[k] {
				return true
			}
			claimed[k] += v
		}
	}
	return false
}

// setTopSums computes the top-k sums of a node, and the shares in its summary.
func setTopSums(t *topSums, n *NodeState, l *NodeSummary) {
	*t = topSums{}
	if l.Flags&LargeAmounts != 0 || l.LowPods == 0 {
		return
	}
	var shares [TopK]float64
	for i := range n.Rows[len(n.Rows)-int(l.LowPods):] {
		at := len(n.Rows) - 1 - i
		t.insert(&n.Rows[at])
		insertShare(&shares, shareOf(&n.Rows[at], &l.Low))
		if i < TopK {
			t[i].start = n.SortKeys[at].Sec
		}
	}
	for i := range t {
		if i > 0 {
			shares[i] += shares[i-1]
			for k := range NumColumns {
				t[i].held[k] += t[i-1].held[k]
			}
		}
		l.Shares[i] = uint8(int64(min(255, (shares[i]+Rounding)*ShareUnit)))
	}
}

func shareOf(row, of *AmountRow) float64 {
	share := 0.0
	for k, v := range row {
		share += float64(v) / float64(max(1, of[k]))
	}
	return share
}

// insert keeps the largest amounts of each column, the largest first.
func (t *topSums) insert(row *AmountRow) {
	for k, v := range row {
		for i := range t {
			if at := &t[i].held[k]; v > *at {
				v, *at = *at, v
			}
		}
	}
}

func insertShare(shares *[TopK]float64, v float64) {
	for i := range shares {
		if at := &shares[i]; v > *at {
			v, *at = *at, v
		}
	}
}

// NumUpperLevels is how many levels above the lowest a block holds. A level
// without pods ends them.
const NumUpperLevels = 3

// Summaries are the summaries of all slots, with their top-k sums and upper
// levels, in blocks. Snapshots share a block until one of them writes it.
type Summaries struct {
	blocks []*summaryBlock
	owners []*Owner // of each block
	Large  int      // summaries with large amounts
}

// SummaryBlockSize is how many slots a block of summaries has.
const SummaryBlockSize = 64

// summaryBlock holds no pointers, so that its summaries lie on cache lines. The
// first upper level of all nodes lies together, then the second: few nodes need
// any, and most of those need only the first.
type summaryBlock struct {
	summaries   [SummaryBlockSize]NodeSummary
	topSums     [SummaryBlockSize]topSums
	upperLevels [NumUpperLevels][SummaryBlockSize]Level
	extremes    [SummaryBlockSize]Extremes
	shareSums   [SummaryBlockSize]shareSums
	twoLowest   [SummaryBlockSize]TwoLowest
	// latest is the latest start of any pod, in seconds; NoStart if one has none.
	latest [SummaryBlockSize]int64
}

// At returns the summary of a slot for reading.
func (ls *Summaries) At(slot int32) *NodeSummary {
	return &ls.blocks[uint32(slot)/SummaryBlockSize].summaries[uint32(slot)%SummaryBlockSize]
}

// TopSumsAt returns the top-k sums of a slot for reading.
func (ls *Summaries) TopSumsAt(slot int32) *topSums {
	return &ls.blocks[uint32(slot)/SummaryBlockSize].topSums[uint32(slot)%SummaryBlockSize]
}

// ExtremesAt returns the extremes of a slot for reading.
func (ls *Summaries) ExtremesAt(slot int32) *Extremes {
	return &ls.blocks[uint32(slot)/SummaryBlockSize].extremes[uint32(slot)%SummaryBlockSize]
}

// ShareSumsAt returns the sums of shares of a slot for reading.
func (ls *Summaries) ShareSumsAt(slot int32) *shareSums {
	return &ls.blocks[uint32(slot)/SummaryBlockSize].shareSums[uint32(slot)%SummaryBlockSize]
}

// TwoLowestAt returns what is known of the pods of the two lowest priorities of a slot.
func (ls *Summaries) TwoLowestAt(slot int32) *TwoLowest {
	return &ls.blocks[uint32(slot)/SummaryBlockSize].twoLowest[uint32(slot)%SummaryBlockSize]
}

// LatestAt returns the latest start of any pod of a slot.
func (ls *Summaries) LatestAt(slot int32) int64 {
	return ls.blocks[uint32(slot)/SummaryBlockSize].latest[uint32(slot)%SummaryBlockSize]
}

// writable returns the block of a slot for writing.
func (ls *Summaries) writable(slot int32, o *Owner) *summaryBlock {
	at := int(slot / SummaryBlockSize)
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
func (ls *Summaries) setCovered(slot int32, n *NodeState, o *Owner) {
	block, i := ls.writable(slot, o), slot%SummaryBlockSize
	block.extremes[i] = ExtremesOf(n, &block.summaries[i])
	block.twoLowest[i] = TwoLowestOf(n)
}

// Set replaces the summary of a slot, and computes its top-k sums and upper
// levels.
func (ls *Summaries) Set(slot int32, n *NodeState, with NodeSummary, o *Owner) {
	block, i := ls.writable(slot, o), slot%SummaryBlockSize
	l := &block.summaries[i]
	ls.Large -= int(l.Flags&LargeAmounts) / int(LargeAmounts)
	*l = with
	ls.Large += int(l.Flags&LargeAmounts) / int(LargeAmounts)
	setTopSums(&block.topSums[i], n, l)
	block.extremes[i] = ExtremesOf(n, l)
	block.shareSums[i] = ShareSumsOf(n, l, &block.extremes[i])
	block.twoLowest[i] = TwoLowestOf(n)
	block.latest[i] = LatestOf(n)
	for k := range block.upperLevels {
		block.upperLevels[k][i] = Level{}
		if k+1 < len(n.Levels) {
			block.upperLevels[k][i] = n.Levels[k+1]
		}
	}
}
