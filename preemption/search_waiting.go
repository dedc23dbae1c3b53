package preemption

// waiting is a heap of nodes by their bounds, the best first. Where the ranks are the
// default ones, no score of a node is better than its bound, so that a node need not
// be looked at again before its turn. Numbers are faster to order than scores.
type waiting struct{ keys []waitingKey }

// waitingKey is a bound: the priority, the number of victims as far as it has room,
// and the position.
type waitingKey uint64

// Bits of a waitingKey.
const (
	waitingPosition = 24
	waitingVictims  = 8
	maxWaiting      = 1 << waitingPosition

	mostWaitingVictims = 1<<waitingVictims - 1
)

func waitingKeyOf(b *nodeBound, position int) waitingKey {
	victims := waitingKey(min(b.fewest, mostWaitingVictims))
	return waitingKey(int64(b.bound)+priorityShift)<<(waitingVictims+waitingPosition) |
		victims<<waitingPosition | waitingKey(position)
}

func (k waitingKey) position() int { return int(k % maxWaiting) }

func (q *waiting) order() {
	for i := len(q.keys)/2 - 1; i >= 0; i-- {
		q.sink(i)
	}
}

func (q *waiting) sink(i int) {
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

func (q *waiting) dropFirst() {
	last := len(q.keys) - 1
	q.keys[0] = q.keys[last]
	q.keys = q.keys[:last]
	q.sink(0)
}
