package pdb

import "github.com/outrank-go/outrank"

// Ledger counts, while a list of possible victims is processed, how many
// disruptions are still allowed. It is scratch memory: only one goroutine may
// use it at a time, and it is meant to be kept and reset.
type Ledger struct {
	budgets *Budgets
	// taken is the number of disruptions charged to each budget since the last reset.
	taken []int64
	// touched lists the budgets whose taken is not 0, each once.
	touched []int32
	// broken is memory for the result of Charge.
	broken []int32
}

// Ledger returns a ledger in which nothing has been charged. Time and memory
// are linear in the number of budgets.
func (b *Budgets) Ledger() *Ledger {
	return &Ledger{budgets: b, taken: make([]int64, b.Len())}
}

// Charge takes one disruption from each of the budgets in covering. It skips a
// budget that lists the pod's name in DisruptedPods, because the budget has
// counted that disruption already (rule 6.3.4). It returns the charged budgets that
// are below zero afterwards; the pod violates each of them (rule 6.3.5). It charges
// all budgets, even after one is found violated (rule 6.3.6).
//
// covering is usually the result of [Budgets.AppendCovering] for the pod. It is
// only read, and an index without a budget is ignored. A nil pod charges
// nothing. The result is in the order of covering; it is the ledger's memory
// and valid until the next call of Charge. Time is linear in covering. After
// the first calls nothing is allocated.
func (l *Ledger) Charge(pod *outrank.Pod, covering []int32) (broken []int32) {
	l.broken = l.broken[:0]
	for _, i := range covering {
		if pod != nil && l.charges(i, pod) {
			l.taken[i]++
			if l.Left(int(i)) < 0 {
				l.broken = append(l.broken, i)
			}
		}
	}
	return l.broken
}

// charges reports whether a pod is charged to a budget. If so, it notes the budget for Reset.
func (l *Ledger) charges(i int32, pod *outrank.Pod) bool {
	budget := l.budgets.At(int(i))
	if budget == nil {
		return false
	}

	// The length is checked first: if there are no entries, the pod need not be read from
	// memory, which is slow.
	if len(budget.DisruptedPods) > 0 {
		if _, counted := budget.DisruptedPods[pod.Name]; counted {
			return false
		}
	}

	if l.taken[i] == 0 {
		l.touched = append(l.touched, i)
	}
	return true
}

// ChargeToFirst is [Ledger.Charge], but stops at the first budget that is below zero
// afterwards: the budgets behind it are neither charged nor returned (rule 6.3.8). So
// the order of covering matters. [Budgets.AppendCovering] returns the order of the
// budgets.
func (l *Ledger) ChargeToFirst(pod *outrank.Pod, covering []int32) (broken []int32) {
	for i := range covering {
		if broken := l.Charge(pod, covering[i:i+1]); len(broken) > 0 {
			return broken
		}
	}
	return nil
}

// Left returns what remains of the i-th budget's allowance: its present
// DisruptionsAllowed less what has been charged since the last reset. A negative
// number says by how many pods the budget is violated. It is 0 if there is no i-th
// budget.
func (l *Ledger) Left(i int) int64 {
	budget := l.budgets.At(i)
	if budget == nil {
		return 0
	}
	return int64(budget.DisruptionsAllowed) - l.taken[i]
}

// Reset reverts all charges. Time is linear in the number of budgets that were
// charged since the last reset. Nothing is allocated.
func (l *Ledger) Reset() {
	for _, i := range l.touched {
		l.taken[i] = 0
	}
	l.touched = l.touched[:0]
}
