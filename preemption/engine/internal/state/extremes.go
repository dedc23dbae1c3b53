package state

import "math"

// Extremes has bounds on the pods of a node that the default rules do not need: on pods of any priority, and
// on those of the lowest priority that budgets cover. It takes one cache line.
type Extremes struct {
	// PerLargest is 1 divided by the largest amount of a single pod, by column. It is 0 if no pod holds any.
	PerLargest [NumColumns]float64
	// Covered is the sum of the amounts of the covered pods of the lowest priority.
	Covered AmountRow
	// UpperStart is the latest start of the pods above the lowest priority, in seconds. It is NoStart if one
	// of them has no start.
	UpperStart int64
	// LowBudgets has a bit for each budget that covers a pod of the lowest priority
	// (BudgetBits).
	LowBudgets uint32
	// CoveredLow is the number of covered pods of the lowest priority.
	CoveredLow uint16
	// MostCovered is an upper bound on the number of pods that any single budget covers on the node. 255
	// stands for 255 or more.
	MostCovered uint8
	// AnyCovered is set if a budget covers any pod of the node.
	AnyCovered bool
}

// BudgetBits is the number of bits in a set of budgets. Budgets whose indexes differ by a multiple of it
// share a bit, so that a set bit stands for at least one of them.
const BudgetBits = 32

// ExtremesOf computes the extremes of a node. The amounts are meaningless on a node with large amounts.
func ExtremesOf(n *NodeState, l *NodeSummary) Extremes {
	e := Extremes{UpperStart: math.MinInt64, AnyCovered: len(n.Covered) > 0}
	low := len(n.Rows) - int(l.LowPods) // the first pod of the lowest priority

	var cpu, memory, third int64
	for i := range n.Rows {
		row := &n.Rows[i]
		cpu = max(cpu, row[0])
		memory = max(memory, row[1])
		third = max(third, row[2])
	}
	e.SetLargest(&AmountRow{cpu, memory, third})

	// A missing start is NoStart, the largest number.
	for i := range n.SortKeys[:low] {
		e.UpperStart = max(e.UpperStart, n.SortKeys[i].Sec)
	}

	// Budgets that share a bit are counted together. So a count may be too large, never too small.
	var pods [BudgetBits]uint8
	for i := range n.Covered {
		g := &n.Covered[i]
		for _, b := range g.Class.Covering {
			if at := &pods[b%BudgetBits]; *at < math.MaxUint8 {
				*at++
				e.MostCovered = max(e.MostCovered, *at)
			}
		}
		if int(g.Index) >= low {
			e.addCovered(&n.Rows[g.Index], g.Budgets)
		}
	}
	return e
}

// SetLargest sets PerLargest from the largest amounts of a single pod.
func (e *Extremes) SetLargest(largest *AmountRow) {
	for k, v := range largest {
		if v > 0 {
			e.PerLargest[k] = 1 / float64(v)
		}
	}
}

// LatestOf returns the latest start of the pods of a node, in seconds. It is NoStart if one of them has no
// start, and the least int64 if there are no pods.
func LatestOf(n *NodeState) int64 {
	latest := int64(math.MinInt64)
	for i := range n.SortKeys {
		latest = max(latest, n.SortKeys[i].Sec)
	}
	return latest
}

// addCovered includes a covered pod of the lowest priority. budgets has the bits of the budgets that cover
// it.
func (e *Extremes) addCovered(row *AmountRow, budgets uint32) {
	e.CoveredLow++
	for k, v := range row {
		e.Covered[k] += v
	}
	e.LowBudgets |= budgets
}

// TwoLowest has figures about the pods of the two lowest priorities of a node: about the covered ones as in
// Extremes, and about the starts of those of the second lowest. It is meaningless if all pods have the same
// priority.
type TwoLowest struct {
	// Covered is the sum of the amounts of the covered pods of the two priorities.
	Covered AmountRow
	// Start is the latest start of the pods of the second lowest priority, in seconds. It is NoStart if one
	// of them has no start.
	Start int64
	// Budgets has a bit for each budget that covers a pod of the two priorities (BudgetBits).
	Budgets uint32
	// CoveredPods is the number of covered pods of the two priorities.
	CoveredPods uint16
}

// TwoLowestOf computes TwoLowest for a node. The amounts are meaningless on a node with large amounts.
func TwoLowestOf(n *NodeState) (t TwoLowest) {
	if len(n.Levels) < 2 {
		return t
	}

	// The least important pods come last, and a level counts the pods below it as well. So from is the index
	// of the first pod of the two lowest priorities, and to that of the first of the lowest.
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
