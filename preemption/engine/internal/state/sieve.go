package state

import (
	"math"
	"math/bits"

	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Sieve says of each node of a block what so many pods of its lowest priority make room for at
// most, and when the first of them started at the latest. It has a byte of 7 bits for each, so
// that eight nodes are compared at once. What it lets through need not do. A block has none before
// one is asked for.
type Sieve struct {
	owner *Owner
	least int32 // the lowest priority of the block
	// lowest has the nodes with this priority. The others are not in it.
	lowest uint64
	room   [NumColumns]scale
	start  scale
	holds  [TopK][NumColumns]lanes // by the number of pods
	starts [TopK]lanes
}

// lanes have a byte for each slot of a block.
type lanes [SummaryBlockSize / 8]uint64

// scale turns numbers into bytes. It does not fall, so that what is as large as something else
// has a byte that is as large. That is all that the sieve is about, and rounding is none of it.
type scale struct{ from, steps float64 }

const (
	topByte  = 127
	eachByte = 0x0101010101010101
	highBits = 0x8080808080808080
)

func newScale(least, most int64) scale {
	if most <= least {
		return scale{float64(least), 0}
	}
	return scale{float64(least), (topByte - 1) / (float64(most) - float64(least))}
}

func (s *scale) of(v int64) uint64 {
	x := (float64(v) - s.from) * s.steps
	switch {
	case !(x > 0):
		return 0
	case x >= topByte:
		return topByte
	}
	return uint64(x) + 1
}

func (l *lanes) set(i int, v uint64) {
	at := &l[i/8]
	*at = *at&^(0xff<<(i%8*8)) | v<<(i%8*8)
}

// atLeast returns the highest bit of each byte of a word that is no less than a byte which all
// bytes of least are.
func atLeast(word, least uint64) uint64 { return (word | highBits) - least }

// gather brings the highest bits of the bytes together.
func gather(word uint64) uint64 {
	return word & highBits >> 7 * 0x0102040810204080 >> 56
}

// holding returns the nodes on which so many pods of the lowest priority of the block may hold
// what is asked for beyond what is free.
func (s *Sieve) holding(pods int64, asks *AmountRow) (nodes uint64) {
	if pods < 1 {
		return 0
	}
	of, cpu, memory, third := &s.holds[pods-1], s.room[0].of(asks[0])*eachByte, s.room[1].of(asks[1])*eachByte, s.room[2].of(asks[2])*eachByte
	for i := range of[0] {
		word := atLeast(of[0][i], cpu) & atLeast(of[1][i], memory) & atLeast(of[2][i], third)
		nodes |= gather(word) << (8 * i)
	}
	return nodes & s.lowest
}

// since returns the nodes on which the first of so many pods of the lowest priority may have
// started so late, in seconds.
func (s *Sieve) since(pods int64, start int64) (nodes uint64) {
	least := s.start.of(start) * eachByte
	for i, word := range s.starts[pods-1] {
		nodes |= gather(atLeast(word, least)) << (8 * i)
	}
	return nodes
}

// Within returns the nodes that may be candidates with so many victims of a priority at most, and
// none above it. With as many the first one started no sooner than that, in seconds.
func (s *Sieve) Within(top int32, pods, start int64, asks *AmountRow) uint64 {
	switch {
	case top < s.least:
		return 0
	case top > s.least || pods > TopK:
		return math.MaxUint64
	}
	nodes := s.holding(pods, asks)
	if nodes != 0 && start != math.MinInt64 {
		if late := s.since(pods, start); nodes&^late != 0 {
			nodes &= late | s.holding(pods-1, asks)
		}
	}
	return nodes
}

// make works out the sieve of a block.
func (s *Sieve) make(block *summaryBlock, d *Digest) {
	*s = Sieve{owner: s.owner, least: d.levels[0].priority.least}
	room, starts := noRows, [2]int64{math.MaxInt64, math.MinInt64}
	for left := d.Members &^ d.Apart; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		l := &block.summaries[i]
		if l.LowPods == 0 || l.Lowest != s.least {
			continue
		}
		s.lowest |= 1 << i
		of := &block.topSums[i]
		for c := range l.Free {
			room.least[c] = min(room.least[c], l.Free[c]+of[0].held[c])
			room.most[c] = max(room.most[c], l.Free[c]+of[TopK-1].held[c])
		}
		for k := range min(TopK, int(l.LowPods)) {
			if at := of[k].start; at != rank.NoStart {
				starts[0], starts[1] = min(starts[0], at), max(starts[1], at)
			}
		}
	}
	for c := range s.room {
		s.room[c] = newScale(room.least[c], room.most[c])
	}
	s.start = newScale(starts[0], starts[1])
	for left := s.lowest; left != 0; left &= left - 1 {
		s.add(block, bits.TrailingZeros64(left))
	}
}

// add sets the bytes of a node.
func (s *Sieve) add(block *summaryBlock, i int) {
	l, of := &block.summaries[i], &block.topSums[i]
	for k := range of {
		for c, v := range of[k].held {
			s.holds[k][c].set(i, s.room[c].of(l.Free[c]+v))
		}
		s.starts[k].set(i, s.start.of(of.LatestStart(l, int32(k+1))))
	}
}
