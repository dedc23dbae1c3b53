package state

import "slices"

// Summaries has the summary and the other bounds of each slot, in blocks. Snapshots share a block until one
// of them writes it.
type Summaries struct {
	// smallest is a lower bound on what each node of the snapshot offers, by column. It does not rise when a
	// small node goes.
	smallest AmountRow
	blocks   []*summaryBlock
	owners   []*Owner // one for each block
	digests  *digests // nil before the first summary
	Large    int      // number of summaries with the flag LargeAmounts
}

// summaryBlock has the figures of the nodes of 64 slots. It holds no pointers, so that summaries are aligned
// to cache lines. The first upper levels of all nodes lie together, then the second: few nodes need any, and
// most of those need only the first.
type summaryBlock struct {
	summaries   [SummaryBlockSize]NodeSummary
	topSums     [SummaryBlockSize]topSums
	upperLevels [NumUpperLevels][SummaryBlockSize]Level
	whole       [SummaryBlockSize]Level // the highest level, which has all pods of a node
	extremes    [SummaryBlockSize]Extremes
	shareSums   [SummaryBlockSize]shareSums
	twoLowest   [SummaryBlockSize]TwoLowest
	// latest is LatestOf the node.
	latest [SummaryBlockSize]int64
	// members has a bit for each slot whose node the snapshot holds.
	members uint64
}

// AllOffer reports whether every node certainly offers at least these amounts. After a small node has gone,
// it may be false although they do.
func (ls *Summaries) AllOffer(asks *AmountRow) bool { return asks.within(&ls.smallest) }

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

// TwoLowestAt returns the TwoLowest of a slot for reading.
func (ls *Summaries) TwoLowestAt(slot int32) *TwoLowest {
	return &ls.blocks[uint32(slot)/SummaryBlockSize].twoLowest[uint32(slot)%SummaryBlockSize]
}

// LatestAt returns the latest start of the pods of a slot, in seconds; see LatestOf.
func (ls *Summaries) LatestAt(slot int32) int64 {
	return ls.blocks[uint32(slot)/SummaryBlockSize].latest[uint32(slot)%SummaryBlockSize]
}

// writable returns the block of a slot for writing. A block with another owner is copied first.
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

// share returns equal summaries for another snapshot. Neither side writes a block that it does not own, so
// that at least one of the two must get a new owner.
func (ls *Summaries) share() Summaries {
	c := *ls
	c.blocks, c.owners = slices.Clone(ls.blocks), slices.Clone(ls.owners)
	c.digests = ls.digests.share()
	return c
}

// setCovered updates the figures of a slot that depend on budgets. Digests do not depend on them.
func (ls *Summaries) setCovered(slot int32, n *NodeState, o *Owner) {
	block, i := ls.writable(slot, o), slot%SummaryBlockSize
	block.extremes[i] = ExtremesOf(n, &block.summaries[i])
	block.twoLowest[i] = TwoLowestOf(n)
}

// setNominated updates the flag HasNominated of a slot.
func (ls *Summaries) setNominated(slot int32, n *NodeState, o *Owner) {
	l := &ls.writable(slot, o).summaries[slot%SummaryBlockSize]
	ls.spoil(int(slot / SummaryBlockSize))
	if l.Flags &^= HasNominated; len(n.Nominated) > 0 {
		l.Flags |= HasNominated
	}
}

// Set replaces the summary of a slot, and updates the node's other figures in the block.
func (ls *Summaries) Set(slot int32, n *NodeState, summary NodeSummary, o *Owner) {
	block, i := ls.writable(slot, o), slot%SummaryBlockSize
	ls.spoil(int(slot / SummaryBlockSize))

	if block.members &^= 1 << i; n.Node != nil {
		block.members |= 1 << i
	}

	l := &block.summaries[i]
	was := *l
	*l = summary
	ls.Large += int(l.Flags&LargeAmounts)/int(LargeAmounts) - int(was.Flags&LargeAmounts)/int(LargeAmounts)

	// The top-k sums and the shares depend only on the pods of the lowest priority, which come last. If their
	// number is the same and the unchanged tail of the list (summed) includes them all, both stay valid. On a
	// node with large amounts there are none.
	if l.LowPods > 0 && l.LowPods == was.LowPods && n.summed >= int32(l.LowPods) && (l.Flags|was.Flags)&LargeAmounts == 0 {
		l.Shares = was.Shares
	} else {
		setTopSums(&block.topSums[i], n, l)
	}
	n.summed = int32(len(n.Rows))

	block.extremes[i] = ExtremesOf(n, l)
	block.shareSums[i] = ShareSumsOf(n, l, &block.extremes[i])
	block.twoLowest[i] = TwoLowestOf(n)
	block.latest[i] = LatestOf(n)

	block.whole[i] = Level{}
	if len(n.Levels) > 0 {
		block.whole[i] = n.Levels[len(n.Levels)-1]
	}
	for k := range block.upperLevels {
		block.upperLevels[k][i] = Level{}
		if k+1 < len(n.Levels) {
			block.upperLevels[k][i] = n.Levels[k+1]
		}
	}
}

// NumUpperLevels is the number of levels above the lowest that a block has for each node. Levels that a node
// lacks have no pods.
const NumUpperLevels = 3

// SummaryBlockSize is the number of slots in a block of summaries.
const SummaryBlockSize = 64
