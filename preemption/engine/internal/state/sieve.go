package state

import (
	"math"
	"math/bits"

	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Sieve rules out nodes of a block, eight at a time. For each node and each number k it bounds two
// figures from above: the amounts that are free once k pods of the lowest priority have left, and the
// earliest start of these pods. A bound takes 7 bits of a byte. A node that the sieve lets through may still be no
// candidate. Nothing is said of nodes that the digest of the block sets Apart. A block has no sieve
// before a search asks for one.
type Sieve struct {
	owner *Owner
	least int32 // the lowest priority of the block
	// lowest has a bit for each node with pods of this priority. The sieve has bounds of these
	// nodes alone.
	lowest uint64
	// room and start scale amounts and starts to bytes.
	room  [NumColumns]scale
	start scale
	// holds and starts have the bounds for k pods at k-1.
	holds  [TopK][NumColumns]lanes
	starts [TopK]lanes
}

// lanes have a byte for each slot of a block.
type lanes [SummaryBlockSize / 8]uint64

// scale maps numbers to 7 bits. It is monotone: a larger number never gets a smaller byte. The sieve
// relies on nothing else, so that rounding does no harm.
type scale struct{ from, steps float64 }

const (
	topByte  = 127                // the largest value of 7 bits
	eachByte = 0x0101010101010101 // times a byte: that byte in all lanes of a word
	highBits = 0x8080808080808080
)

// newScale returns a scale that tells numbers from least to most apart.
func newScale(least, most int64) scale {
	if most <= least {
		return scale{float64(least), 0}
	}
	return scale{float64(least), (topByte - 1) / (float64(most) - float64(least))}
}

// byteOf returns the byte of a number: 0 up to the least number of the scale, and topByte from
// the largest on. Where the two are one number, all have 0.
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

// set writes the byte of slot i.
func (l *lanes) set(i int, v uint64) {
	at := &l[i/8]
	*at = *at&^(0xff<<(i%8*8)) | v<<(i%8*8)
}

// atLeast compares the bytes of two words of 7-bit bytes, lane by lane. In the result the highest bit
// of a byte is set where the byte of word is not below that of least: the subtraction takes it away
// elsewhere. With that bit set no byte borrows from the next. The other bits mean nothing.
func atLeast(word, least uint64) uint64 { return (word | highBits) - least }

// gather moves the highest bits of the eight bytes into the lowest byte, in their order. The
// multiplication adds shifted copies of them, no two of which have a bit in one place; in the top
// byte of the sum each bit is there once.
func gather(word uint64) uint64 {
	return word & highBits >> 7 * 0x0102040810204080 >> 56
}

// holding returns the nodes that may have enough room once a number of their pods of the lowest
// priority have left. Without pods it knows nothing, and returns no node.
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

// startedSince returns the nodes on which a number of pods of the lowest priority may all have started
// at start or later, in seconds.
func (s *Sieve) startedSince(pods int64, start int64) (nodes uint64) {
	least := s.start.byteOf(start) * eachByte
	for i, word := range s.starts[pods-1] {
		nodes |= gather(atLeast(word, least)) << (8 * i)
	}
	return nodes
}

// Within returns the nodes of a block that may be candidates with a given number of victims or fewer, none
// of them above priority top. With exactly that number the first victim must have started at start or
// later, in seconds; math.MinInt64 lets any start pass.
func (s *Sieve) Within(top int32, pods, start int64, asks *AmountRow) uint64 {
	// A victim has at least the lowest priority of its node, which is not below that of the block. Of
	// victims above that priority, and of more than TopK, the sieve knows nothing.
	switch {
	case top < s.least:
		return 0
	case top > s.least || pods > TopK:
		return math.MaxUint64
	}

	// What k pods hold at most does not fall with k: a node on which that is too little for all the
	// pods is out for fewer as well. A node on which it is enough, and whose first pod started too
	// early, stays in only if one pod less may do. Without pods holding returns no node.
	nodes := s.holding(pods, asks)
	if nodes != 0 && start != math.MinInt64 {
		if late := s.startedSince(pods, start); nodes&^late != 0 {
			nodes &= late | s.holding(pods-1, asks)
		}
	}
	return nodes
}

// make works out the sieve of a block, whose digest is up to date.
func (s *Sieve) make(block *summaryBlock, d *Digest) {
	*s = Sieve{owner: s.owner, least: d.levels[0].priority.least}

	// A scale ranges over the bounds of all nodes that have the lowest priority. What is free grows
	// with the number of pods, so that the bounds for one pod and for TopK are its ends. A missing
	// start is later than any, and no end of a scale.
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
