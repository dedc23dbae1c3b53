package state

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Digest bounds what the summaries of a block say, so that a search can judge up to 64 nodes
// at once. Each range holds for any part of the nodes that it was made from, too: for the
// members that are not Apart.
type Digest struct {
	owner *Owner
	// Members has a bit for each slot of the block whose node the snapshot holds. Those that
	// are Restricted may keep pods away by themselves. No range says anything of those Apart:
	// they have large amounts, nominated pods, or pods that count with other priorities.
	Members, Restricted, Apart uint64
	// free bounds what is free, and room how many more pods there may be.
	free rowRange
	room numberRange
	// levels bound what there is without the pods of the lowest priority, of the two lowest,
	// and so on. The last one is without any pods. A node with fewer priorities counts in
	// those above with all of its pods gone.
	levels [NumUpperLevels + 2]levelRange
	// best bounds the nodes whose lowest priority is the lowest of the block: the most that
	// one has free, and the largest sums.
	best struct {
		free AmountRow
		room int32
		sums topSums
	}
}

// levelRange bounds what nodes have without some of their pods, and the highest priority of
// these pods.
type levelRange struct {
	free     rowRange
	room     numberRange
	priority numberRange
}

// rowRange has the least and the most of each column.
type rowRange struct{ least, most AmountRow }

type numberRange struct{ least, most int32 }

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

func (r *rowRange) cover(other *rowRange) {
	for k := range other.least {
		r.least[k], r.most[k] = min(r.least[k], other.least[k]), max(r.most[k], other.most[k])
	}
}

func (r *numberRange) cover(other *numberRange) {
	r.least, r.most = min(r.least, other.least), max(r.most, other.most)
}

func (r *numberRange) add(v int32) { r.least, r.most = min(r.least, v), max(r.most, v) }

// covers reports whether there is so much of everything, and room for a pod.
func covers(free, asks *AmountRow, room int32) bool { return asks.within(free) && room >= 1 }

// Answers says what the nodes lack, a bit for each column and one behind them for the number of pods,
// and what they answer without the pods below a priority: that none is large enough (small), that none
// has such pods (nobody), or else that each has room then. The answers are the same for all nodes
// only if it says so.
func (d *Digest) Answers(asks *AmountRow, below int64) (short int, small, nobody, same bool) {
	if short, same = d.short(asks); !same || short == 0 {
		return short, false, false, same
	}
	small, nobody = d.hopeless(asks, below)
	return short, small, nobody, small || nobody || d.helps(asks, below)
}

// short returns what the nodes lack, and whether it is the same for all.
func (d *Digest) short(asks *AmountRow) (short int, same bool) {
	same = (d.room.least < 1) == (d.room.most < 1)
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

// helps reports that each node that is short has room without pods below a priority.
func (d *Digest) helps(asks *AmountRow, below int64) bool {
	for i := range d.levels {
		if l := &d.levels[i]; int64(l.priority.most) < below && covers(&l.free.least, asks, l.room.least) {
			return true
		}
	}
	return false
}

// hopeless reports that no node that is short has room without all pods below a priority,
// because no node is large enough, or because there are no such pods on any.
func (d *Digest) hopeless(asks *AmountRow, below int64) (small, nobody bool) {
	all := &d.levels[len(d.levels)-1].free
	nobody = int64(d.levels[0].priority.least) >= below
	for k, v := range asks {
		small = small || v > all.most[k]
		nobody = nobody && v <= all.least[k]
	}
	return small, nobody
}

// Least bounds the best candidate of the nodes by the first ranks: the priority of its top
// victim and, where that is the lowest one of the node, the number of victims; and where there
// are that many of that priority, when the first of them started at the latest, in seconds.
func (d *Digest) Least(asks *AmountRow) (top, fewest int32, start int64) {
	i := 0
	for i < len(d.levels)-1 && !covers(&d.levels[i].free.most, asks, d.levels[i].room.most) {
		i++
	}
	if i > 0 {
		return d.levels[i].priority.least, 1, rank.NoStart
	}
	fewest = max(1, 1-d.best.room)
	for fewest <= TopK && !d.hold(fewest, asks) {
		fewest++
	}
	top = d.levels[0].priority.least
	return top, fewest, d.LatestStart(top, fewest)
}

// LatestStart is topSums.LatestStart for all nodes on which the top victim has this priority at
// least.
func (d *Digest) LatestStart(top, pods int32) int64 {
	if pods > TopK || top != d.levels[0].priority.least {
		return rank.NoStart
	}
	return d.best.sums[pods-1].start
}

// hold reports whether so many pods of the lowest priority may make room.
func (d *Digest) hold(pods int32, asks *AmountRow) bool {
	held := &d.best.sums[pods-1].held
	for k, v := range asks {
		if v > d.best.free[k] && v-d.best.free[k] > held[k] {
			return false
		}
	}
	return true
}

// clear makes the digest one of no nodes.
func (d *Digest) clear() {
	*d = Digest{owner: d.owner, free: noRows, room: noNumbers}
	for i := range d.levels {
		d.levels[i] = levelRange{noRows, noNumbers, noNumbers}
	}
}

// cover has the ranges hold for the nodes of another digest as well. They need not be tight:
// those that held before a change are left as they are.
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
	d.findBest(block)
}

// addLevels widens the ranges of the levels by a node.
func (d *Digest) addLevels(block *summaryBlock, i int) {
	l, whole := &block.summaries[i], &block.whole[i]
	d.levels[0].add(l, &Level{l.Low, l.Lowest, int32(l.LowPods)})
	for k := range block.upperLevels {
		if away := &block.upperLevels[k][i]; away.Pods > 0 {
			d.levels[k+1].add(l, away)
		} else {
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
	d.best.room = math.MinInt32
	for k := range d.best.free {
		d.best.free[k] = math.MinInt64 / 2
	}
	for k := range d.best.sums {
		d.best.sums[k].start = math.MinInt64
	}
	for left := d.Members &^ d.Apart; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		l := &block.summaries[i]
		if l.LowPods == 0 || l.Lowest != d.levels[0].priority.least {
			continue
		}
		d.best.room = max(d.best.room, int32(l.Room))
		for c, v := range l.Free {
			d.best.free[c] = max(d.best.free[c], v)
		}
		for k := range block.topSums[i] {
			of, to := &block.topSums[i][k], &d.best.sums[k]
			to.held[0], to.held[1], to.held[2] = max(to.held[0], of.held[0]), max(to.held[1], of.held[1]), max(to.held[2], of.held[2])
			if k < int(l.LowPods) {
				to.start = max(to.start, of.start)
			}
		}
	}
}

// digests are those of the blocks of a snapshot. A change makes one stale, and the next reader
// that asks for them makes it anew.
type digests struct {
	mu    sync.Mutex
	of    []*Digest
	stale []bool // by block
	fresh bool   // none is stale
	// whole is for the nodes of all blocks: its ranges hold, its bits say whether any node has
	// them, and there is no best. It covers so many others, earlier ones of the same blocks among them.
	whole   *Digest
	covered int
	// sieves are those of the blocks, none before one is asked for.
	sieves []keptSieve
}

type keptSieve struct {
	of    *Sieve
	fresh bool
}

// digestsPerLook is how many digests, each of the nodes of a block, are made between two looks at the context.
const digestsPerLook = 8

// refresh makes the digests that are stale. The error is that of the context.
func (x *digests) refresh(ctx context.Context, blocks []*summaryBlock, o *Owner) error {
	made := 0
	for i := 0; i < len(x.of) && !x.fresh; i++ {
		if !x.stale[i] {
			continue
		}
		if made++; made%digestsPerLook == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if x.of[i] == nil || x.of[i].owner != o {
			x.of[i] = &Digest{owner: o}
		}
		x.of[i].make(blocks[i])
		x.stale[i] = false
		x.cover(x.of[i], o)
	}
	if x.covered > 2*len(x.of) {
		x.coverAll()
	}
	x.fresh = true
	return nil
}

// sieveOf returns the sieve that is kept for a block, if only the place for it.
func (x *digests) sieveOf(block int) *keptSieve {
	if len(x.sieves) < len(x.of) {
		x.sieves = append(x.sieves, make([]keptSieve, len(x.of)-len(x.sieves))...)
	}
	return &x.sieves[block]
}

// cover has the digest of all nodes hold for those of a block as it is by now. The ranges only
// become wider.
func (x *digests) cover(d *Digest, o *Owner) {
	switch {
	case x.whole == nil:
		x.whole = &Digest{owner: o}
		x.whole.clear()
	case x.whole.owner != o:
		own := *x.whole
		own.owner, x.whole = o, &own
	}
	x.whole.cover(d)
	x.covered++
}

// coverAll makes the digest of all nodes anew.
func (x *digests) coverAll() {
	x.whole.clear()
	for _, d := range x.of {
		x.whole.cover(d)
	}
	x.covered = len(x.of)
}

// spoil notes that a block has changed.
func (ls *Summaries) spoil(block int) {
	if ls.digests == nil {
		ls.digests = &digests{}
	}
	x := ls.digests
	for len(x.of) <= block {
		x.of, x.stale = append(x.of, nil), append(x.stale, true)
	}
	x.stale[block], x.fresh = true, false
	if block < len(x.sieves) {
		x.sieves[block].fresh = false
	}
}

// share returns the digests for another snapshot with the same blocks.
func (x *digests) share() *digests {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return &digests{
		of: slices.Clone(x.of), stale: slices.Clone(x.stale), fresh: x.fresh, whole: x.whole, covered: x.covered, sieves: slices.Clone(x.sieves),
	}
}
