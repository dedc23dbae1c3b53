package preemption

import "math"

// twoLowest says what budgets have to do with the pods of the two lowest priorities of a
// node, as extremes does for the lowest one, and when those of the second started. Means
// nothing where all pods have one priority.
type twoLowest struct {
	covered     amountRow
	start       int64 // the latest, in seconds; NoStart if one has none
	budgets     uint32
	coveredPods uint16
}

// twoLowestOf computes this of a node. The amounts mean nothing on a node with large
// amounts.
func twoLowestOf(n *nodeState) (t twoLowest) {
	if len(n.levels) < 2 {
		return t
	}
	from, to := len(n.rows)-int(n.levels[1].pods), len(n.rows)-int(n.levels[0].pods)
	t.start = math.MinInt64
	for i := from; i < to; i++ {
		t.start = max(t.start, n.sortKeys[i].sec)
	}
	for _, g := range n.covered {
		if int(g.index) < from {
			continue
		}
		t.coveredPods = uint16(min(int(t.coveredPods)+1, math.MaxUint16))
		for k, v := range n.rows[g.index] {
			t.covered[k] += v
		}
		for _, b := range g.class.covering {
			t.budgets |= 1 << (b % budgetBits)
		}
	}
	return t
}
