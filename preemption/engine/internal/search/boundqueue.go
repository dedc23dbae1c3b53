package search

import "github.com/outrank-go/outrank/preemption/internal/rank"

// boundQueue is a heap of nodes by their bounds, the best first. Where the ranks are the
// default ones, no score of a node is better than its bound, so that a node need not
// be looked at again before its turn. Numbers are faster to order than scores.
type boundQueue struct{ keys []boundKey }

// boundKey is a bound: the priority, the number of victims as far as it has room,
// and the position.
type boundKey uint64

// Bits of a boundKey.
const (
	keyPosition = 24
	keyVictims  = 8
	maxQueued   = 1 << keyPosition

	mostKeyVictims = 1<<keyVictims - 1
)

func boundKeyOf(b *NodeBound, position int) boundKey {
	victims := boundKey(min(b.fewest, mostKeyVictims))
	return boundKey(int64(b.Bound)+rank.PriorityShift)<<(keyVictims+keyPosition) |
		victims<<keyPosition | boundKey(position)
}

func (k boundKey) position() int { return int(k % maxQueued) }

func (q *boundQueue) order() {
	for i := len(q.keys)/2 - 1; i >= 0; i-- {
		q.sink(i)
	}
}

func (q *boundQueue) sink(i int) {
	for {
		best := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q.keys); child++ {
			if q.keys[child] < q.keys[best] {
				best = child
			}
		}
		if best == i {
			return
		}
		q.keys[i], q.keys[best] = q.keys[best], q.keys[i]
		i = best
	}
}

func (q *boundQueue) dropFirst() {
	last := len(q.keys) - 1
	q.keys[0] = q.keys[last]
	q.keys = q.keys[:last]
	q.sink(0)
}
