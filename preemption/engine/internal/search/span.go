package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// blockPass is a pass over the nodes by slot, one block of summaries at a time. The digest of a block mostly
// tells the answer of all of its nodes and bounds the best candidate among them, so that single nodes are
// read only once their block is promising.
type blockPass struct {
	// digests has the digest of each block, and whole the digest of all nodes, nil if there are none.
	digests []*state.Digest
	whole   *state.Digest
	// positions has the position of each slot, and firsts the least position in each block.
	positions []int32
	firsts    []int32
	// passing has a bit, by slot, for each node that passes the first node filters; the others are already
	// counted. If it is nil, nodes are asked one by one.
	passing []uint64
	// spans divides the slots, spanSize to each. spanSize is a divisor of the size of a block.
	spans    []span
	spanSize int
	// least is the best bound of all spans. gather sets it after the first round.
	least spanBound
	// promising lists the spans that still have candidates, by index.
	promising []int32
}

// release drops all references to a snapshot.
func (p *blockPass) release() {
	p.digests, p.whole = nil, nil
	p.positions, p.firsts = nil, nil
	p.passing = nil
}

// span is a block or a part of one that a single worker handles at a time. Its sets have a bit for each slot
// of the block. Nodes in neither set are no candidates, or have been evaluated or pruned.
type span struct {
	// open has the candidates with a bound of their own that have not been evaluated yet, and together the
	// candidates that have been looked at only together. No node is in both.
	open, together uint64
	// bound is at least as good as the score of any candidate in the span.
	bound spanBound
}

// spanBound bounds the score of the best candidate of a span: the least priority of the top victim, the least
// number of victims if the top one has that priority, and an upper bound, in seconds, on the earliest start
// of these.
type spanBound struct {
	top, victims int32
	start        int64
}

// spanBoundOf bounds the candidates among the nodes of a digest, or among any subset of them.
func spanBoundOf(d *state.Digest, asks *state.AmountRow) spanBound {
	top, victims, start := d.Least(asks)
	return spanBound{top, victims, start}
}

// noCandidates is the bound of a span without candidates.
var noCandidates = spanBound{math.MaxInt32, math.MaxInt32, math.MinInt64}

// better reports whether b is a better bound than another, by the ranks in question.
func (b spanBound) better(than spanBound) bool {
	switch {
	case b.top != than.top:
		return b.top < than.top
	case b.victims != than.victims:
		return b.victims < than.victims
	}
	return b.start > than.start
}

// include extends the bound of a span to one more candidate.
func (x *span) include(b spanBound) {
	if b.better(x.bound) {
		x.bound = b
	}
}
