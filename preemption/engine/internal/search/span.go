package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// blockPass goes over the nodes by their slots, as many at once as a block of summaries has.
// The digest of a block mostly tells what all of its nodes answer, and bounds the best
// candidate among them, so that a node is not looked at before its block is promising.
type blockPass struct {
	digests   []*state.Digest
	whole     *state.Digest // of all nodes, nil without any
	positions []int32       // by slot
	spanSize  int           // how many slots a span has, which divides the size of a block
	firsts    []int32       // the least of them, by block
	// passing has a bit by slot for each node that no first node filter turns the preemptor
	// away from; the others are counted. If it is nil nodes are asked one by one.
	passing []uint64
	spans   []span
	least   spanBound
	// promising are the spans that a round works on.
	promising []int32
}

// release drops what belongs to a snapshot.
func (p *blockPass) release() {
	p.digests, p.whole, p.positions, p.firsts, p.passing = nil, nil, nil, nil, nil
}

// span is a part of a block that one worker looks at. Bits are those of the block.
type span struct {
	// open has the candidates with a bound of their own that have not been evaluated, and
	// together those that no worker has looked at one by one.
	open, together uint64
	bound          spanBound
}

// spanBound bounds the score of the best candidate of a span.
type spanBound struct {
	top, victims int32
	start        int64 // in seconds
}

// noCandidates is the bound of a span without candidates.
var noCandidates = spanBound{math.MaxInt32, math.MaxInt32, math.MinInt64}

func (b spanBound) better(than spanBound) bool {
	switch {
	case b.top != than.top:
		return b.top < than.top
	case b.victims != than.victims:
		return b.victims < than.victims
	}
	return b.start > than.start
}

// include takes a candidate of a span into its bound.
func (x *span) include(b spanBound) {
	if b.better(x.bound) {
		x.bound = b
	}
}
