package state

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Digest bounds what the summaries of a block say, so that a search can judge up to 64 nodes at
// once. A range that holds for the nodes that a digest was made from holds for any part of them.
type Digest struct {
	owner *Owner
	// Members has a bit for each slot of the block whose node the snapshot holds.
	Members uint64
	// Restricted has the bits of the members that may keep pods away by themselves.
	Restricted uint64
	// Apart has the bits of the members that the ranges below say nothing about. These nodes have
	// large amounts, nominated pods, or pods that count with other priorities than their own.
	Apart uint64
	// free bounds what is free on a node, and room how many more pods it may have.
	free rowRange
	room numberRange
	// levels bound what a node has without some of its pods: the first without those of its lowest
	// priority, the next without those of its two lowest, and so on. The last one is without any
	// pods. A node with fewer priorities counts as one without any pods in the levels that it lacks.
	levels [NumUpperLevels + 2]levelRange
	// best bounds the nodes whose lowest priority is the lowest of the block.
	best bestNode
}

// levelRange bounds what nodes have without some of their pods, and the highest priority of the
// pods that are away. A node on which no pod is away has no part in the priorities.
type levelRange struct {
	free     rowRange
	room     numberRange
	priority numberRange
}

// bestNode has the most of everything that any of some nodes has: what is free, how many more pods
// there may be, and the top-k sums.
type bestNode struct {
	free AmountRow
	room int32
	sums topSums
}

// rowRange has the least and the most of each column.
type rowRange struct{ least, most AmountRow }

// numberRange has the least and the most of a number.
type numberRange struct{ least, most int32 }

// noRows and noNumbers are the ranges of nothing, which any value widens.
var (
	noRows    = rowRange{AmountRow{math.MaxInt64, math.MaxInt64, math.MaxInt64}, AmountRow{math.MinInt64, math.MinInt64, math.MinInt64}}
	noNumbers = numberRange{math.MaxInt32, math.MinInt32}
)

// add widens the range by a row. The columns are written out, since it is most of the work of
// a digest.
func (r *rowRange) add(row *AmountRow) {
	r.least[0], r.most[0] = min(r.least[0], row[0]), max(r.most[0], row[0])
	r.least[1], r.most[1] = min(r.least[1], row[1]), max(r.most[1], row[1])
	r.least[2], r.most[2] = min(r.least[2], row[2]), max(r.most[2], row[2])
}

// cover widens the range by another one.
func (r *rowRange) cover(other *rowRange) {
	for k := range other.least {
		r.least[k], r.most[k] = min(r.least[k], other.least[k]), max(r.most[k], other.most[k])
	}
}

func (r *numberRange) cover(other *numberRange) {
	r.least, r.most = min(r.least, other.least), max(r.most, other.most)
}

func (r *numberRange) add(v int32) { r.least, r.most = min(r.least, v), max(r.most, v) }

// covers reports whether what is free is enough in each column, and there is room for one more pod.
func covers(free, asks *AmountRow, room int32) bool { return asks.within(free) && room >= 1 }

// Answers judges all nodes at once. same reports whether they have one answer in common; the other
// results mean nothing if they have not.
//
// short is what each node lacks as things are: a bit for each column, and one behind these for the
// number of pods. If a node lacks something, it matters what it has without its pods below a
// priority. small says that no node is large enough, whoever leaves. nobody says that each node is
// large enough, but none has pods below the priority. If neither is so, each node has room without
// these pods.
func (d *Digest) Answers(asks *AmountRow, below int64) (short int, small, nobody, same bool) {
	if short, same = d.short(asks); !same || short == 0 {
		return short, false, false, same
	}
	small, nobody = d.hopeless(asks, below)
	return short, small, nobody, small || nobody || d.helps(asks, below)
}

// short returns what the nodes lack, and whether it is the same for all of them.
func (d *Digest) short(asks *AmountRow) (short int, same bool) {
	same = (d.room.least < 1) == (d.room.most < 1)

	// All nodes lack what even the most that is free is not enough for, and none lacks what the
	// least is enough for. Between the two they differ, as far as the range tells.
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

// helps reports that each node has room without its pods below a priority. It looks for a level
// whose pods are all below that priority on every node, and without which the least that is free is
// enough. Without all pods below the priority there is no less room.
func (d *Digest) helps(asks *AmountRow, below int64) bool {
	for i := range d.levels {
		if l := &d.levels[i]; int64(l.priority.most) < below && covers(&l.free.least, asks, l.room.least) {
			return true
		}
	}
	return false
}

// hopeless reports why no node that is short has room without its pods below a priority: no node
// is large enough (small), or each is, but none has such pods (nobody).
func (d *Digest) hopeless(asks *AmountRow, below int64) (small, nobody bool) {
	empty := &d.levels[len(d.levels)-1].free
	nobody = int64(d.levels[0].priority.least) >= below
	for k, v := range asks {
		small = small || v > empty.most[k]
		nobody = nobody && v <= empty.least[k]
	}
	return small, nobody
}

// Least bounds the best candidate among the nodes by the first ranks. No candidate has a top victim
// of a lower priority than top. One whose top victim has this priority has at least fewest victims.
// If it has exactly so many, all of that priority, the first of them started no later than start,
// in seconds.
func (d *Digest) Least(asks *AmountRow) (top, fewest int32, start int64) {
	// Below the first level that suffices with the most of everything, no node makes room. So the
	// top victim of any candidate is of this level on its node, or of one above.
	i := 0
	for i < len(d.levels)-1 && !covers(&d.levels[i].free.most, asks, d.levels[i].room.most) {
		i++
	}
	top = d.levels[i].priority.least
	if i > 0 {
		return top, 1, rank.NoStart
	}

	// A candidate whose top victim has the lowest priority of the block is on a node that best
	// bounds. So its victims hold no more than the largest sums of as many pods do.
	best := &d.best
	fewest = max(1, 1-best.room)
	for fewest <= TopK && !best.mayHold(fewest, asks) {
		fewest++
	}
	return top, fewest, best.latestStart(fewest)
}

// latestStart returns the latest that the first of so many pods of the lowest priority can have
// started on any of the nodes, in seconds. It is that of topSums, which know it up to TopK pods.
func (b *bestNode) latestStart(pods int32) int64 {
	if pods > TopK {
		return rank.NoStart
	}
	return b.sums[pods-1].start
}

// mayHold reports whether so many pods of the lowest priority may hold what is asked for beyond
// what is free.
func (b *bestNode) mayHold(pods int32, asks *AmountRow) bool {
	held := &b.sums[pods-1].held
	for k, v := range asks {
		if v > b.free[k] && v-b.free[k] > held[k] {
			return false
		}
	}
	return true
}

// clear makes it the bound of no nodes. What is free is so little then that nothing is enough, but
// can still be subtracted from any amount without overflow.
func (b *bestNode) clear() {
	*b = bestNode{room: math.MinInt32}
	for k := range b.free {
		b.free[k] = math.MinInt64 / 2
	}
	for k := range b.sums {
		b.sums[k].start = math.MinInt64
	}
}

// add makes it a bound of one more node.
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
		// A start means nothing where the node has fewer than k+1 pods of the lowest priority.
		if k < int(l.LowPods) {
			most.start = max(most.start, sum.start)
		}
	}
}

// clear makes the digest one of no nodes.
func (d *Digest) clear() {
	*d = Digest{owner: d.owner, free: noRows, room: noNumbers}
	for i := range d.levels {
		d.levels[i] = levelRange{noRows, noNumbers, noNumbers}
	}
}

// cover widens the ranges by those of another digest. It leaves out what holds for a single block:
// the members and the best node.
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

// make works out the digest of a block.
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

// addLevels widens the ranges of the levels by a node.
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

// add widens the ranges by a node without some of its pods.
func (r *levelRange) add(l *NodeSummary, away *Level) {
	r.free.add(&AmountRow{l.Free[0] + away.Held[0], l.Free[1] + away.Held[1], l.Free[2] + away.Held[2]})
	r.room.add(int32(l.Room) + away.Pods)
	if away.Pods > 0 {
		r.priority.add(away.Priority)
	}
}

// findBest bounds the nodes with the lowest priority of the block.
func (d *Digest) findBest(block *summaryBlock) {
	d.best.clear()
	lowest := d.levels[0].priority.least
	for left := d.Members &^ d.Apart; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		// No victim on another node has the lowest priority of the block.
		if l := &block.summaries[i]; l.LowPods > 0 && l.Lowest == lowest {
			d.best.add(l, &block.topSums[i])
		}
	}
}

// digests are those of the blocks of a snapshot. A change makes the digest of its block stale, and
// the next search that asks for digests makes it anew.
type digests struct {
	// mu guards all of this while searches ask. Changes run alone.
	mu      sync.Mutex
	byBlock []*Digest
	stale   []bool // by block
	// fresh says that no digest is stale.
	fresh bool
	// whole is a digest for the nodes of all blocks, nil before the first one is made. Its ranges
	// hold, but may be wider than they need be. A bit of Restricted or Apart is set if it is set in
	// any block. It has no Members and no best.
	whole *Digest
	// covered counts the digests that whole was widened by since it was made anew. Earlier ones of
	// the same block count, too.
	covered int
	// sieves are those of the blocks. The list is empty before one is asked for.
	sieves []keptSieve
}

// keptSieve is the sieve of a block, nil before it is asked for, and not fresh if the block has
// changed since the sieve was made.
type keptSieve struct {
	sieve *Sieve
	fresh bool
}

// upToDate returns the digests of all blocks and that of all nodes, after making those that are
// stale. The error is that of the context.
func (ls *Summaries) upToDate(ctx context.Context, o *Owner) (byBlock []*Digest, whole *Digest, err error) {
	x := ls.digests
	if x == nil {
		return nil, nil, nil // there was no node yet
	}

	// Searches that run at once wait for the first, which makes all digests.
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.refresh(ctx, ls.blocks, o); err != nil {
		return nil, nil, err
	}
	return x.byBlock, x.whole, nil
}

// sieve returns the sieve of a block, up to date if the digest of the block is.
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

// refresh makes the digests that are stale. If the context ends it returns the context's error, and
// those that are left stay stale.
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

	// The digest of all nodes is made anew once as many digests have widened it as there are blocks,
	// which is what that costs.
	if x.covered > 2*len(x.byBlock) {
		x.coverAll()
	}
	x.fresh = true
	return nil
}

// sieveOf returns the place of the sieve of a block, which may have none yet.
func (x *digests) sieveOf(block int) *keptSieve {
	if len(x.sieves) < len(x.byBlock) {
		x.sieves = append(x.sieves, make([]keptSieve, len(x.byBlock)-len(x.sieves))...)
	}
	return &x.sieves[block]
}

// cover widens the digest of all nodes by a block as it is now. What it held of the block before
// stays in it: a range does not tell who made it as wide as it is.
func (x *digests) cover(d *Digest, o *Owner) {
	switch {
	case x.whole == nil:
		x.whole = &Digest{owner: o}
		x.whole.clear()
	case x.whole.owner != o: // it is that of the snapshot that this one was made from
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

// spoil notes that a block has changed, or is new.
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

// share returns the digests for another snapshot with the same blocks. A scratch is made while
// searches run on this snapshot, which make digests in place. So the two share only what no search
// writes any more: what is not stale.
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

	// The digest of all nodes is needed as it is, since blocks that are not stale do not widen it again.
	if c.whole != nil && !c.fresh {
		whole := *c.whole
		c.whole = &whole
	}
	return c
}
