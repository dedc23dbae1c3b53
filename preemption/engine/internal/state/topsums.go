package state

import (
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// topSums bounds what pods of the lowest priority on a node can hold:
// topSums[k-1] is for k of them.
type topSums [TopK]topSum

// topSum has, for each column by itself, the sum of the k largest amounts, and
// the latest that the earliest start of k pods can be, in seconds. It means
// nothing where there are fewer than k pods.
type topSum struct {
	held  AmountRow
	start int64
}

// Fewest returns a better bound than NodeSummary.fewest, which is passed as
// least.
func (t *topSums) Fewest(l *NodeSummary, short *AmountRow, least int32) int32 {
	for k := least; k <= TopK; k++ {
		if s := &t[k-1]; s.held[0] >= short[0] && s.held[1] >= short[1] && s.held[2] >= short[2] {
			return k
		}
	}
	return max(least, t.beyond(l, short))
}

// beyond is fewest where TopK pods do not hold enough. No further pod holds
// more than the TopK-th largest amount.
func (t *topSums) beyond(l *NodeSummary, short *AmountRow) int32 {
	pods := int64(TopK)
	for k, v := range short {
		last := t[TopK-1].held[k]
		if each := last - t[TopK-2].held[k]; v > last && each > 0 {
			pods = max(pods, TopK+(v-last+each-1)/each)
		}
	}
	return int32(min(pods, int64(l.LowPods)))
}

// LatestStart returns the latest that the earliest start of so many pods of the
// lowest priority can be. The pods are sorted by start, and a missing start
// comes last. The first of any k pods has k-1 of them behind it, so it comes no
// later than the k-th pod from the end, whose start is the bound.
func (t *topSums) LatestStart(l *NodeSummary, pods int32) int64 {
	if pods > TopK || pods > int32(l.LowPods) {
		return rank.NoStart
	}
	return t[pods-1].start
}

// setTopSums computes the top-k sums of a node, and the shares in its summary.
func setTopSums(t *topSums, n *NodeState, l *NodeSummary) {
	*t = topSums{}
	if l.Flags&LargeAmounts != 0 || l.LowPods == 0 {
		return
	}
	var shares [TopK]float64
	for i := range int(l.LowPods) {
		at := len(n.Rows) - 1 - i
		t.insert(&n.Rows[at], min(i, TopK))
		insertShare(&shares, shareOf(&n.Rows[at], &l.Low), min(i, TopK))
		if i < TopK {
			t[i].start = n.SortKeys[at].Sec
		}
	}
	for i := range t {
		if i > 0 {
			shares[i] += shares[i-1]
			t[i].held.add(&t[i-1].held)
		}
		l.Shares[i] = uint8(int64(min(255, (shares[i]+Rounding)*ShareUnit)))
	}
}

// insert keeps the largest amounts of each column, the largest first, of which there are so
// many.
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
