package state

import "math"

// TwoLowest says what budgets have to do with the pods of the two lowest priorities of a
// node, as extremes does for the lowest one, and when those of the second started. Means
// nothing where all pods have one priority.
type TwoLowest struct {
	Covered     AmountRow
	Start       int64 // the latest, in seconds; NoStart if one has none
	Budgets     uint32
	CoveredPods uint16
}

// TwoLowestOf computes this of a node. The amounts mean nothing on a node with large
// amounts.
func TwoLowestOf(n *NodeState) (t TwoLowest) {
	if len(n.Levels) < 2 {
		return t
	}
	from, to := len(n.Rows)-int(n.Levels[1].Pods), len(n.Rows)-int(n.Levels[0].Pods)
	t.Start = math.MinInt64
	for i := from; i < to; i++ {
		t.Start = max(t.Start, n.SortKeys[i].Sec)
	}
	for _, g := range n.Covered {
		if int(g.Index) < from {
			continue
		}
		t.CoveredPods = uint16(min(int(t.CoveredPods)+1, math.MaxUint16))
		for k, v := range n.Rows[g.Index] {
			t.Covered[k] += v
		}
		for _, b := range g.Class.Covering {
			t.Budgets |= 1 << (b % BudgetBits)
		}
	}
	return t
}
