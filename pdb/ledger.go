package pdb

import "github.com/outrank-go/outrank"

// Ledger counts the disruptions that are still allowed while a list of
// possible victims is gone through. It is one reader's scratch memory: only one
// goroutine may use it at a time, and it is meant to be kept and reset.
type Ledger struct {
	budgets *Budgets
	// taken is what has been charged to each budget since the last reset.
	taken []int64
	// touched lists the budgets whose taken is not 0, each once.
	touched []int32
	// broken is the memory of what Charge returns.
	broken []int32
}

// Ledger opens a ledger in which nothing has been charged. Time and memory are
// linear in the number of budgets.
func (b *Budgets) Ledger() *Ledger {
	return &Ledger{budgets: b, taken: make([]int64, b.Len())}
}

// Charge takes one disruption from each of the budgets in covering, except
// those that list the pod's name among their disrupted pods: they have counted
// it already (rule 6.3.4). It returns those of covering that have less than
// nothing left afterwards; the pod is violating if there is any. All are
// charged, also after one was found broken.
//
// Covering is usually what [Budgets.AppendCovering] found for the pod; it is
// only read, an index that no budget has is passed over, and a nil pod charges
// nothing. The result is in the order of covering; it is the ledger's memory
// and lasts until the next call of Charge. Time is linear in covering; the
// steady state allocates nothing.
func (l *Ledger) Charge(pod *outrank.Pod, covering []int32) (broken []int32) {
	l.broken = l.broken[:0]
	if pod == nil {
		return l.broken
	}
	for _, i := range covering {
		budget := l.budgets.At(int(i))
		if budget == nil {
			continue
		}
		if _, counted := budget.Disrupted[pod.Name]; counted {
			continue
		}
		if l.taken[i] == 0 {
			l.touched = append(l.touched, i)
		}
		l.taken[i]++
		if l.Left(int(i)) < 0 {
			l.broken = append(l.broken, i)
		}
	}
	return l.broken
}

// Left is what remains of the i-th budget's allowance: its Allowed, as it
// stands now, less what has been charged since the last reset. Below zero it
// says by how many pods the budget is broken. It is 0 where there is no i-th
// budget.
func (l *Ledger) Left(i int) int64 {
	budget := l.budgets.At(i)
	if budget == nil {
		return 0
	}
	return int64(budget.Allowed) - l.taken[i]
}

// Reset gives back all that was charged. Time is linear in the number of
// budgets that were charged since the last reset, however many there are;
// nothing is allocated.
func (l *Ledger) Reset() {
	for _, i := range l.touched {
		l.taken[i] = 0
	}
	l.touched = l.touched[:0]
}
