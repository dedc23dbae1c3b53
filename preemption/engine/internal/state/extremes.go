package state

import "math"

// Extremes bound what any pods of a node can hold, of whatever priority, and say
// what budgets have to do with the pods of the lowest priority. Only searches by
// other rules than the default ones read them. They take one cache line.
type Extremes struct {
	// PerLargest is one divided by the largest amount of a single pod, by column; 0
	// where no pod holds any.
	PerLargest [NumColumns]float64
	// Covered is what the covered pods of the lowest priority hold together, and
	// CoveredLow how many they are.
	Covered AmountRow
	// UpperStart is the latest start of the pods above the lowest priority, in
	// seconds; NoStart if one of them has none.
	UpperStart int64
	// LowBudgets has a bit for each budget that covers a pod of the lowest priority
	// (budgetBit).
	LowBudgets uint32
	CoveredLow uint16
	// MostCovered is at least as large as the number of pods that any one budget
	// covers.
	MostCovered uint8
	AnyCovered  bool
}

// BudgetBits is the number of bits that budgets are told apart by.
const BudgetBits = 32

// ExtremesOf computes the extremes of a node. The amounts mean nothing on a node
// with large amounts.
func ExtremesOf(n *NodeState, l *NodeSummary) Extremes {
	e := Extremes{UpperStart: math.MinInt64, AnyCovered: len(n.Covered) > 0}
	low := len(n.Rows) - int(l.LowPods)
	var cpu, memory, third int64
	for i := range n.Rows {
		row := &n.Rows[i]
		cpu, memory, third = max(cpu, row[0]), max(memory, row[1]), max(third, row[2])
	}
	for i := range n.SortKeys[:low] {
		e.UpperStart = max(e.UpperStart, n.SortKeys[i].Sec)
	}
	e.SetLargest(&AmountRow{cpu, memory, third})
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

// SetLargest sets the largest amounts of one pod.
func (e *Extremes) SetLargest(largest *AmountRow) {
	for k, v := range largest {
		if v > 0 {
			e.PerLargest[k] = 1 / float64(v)
		}
	}
}

// LatestOf returns the latest start of any pod of a node.
func LatestOf(n *NodeState) int64 {
	latest := int64(math.MinInt64)
	for i := range n.SortKeys {
		latest = max(latest, n.SortKeys[i].Sec)
	}
	return latest
}

// addCovered counts a covered pod of the lowest priority.
func (e *Extremes) addCovered(row *AmountRow, budgets uint32) {
	e.CoveredLow++
	for k, v := range row {
		e.Covered[k] += v
	}
	e.LowBudgets |= budgets
}

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
