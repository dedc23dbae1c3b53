package state

import (
	"math"
	"math/bits"

	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Sieve rules out nodes of a block, eight at a time. For each node and each number k it has upper bounds on
// two figures: the amounts that are free once k pods of the lowest priority have left, and the earliest start
// of these pods. A bound takes 7 bits of a byte. A node that the sieve lets through need not be a candidate.
// The sieve has no bounds for nodes that the digest of the block sets Apart. It is made when a search first
// asks for it.
type Sieve struct {
	owner *Owner
	least int32 // the lowest priority of the block
	// lowest has a bit for each node with pods of this priority. The sieve has bounds for these nodes alone.
	lowest uint64
	// room and start map amounts and starts to bytes.
	room  [NumColumns]scale
	start scale
	// holds and starts have the bounds for k pods at k-1.
	holds  [TopK][NumColumns]lanes
	starts [TopK]lanes
}

// lanes has a byte for each slot of a block, eight in a word.
type lanes [SummaryBlockSize / 8]uint64

// scale maps numbers to 7 bits. It is monotone: a larger number never gets a smaller byte. The sieve
// relies on nothing else, so that rounding does no harm.
type scale struct{ from, steps float64 }

const (
	topByte  = 127                // the largest value of 7 bits
	eachByte = 0x0101010101010101 // multiplied by a byte: a word with that byte in all lanes
	highBits = 0x8080808080808080
)

// newScale returns a scale that spreads the numbers from least to most over its bytes.
func newScale(least, most int64) scale {
	if most <= least {
		return scale{float64(least), 0}
	}
	return scale{float64(least), (topByte - 1) / (float64(most) - float64(least))}
}

// byteOf returns the byte of a number: 0 up to the scale's least number, and topByte from its largest on. If
// the two are equal, every number has byte 0.
func (s *scale) byteOf(v int64) uint64 {
	x := (float64(v) - s.from) * s.steps
	switch {
	case !(x > 0):
		return 0
	case x >= topByte:
		return topByte
	}
	return uint64(x) + 1
}

// set writes the byte of the slot at index i of the block.
func (l *lanes) set(i int, v uint64) {
	at := &l[i/8]
	*at = *at&^(0xff<<(i%8*8)) | v<<(i%8*8)
}

// atLeast compares two words lane by lane; all bytes have 7 bits. In the result the highest bit of a byte is
// set if the byte of word is at least that of least, because otherwise the subtraction borrows that bit. No
// byte borrows from the next. The other bits of the result are meaningless.
func atLeast(word, least uint64) uint64 { return (word | highBits) - least }

// gather moves the highest bits of the eight bytes into the lowest byte, in their order. The multiplication
// adds shifted copies of the word, no two of which have a bit in the same place. In the top byte of the sum
// each of the eight bits occurs once.
func gather(word uint64) uint64 {
	return word & highBits >> 7 * 0x0102040810204080 >> 56
}

// holding returns the nodes that may have enough room once this many of their pods of the lowest priority
// have left. For less than one pod it returns no node.
func (s *Sieve) holding(pods int64, asks *AmountRow) (nodes uint64) {
	if pods < 1 {
		return 0
	}

	cpu := s.room[0].byteOf(asks[0]) * eachByte
	memory := s.room[1].byteOf(asks[1]) * eachByte
	third := s.room[2].byteOf(asks[2]) * eachByte

	bounds := &s.holds[pods-1]
	for i := range bounds[0] {
		word := atLeast(bounds[0][i], cpu) & atLeast(bounds[1][i], memory) & atLeast(bounds[2][i], third)
		nodes |= gather(word) << (8 * i)
	}
	return nodes & s.lowest
}

// startedSince returns the nodes on which this many pods of the lowest priority may all have started at start
// or later, in seconds.
func (s *Sieve) startedSince(pods int64, start int64) (nodes uint64) {
	least := s.start.byteOf(start) * eachByte
	for i, word := range s.starts[pods-1] {
		nodes |= gather(atLeast(word, least)) << (8 * i)
	}
	return nodes
}

// Within returns the nodes of a block that may be candidates with at most this many victims, none of them
// above priority top. If a candidate has exactly that many, its earliest victim must have started at start or
// later, in seconds; math.MinInt64 admits every start.
func (s *Sieve) Within(top int32, pods, start int64, asks *AmountRow) uint64 {
	// No victim is below the lowest priority of the block. About victims above that priority, and about more
	// than TopK of them, the sieve knows nothing, so that every node may pass.
	switch {
	case top < s.least:
		return 0
	case top > s.least || pods > TopK:
		return math.MaxUint64
	}

	// The bound on what k pods hold does not fall with k, so that a node that fails with all the pods fails
	// with fewer as well. A node on which they are enough but started too early stays in only if one pod
	// fewer may do. For one pod that is no node, by holding.
	nodes := s.holding(pods, asks)
	if nodes != 0 && start != math.MinInt64 {
		if late := s.startedSince(pods, start); nodes&^late != 0 {
			nodes &= late | s.holding(pods-1, asks)
		}
	}
	return nodes
}

// make computes the sieve of a block. Its digest d must be up to date.
func (s *Sieve) make(block *summaryBlock, d *Digest) {
	*s = Sieve{owner: s.owner, least: d.levels[0].priority.least}

	// A scale ranges over the bounds of all nodes with the lowest priority. The free amounts grow with the
	// number of pods that leave, so that the bounds for one pod and for TopK are the ends of room. A missing
	// start is later than any and must not stretch the scale of starts.
	room := noRows
	firstStart, lastStart := int64(math.MaxInt64), int64(math.MinInt64)
	for left := d.Members &^ d.Apart; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		l := &block.summaries[i]
		if l.LowPods == 0 || l.Lowest != s.least {
			continue
		}

		s.lowest |= 1 << i
		sums := &block.topSums[i]
		for c := range l.Free {
			room.least[c] = min(room.least[c], l.Free[c]+sums[0].held[c])
			room.most[c] = max(room.most[c], l.Free[c]+sums[TopK-1].held[c])
		}
		for k := range min(TopK, int(l.LowPods)) {
			if at := sums[k].start; at != rank.NoStart {
				firstStart, lastStart = min(firstStart, at), max(lastStart, at)
			}
		}
	}

	for c := range s.room {
		s.room[c] = newScale(room.least[c], room.most[c])
	}
	s.start = newScale(firstStart, lastStart)

	for left := s.lowest; left != 0; left &= left - 1 {
		s.add(block, bits.TrailingZeros64(left))
	}
}

// add sets the bytes of the node at index i of the block.
func (s *Sieve) add(block *summaryBlock, i int) {
	l, sums := &block.summaries[i], &block.topSums[i]
	for k := range sums {
		for c, v := range sums[k].held {
			s.holds[k][c].set(i, s.room[c].byteOf(l.Free[c]+v))
		}
		s.starts[k].set(i, s.start.byteOf(sums.LatestStart(l, int32(k+1))))
	}
}
