package search

import "github.com/outrank-go/outrank/preemption/internal/rank"

// boundQueue is a heap of nodes by their bounds, the best first. By the default ranks no candidate on a node
// beats the score that its bound allows, so that the node need not be looked at before its turn. Keys are
// single numbers, which are faster to order than scores.
type boundQueue struct{ keys []boundKey }

// boundKey packs a bound and the position of its node into one number: a smaller number is a better bound.
// From the highest bit down it has the priority, the number of victims, and the position, which settles ties.
// A number of victims that is too large for its bits is cut, which only makes the bound weaker.
type boundKey uint64

// Widths of the fields of a boundKey, in bits, and their limits.
const (
	keyPosition = 24
	keyVictims  = 8
	// maxQueued is the number of positions that a key has room for.
	maxQueued = 1 << keyPosition
	// mostKeyVictims is the largest number of victims in a key.
	mostKeyVictims = 1<<keyVictims - 1
)

// boundKeyOf returns the key of a bound.
func boundKeyOf(b *NodeBound, position int) boundKey {
	victims := boundKey(min(b.fewest, mostKeyVictims))
	return boundKey(int64(b.Bound)+rank.PriorityShift)<<(keyVictims+keyPosition) |
		victims<<keyPosition | boundKey(position)
}

// position returns the position of the node.
func (k boundKey) position() int { return int(k % maxQueued) }

// order turns keys in any order into a heap.
func (q *boundQueue) order() {
	for i := len(q.keys)/2 - 1; i >= 0; i-- {
		q.sink(i)
	}
}

// sink restores the heap after the key at i has become larger.
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

// dropFirst removes the least key.
func (q *boundQueue) dropFirst() {
	last := len(q.keys) - 1
	q.keys[0] = q.keys[last]
	q.keys = q.keys[:last]
	q.sink(0)
}
