package state

import (
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// topSums bounds what pods of the lowest priority on a node can hold:
// topSums[k-1] is for k of them.
type topSums [TopK]topSum

// topSum is about k pods. It means nothing on a node with fewer than k of the lowest priority.
type topSum struct {
	// held is the sum of the k largest amounts, for each column by itself.
	held AmountRow
	// start is an upper bound on the earliest start of any k pods, in seconds.
	start int64
}

// Fewest returns a lower bound on how many pods of the lowest priority hold what the node is short
// of. It is at least as good as that of NodeSummary.Fewest, which is passed as least. All of them
// together must hold it.
func (t *topSums) Fewest(l *NodeSummary, short *AmountRow, least int32) int32 {
	for k := least; k <= TopK; k++ {
		if s := &t[k-1]; s.held[0] >= short[0] && s.held[1] >= short[1] && s.held[2] >= short[2] {
			return k
		}
	}
	return max(least, t.fewestBeyond(l, short))
}

// fewestBeyond is Fewest where TopK pods do not hold enough. No further pod holds more of a column
// than the TopK-th largest amount, which is the difference of the last two sums, so that what is
// still missing takes at least as many pods as that amount goes into it.
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

// LatestStart bounds the earliest start of a number of pods of the lowest priority from above, whichever
// pods these are. It is NoStart where nothing is known. The pods are sorted by start, and a missing
// start comes last. The first of any k pods has k-1 of them behind it, so it comes no
// later than the k-th pod from the end, whose start is the bound.
func (t *topSums) LatestStart(l *NodeSummary, pods int32) int64 {
	if pods > TopK || pods > int32(l.LowPods) {
		return rank.NoStart
	}
	return t[pods-1].start
}

// setTopSums computes the top-k sums of a node, and the shares in its summary. Both are zero where
// the node has large amounts.
func setTopSums(t *topSums, n *NodeState, l *NodeSummary) {
	*t = topSums{}
	if l.Flags&LargeAmounts != 0 || l.LowPods == 0 {
		return
	}

	// The pods of the lowest priority are the last ones, and the last of them started last. The
	// largest amounts and shares are kept sorted, the largest first.
	var shares [TopK]float64
	for i := range int(l.LowPods) {
		at := len(n.Rows) - 1 - i
		t.insert(&n.Rows[at], min(i, TopK))
		insertShare(&shares, shareOf(&n.Rows[at], &l.Low), min(i, TopK))
		if i < TopK {
			t[i].start = n.SortKeys[at].Sec
		}
	}

	// Largest amounts become sums of the largest. Where there are fewer pods the sums stay as they
	// are from the last pod on. The shares are scaled as NodeSummary.Fewest reads them.
	for i := range t {
		if i > 0 {
			shares[i] += shares[i-1]
			t[i].held.add(&t[i-1].held)
		}
		l.Shares[i] = uint8(int64(min(255, (shares[i]+Rounding)*ShareUnit)))
	}
}

// insert inserts the amounts of a pod into the largest ones so far, the largest first, for each
// column by itself. There are as many as pods, at most TopK; where these are all, the least of
// them drops out.
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
