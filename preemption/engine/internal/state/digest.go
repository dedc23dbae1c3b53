package state

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Digest has ranges that cover the figures in the summaries of a block, so that a search can judge up to 64
// nodes at once. What holds for all nodes of a block holds for any subset of them.
type Digest struct {
	owner *Owner
	// Members has a bit for each slot of the block whose node the snapshot holds.
	Members uint64
	// Restricted has the bits of the members that may turn away even a pod without demands.
	Restricted uint64
	// Apart has the bits of the members that the ranges below leave out: nodes with large amounts, with
	// nominated pods, or with pods that count with other priorities than their own.
	Apart uint64
	// free is the range of the amounts that are free on a node, and room the range of the number of pods that
	// it can still take.
	free rowRange
	room numberRange
	// levels has the same ranges once some pods of a node are gone: first those of its lowest priority, then
	// those of its two lowest, and so on. In the last level all pods are gone. A node with fewer priorities
	// counts as empty in the levels that it lacks.
	levels [NumUpperLevels + 2]levelRange
	// best bounds from above what the nodes have whose lowest priority is the lowest of the block.
	best bestNode
}

// levelRange has ranges for nodes with some pods gone: what is free, the room for pods, and the highest
// priority of the gone pods. A node with no pod gone is left out of the last.
type levelRange struct {
	free     rowRange
	room     numberRange
	priority numberRange
}

// bestNode is a node that no real one exceeds in anything: it has the maximum over some nodes of each free
// amount, of the room for pods, and of each of the top-k sums.
type bestNode struct {
	free AmountRow
	room int32
	sums topSums
}

// rowRange has the least and the most of each column.
type rowRange struct{ least, most AmountRow }

// numberRange has the least and the most of a number.
type numberRange struct{ least, most int32 }

// noRows and noNumbers are empty ranges, which any value widens.
var (
	noRows    = rowRange{AmountRow{math.MaxInt64, math.MaxInt64, math.MaxInt64}, AmountRow{math.MinInt64, math.MinInt64, math.MinInt64}}
	noNumbers = numberRange{math.MaxInt32, math.MinInt32}
)

// add widens the range to include a row. The columns are written out, because this is most of the work of
// making a digest.
func (r *rowRange) add(row *AmountRow) {
	r.least[0], r.most[0] = min(r.least[0], row[0]), max(r.most[0], row[0])
	r.least[1], r.most[1] = min(r.least[1], row[1]), max(r.most[1], row[1])
	r.least[2], r.most[2] = min(r.least[2], row[2]), max(r.most[2], row[2])
}

// cover widens the range to include another range.
func (r *rowRange) cover(other *rowRange) {
	for k := range other.least {
		r.least[k], r.most[k] = min(r.least[k], other.least[k]), max(r.most[k], other.most[k])
	}
}

func (r *numberRange) cover(other *numberRange) {
	r.least, r.most = min(r.least, other.least), max(r.most, other.most)
}

func (r *numberRange) add(v int32) { r.least, r.most = min(r.least, v), max(r.most, v) }

// covers reports whether free is enough in each column and room for at least one pod is left.
func covers(free, asks *AmountRow, room int32) bool { return asks.within(free) && room >= 1 }

// Answers judges all nodes at once. same reports whether they all have the same answer; if not, the other
// results are meaningless.
//
// short says what each node lacks with all pods on it: a bit for each column that is short, and the next bit
// for the number of pods. If it is not 0, the answer depends on the pods below a priority. small says that no
// node is large enough even without pods. nobody says that each node is large enough, but none has pods below
// the priority. If neither is set, each node has room once these pods are gone.
func (d *Digest) Answers(asks *AmountRow, below int64) (short int, small, nobody, same bool) {
	if short, same = d.short(asks); !same || short == 0 {
		return short, false, false, same
	}
	small, nobody = d.hopeless(asks, below)
	return short, small, nobody, small || nobody || d.helps(asks, below)
}

// short returns what the nodes lack (see Answers), and whether that is the same for all of them.
func (d *Digest) short(asks *AmountRow) (short int, same bool) {
	same = (d.room.least < 1) == (d.room.most < 1)

	// A column for which the largest free amount is too small is short on all nodes. One for which the
	// smallest is enough is short on none. In between the nodes may differ.
	for k, v := range asks {
		if v > d.free.most[k] {
			short |= 1 << k
		} else {
			same = same && v <= d.free.least[k]
		}
	}

	if d.room.most < 1 {
		short |= 1 << NumColumns
	}
	return short, same
}

// helps reports whether each node certainly has room once its pods below a priority are gone. It looks for a
// level whose pods are all below the priority on every node and without which even the smallest free amounts
// are enough. Removing the other pods below the priority only adds room.
func (d *Digest) helps(asks *AmountRow, below int64) bool {
	for i := range d.levels {
		if l := &d.levels[i]; int64(l.priority.most) < below && covers(&l.free.least, asks, l.room.least) {
			return true
		}
	}
	return false
}

// hopeless reports why no node gets room by losing its pods below a priority: no node is large enough
// (small), or each is, but none has such pods (nobody).
func (d *Digest) hopeless(asks *AmountRow, below int64) (small, nobody bool) {
	empty := &d.levels[len(d.levels)-1].free
	nobody = int64(d.levels[0].priority.least) >= below
	for k, v := range asks {
		small = small || v > empty.most[k]
		nobody = nobody && v <= empty.least[k]
	}
	return small, nobody
}

// Least bounds the best candidate among the nodes by the first ranks. No candidate has a top victim of lower
// priority than top. A candidate whose top victim has this priority has at least fewest victims. If it has
// exactly that number, all of that priority, the earliest of them started no later than start, in seconds.
func (d *Digest) Least(asks *AmountRow) (top, fewest int32, start int64) {
	// Take the first level at which even the largest free amounts and room are enough. By removing less than
	// that level, no node makes room. So the top victim of any candidate is of this level on its node, or of
	// a higher one.
	i := 0
	for i < len(d.levels)-1 && !covers(&d.levels[i].free.most, asks, d.levels[i].room.most) {
		i++
	}
	top = d.levels[i].priority.least
	if i > 0 {
		return top, 1, rank.NoStart
	}

	// A candidate whose top victim has the lowest priority of the block is on a node that best bounds. So k
	// victims hold no more than best's sums for k pods.
	best := &d.best
	fewest = max(1, 1-best.room)
	for fewest <= TopK && !best.mayHold(fewest, asks) {
		fewest++
	}
	return top, fewest, best.latestStart(fewest)
}

// latestStart returns an upper bound, over all nodes, on the earliest start of any group of this many pods of
// the lowest priority, in seconds. Above TopK pods nothing is known.
func (b *bestNode) latestStart(pods int32) int64 {
	if pods > TopK {
		return rank.NoStart
	}
	return b.sums[pods-1].start
}

// mayHold reports whether this many pods of the lowest priority may hold what is asked for beyond what is
// free.
func (b *bestNode) mayHold(pods int32, asks *AmountRow) bool {
	held := &b.sums[pods-1].held
	for k, v := range asks {
		if v > b.free[k] && v-b.free[k] > held[k] {
			return false
		}
	}
	return true
}

// clear makes b the bound of no nodes. The free amounts are then so small that nothing is enough, but not so
// small that subtracting them overflows.
func (b *bestNode) clear() {
	*b = bestNode{room: math.MinInt32}
	for k := range b.free {
		b.free[k] = math.MinInt64 / 2
	}
	for k := range b.sums {
		b.sums[k].start = math.MinInt64
	}
}

// add raises the maxima to include one more node.
func (b *bestNode) add(l *NodeSummary, sums *topSums) {
	b.room = max(b.room, int32(l.Room))
	for c, v := range l.Free {
		b.free[c] = max(b.free[c], v)
	}

	for k := range sums {
		most, sum := &b.sums[k], &sums[k]
		most.held[0] = max(most.held[0], sum.held[0])
		most.held[1] = max(most.held[1], sum.held[1])
		most.held[2] = max(most.held[2], sum.held[2])
		// The k-th start is meaningless if the node has fewer than k+1 pods of the lowest priority.
		if k < int(l.LowPods) {
			most.start = max(most.start, sum.start)
		}
	}
}

// clear makes d the digest of no nodes.
func (d *Digest) clear() {
	*d = Digest{owner: d.owner, free: noRows, room: noNumbers}
	for i := range d.levels {
		d.levels[i] = levelRange{noRows, noNumbers, noNumbers}
	}
}

// cover widens the ranges to include those of another digest. It leaves out Members and best, which make
// sense only for a single block.
func (d *Digest) cover(other *Digest) {
	d.Restricted |= other.Restricted
	d.Apart |= other.Apart
	d.free.cover(&other.free)
	d.room.cover(&other.room)
	for i := range d.levels {
		d.levels[i].free.cover(&other.levels[i].free)
		d.levels[i].room.cover(&other.levels[i].room)
		d.levels[i].priority.cover(&other.levels[i].priority)
	}
}

// make computes the digest of a block.
func (d *Digest) make(block *summaryBlock) {
	d.clear()
	d.Members = block.members
	for left := d.Members; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		l := &block.summaries[i]
		if l.Flags&Restricted != 0 {
			d.Restricted |= 1 << i
		}
		if l.Flags&(LargeAmounts|HasNominated|OtherPriorities) != 0 {
			d.Apart |= 1 << i
			continue
		}

		d.free.add(&l.Free)
		d.room.add(int32(l.Room))
		d.addLevels(block, i)
	}

	// Only now is the lowest priority of the block known.
	d.findBest(block)
}

// addLevels widens the ranges of the levels to include the node at index i.
func (d *Digest) addLevels(block *summaryBlock, i int) {
	l, whole := &block.summaries[i], &block.whole[i]
	d.levels[0].add(l, &Level{l.Low, l.Lowest, int32(l.LowPods)})
	for k := range block.upperLevels {
		if away := &block.upperLevels[k][i]; away.Pods > 0 {
			d.levels[k+1].add(l, away)
		} else { // the node has fewer priorities
			d.levels[k+1].add(l, whole)
		}
	}
	d.levels[len(d.levels)-1].add(l, whole)
}

// add widens the ranges to include a node with the pods of away gone.
func (r *levelRange) add(l *NodeSummary, away *Level) {
	r.free.add(&AmountRow{l.Free[0] + away.Held[0], l.Free[1] + away.Held[1], l.Free[2] + away.Held[2]})
	r.room.add(int32(l.Room) + away.Pods)
	if away.Pods > 0 {
		r.priority.add(away.Priority)
	}
}

// findBest computes best, the bound on the nodes that have pods of the block's lowest priority.
func (d *Digest) findBest(block *summaryBlock) {
	d.best.clear()
	lowest := d.levels[0].priority.least
	for left := d.Members &^ d.Apart; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		// Other nodes have no pods of the block's lowest priority.
		if l := &block.summaries[i]; l.LowPods > 0 && l.Lowest == lowest {
			d.best.add(l, &block.topSums[i])
		}
	}
}

// digests has the digests of the blocks of a snapshot. A change makes the digest of its block stale, and the
// next search that asks for digests makes it anew.
type digests struct {
	// mu guards all fields against concurrent searches. Changes run alone.
	mu      sync.Mutex
	byBlock []*Digest
	stale   []bool // by block
	// fresh is set if no digest is stale.
	fresh bool
	// whole is the digest of all nodes, nil before it is first made. Its ranges are valid but may be wider
	// than necessary. A bit of Restricted or Apart is set if it is set in any block. It has no Members and no
	// best.
	whole *Digest
	// covered is the number of digests that whole has been widened by, including those from which it was last
	// made. A block counts each time.
	covered int
	// sieves has the sieves of the blocks. It is empty until a sieve is first asked for.
	sieves []keptSieve
}

// keptSieve is the sieve of a block. sieve is nil until it is first asked for; fresh is unset if the block
// has changed since it was made.
type keptSieve struct {
	sieve *Sieve
	fresh bool
}

// upToDate returns the digests of all blocks and the digest of all nodes, after it has made the stale ones
// anew. The error is that of the context.
func (ls *Summaries) upToDate(ctx context.Context, o *Owner) (byBlock []*Digest, whole *Digest, err error) {
	x := ls.digests
	if x == nil {
		return nil, nil, nil // there have been no nodes yet
	}

	// The first search makes all digests, and those that run at the same time wait for it.
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.refresh(ctx, ls.blocks, o); err != nil {
		return nil, nil, err
	}
	return x.byBlock, x.whole, nil
}

// sieve returns the sieve of a block. It is up to date if the digest of the block is.
func (ls *Summaries) sieve(block int, o *Owner) *Sieve {
	x := ls.digests
	x.mu.Lock()
	defer x.mu.Unlock()

	at := x.sieveOf(block)
	if !at.fresh {
		if at.sieve == nil || at.sieve.owner != o {
			at.sieve = &Sieve{owner: o}
		}
		at.sieve.make(ls.blocks[block], x.byBlock[block])
		at.fresh = true
	}
	return at.sieve
}

// digestsPerLook is how many digests, each of the nodes of a block, are made between two looks at the context.
const digestsPerLook = 8

// refresh makes the stale digests anew. If the context ends, it returns the context's error, and the rest
// stay stale.
func (x *digests) refresh(ctx context.Context, blocks []*summaryBlock, o *Owner) error {
	if x.fresh {
		return nil
	}

	made := 0
	for i := range x.byBlock {
		if !x.stale[i] {
			continue
		}
		if made++; made%digestsPerLook == 0 && ctx.Err() != nil {
			return ctx.Err()
		}

		if x.byBlock[i] == nil || x.byBlock[i].owner != o {
			x.byBlock[i] = &Digest{owner: o}
		}
		x.byBlock[i].make(blocks[i])
		x.stale[i] = false
		x.cover(x.byBlock[i], o)
	}

	// Widening leaves whole looser than it could be. Making it anew takes as many steps as there are blocks,
	// and is done after that many widenings.
	if x.covered > 2*len(x.byBlock) {
		x.coverAll()
	}
	x.fresh = true
	return nil
}

// sieveOf returns the entry for a block's sieve, which may still be empty.
func (x *digests) sieveOf(block int) *keptSieve {
	if len(x.sieves) < len(x.byBlock) {
		x.sieves = append(x.sieves, make([]keptSieve, len(x.byBlock)-len(x.sieves))...)
	}
	return &x.sieves[block]
}

// cover widens the digest of all nodes to include a block as it is now. What it includes of the block's
// earlier state stays, because a range cannot be narrowed without a look at all blocks.
func (x *digests) cover(d *Digest, o *Owner) {
	switch {
	case x.whole == nil:
		x.whole = &Digest{owner: o}
		x.whole.clear()
	case x.whole.owner != o: // it belongs to the snapshot that this one was made from
		own := *x.whole
		own.owner = o
		x.whole = &own
	}
	x.whole.cover(d)
	x.covered++
}

// coverAll makes the digest of all nodes anew, from those of the blocks as they are now.
func (x *digests) coverAll() {
	x.whole.clear()
	for _, d := range x.byBlock {
		x.whole.cover(d)
	}
	x.covered = len(x.byBlock)
}

// spoil marks the digest and the sieve of a block as out of date: the block has changed, or is new.
func (ls *Summaries) spoil(block int) {
	if ls.digests == nil {
		ls.digests = &digests{}
	}
	x := ls.digests
	for len(x.byBlock) <= block {
		x.byBlock, x.stale = append(x.byBlock, nil), append(x.stale, true)
	}

	x.stale[block], x.fresh = true, false
	if block < len(x.sieves) {
		x.sieves[block].fresh = false
	}
}

// share returns the digests for another snapshot with the same blocks. Searches may run on this snapshot
// meanwhile, as when a scratch is made, and they write stale digests in place. So the two share only what is
// not stale.
func (x *digests) share() *digests {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()

	c := &digests{
		byBlock: slices.Clone(x.byBlock), stale: slices.Clone(x.stale), fresh: x.fresh,
		whole: x.whole, covered: x.covered, sieves: slices.Clone(x.sieves),
	}

	for i, stale := range c.stale {
		if stale {
			c.byBlock[i] = nil
		}
	}
	for i := range c.sieves {
		if !c.sieves[i].fresh {
			c.sieves[i].sieve = nil
		}
	}

	// A stale digest of all nodes is still needed, because blocks that are not stale will not widen it again.
	// It is copied, since it will be written.
	if c.whole != nil && !c.fresh {
		whole := *c.whole
		c.whole = &whole
	}
	return c
}
