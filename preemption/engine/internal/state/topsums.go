package state

import (
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// topSums bounds what pods of the lowest priority on a node can hold. topSums[k-1] is the bound for k of
// them.
type topSums [TopK]topSum

// topSum is the bound for k pods. Its start is meaningless on a node with fewer than k pods of the lowest
// priority.
type topSum struct {
	// held is the sum of the k largest amounts, separately for each column.
	held AmountRow
	// start is an upper bound on the earliest start among any k pods, in seconds.
	start int64
}

// Fewest returns a lower bound on how many pods of the lowest priority hold together what the node is short
// of. It starts from least, the bound of NodeSummary.Fewest, and can only raise it. It is valid only if all
// of them together hold it.
func (t *topSums) Fewest(l *NodeSummary, short *AmountRow, least int32) int32 {
	for k := least; k <= TopK; k++ {
		if s := &t[k-1]; s.held[0] >= short[0] && s.held[1] >= short[1] && s.held[2] >= short[2] {
			return k
		}
	}
	return max(least, t.fewestBeyond(l, short))
}

// fewestBeyond is Fewest if TopK pods do not hold enough. Each further pod holds at most the TopK-th largest
// amount of a column, which is the difference of the last two sums. So what is still missing, divided by that
// amount and rounded up, is a bound on the number of further pods.
func (t *topSums) fewestBeyond(l *NodeSummary, short *AmountRow) int32 {
	pods := int64(TopK)
	for k, v := range short {
		last := t[TopK-1].held[k]
		if each := last - t[TopK-2].held[k]; v > last && each > 0 {
			pods = max(pods, TopK+(v-last+each-1)/each)
		}
	}
	return int32(min(pods, int64(l.LowPods)))
}

// LatestStart returns an upper bound on the earliest start among any k pods of the lowest priority, or
// NoStart if none is known. The pods are sorted by start, and a missing start comes last. The first of any k
// pods has k-1 pods behind it. So it comes no later than the k-th pod from the end, and that pod's start is
// the bound.
func (t *topSums) LatestStart(l *NodeSummary, pods int32) int64 {
	if pods > TopK || pods > int32(l.LowPods) {
		return rank.NoStart
	}
	return t[pods-1].start
}

// setTopSums computes the top-k sums of a node, and the shares in its summary. Both are zero on a node with
// large amounts.
func setTopSums(t *topSums, n *NodeState, l *NodeSummary) {
	*t = topSums{}
	if l.Flags&LargeAmounts != 0 || l.LowPods == 0 {
		return
	}

	// The pods of the lowest priority come last, sorted by start. The largest amounts and shares so far are
	// kept in falling order.
	var shares [TopK]float64
	for i := range int(l.LowPods) {
		at := len(n.Rows) - 1 - i
		t.insert(&n.Rows[at], min(i, TopK))
		insertShare(&shares, shareOf(&n.Rows[at], &l.Low), min(i, TopK))
		if i < TopK {
			t[i].start = n.SortKeys[at].Sec
		}
	}

	// The k-th largest amount becomes the sum of the k largest. Beyond the number of pods the sums no longer
	// grow. The shares are scaled for NodeSummary.Fewest.
	for i := range t {
		if i > 0 {
			shares[i] += shares[i-1]
			t[i].held.add(&t[i-1].held)
		}
		l.Shares[i] = uint8(int64(min(255, (shares[i]+Rounding)*ShareUnit)))
	}
}

// insert inserts the amounts of a pod into the largest ones so far, separately for each column; they are in
// falling order. pods is their number, at most TopK; at TopK the least drops out.
func (t *topSums) insert(row *AmountRow, pods int) {
	for k, v := range row {
		at := pods
		if at == TopK {
			if at--; v <= t[at].held[k] {
				continue
			}
		}
		for ; at > 0 && v > t[at-1].held[k]; at-- {
			t[at].held[k] = t[at-1].held[k]
		}
		t[at].held[k] = v
	}
}
