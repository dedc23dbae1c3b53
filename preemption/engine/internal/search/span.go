package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// blockPass goes over the nodes by their slots, as many at once as a block of summaries has.
// The digest of a block mostly tells what all of its nodes answer, and bounds the best
// candidate among them, so that a node is not looked at before its block is promising.
type blockPass struct {
	// digests has the digest of each block, and whole that of all nodes, nil if there are none.
	digests []*state.Digest
	whole   *state.Digest
	// positions has the position of each slot, and firsts the least position of each block.
	positions []int32
	firsts    []int32
	// passing has a bit by slot for each node from which no first node filter turns the
	// preemptor away. The other nodes are counted. Nodes are asked one by one if it is nil.
	passing []uint64
	// spans divide the slots, spanSize to each, which divides the size of a block.
	spans    []span
	spanSize int
	// least is the best bound of all spans once the first round has ended.
	least spanBound
	// promising lists the spans that a round works on.
	promising []int32
}

// release drops what belongs to a snapshot.
func (p *blockPass) release() {
	p.digests, p.whole = nil, nil
	p.positions, p.firsts = nil, nil
	p.passing = nil
}

// span is a part of a block, or all of it, that one worker looks at. It has a bit for each slot of the block.
// Nodes in neither of its sets are no candidates, or have been evaluated or pruned.
type span struct {
	// open has the candidates with a bound of their own that have not been evaluated, and
	// together those that no worker has looked at one by one. No node is in both.
	open, together uint64
	// bound is no worse than the score of any candidate of the span.
	bound spanBound
}

// spanBound bounds the score of the best candidate of a span: the priority of the top victim, the number of
// victims if the top one has that priority, and in seconds the latest that the first of these can have started.
type spanBound struct {
	top, victims int32
	start        int64
}

// spanBoundOf bounds the candidates among the nodes of a digest, or among any part of them.
func spanBoundOf(d *state.Digest, asks *state.AmountRow) spanBound {
	top, victims, start := d.Least(asks)
	return spanBound{top, victims, start}
}

// noCandidates is the bound of a span without candidates.
var noCandidates = spanBound{math.MaxInt32, math.MaxInt32, math.MinInt64}

// better reports whether a bound comes before another one by the ranks that it bounds.
func (b spanBound) better(than spanBound) bool {
	switch {
	case b.top != than.top:
		return b.top < than.top
	case b.victims != than.victims:
		return b.victims < than.victims
	}
	return b.start > than.start
}

// include makes the bound of a span hold for one more candidate.
func (x *span) include(b spanBound) {
	if b.better(x.bound) {
		x.bound = b
	}
}
