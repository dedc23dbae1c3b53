package state

import "math"

// Extremes bound what any pods of a node can hold, of whatever priority, and say
// what budgets have to do with the pods of the lowest priority. Only searches by
// other rules than the default ones read them. They take one cache line.
type Extremes struct {
	// PerLargest is one divided by the largest amount of a single pod, by column; 0
	// where no pod holds any.
	PerLargest [NumColumns]float64
	// Covered is the sum of what the covered pods of the lowest priority hold.
	Covered AmountRow
	// UpperStart is the latest start of the pods above the lowest priority, in
	// seconds; NoStart if one of them has none.
	UpperStart int64
	// LowBudgets has a bit for each budget that covers a pod of the lowest priority
	// (BudgetBits).
	LowBudgets uint32
	// CoveredLow is the number of covered pods of the lowest priority.
	CoveredLow uint16
	// MostCovered is no less than the number of pods that any one budget covers on the node. It
	// stops at 255, which every reader takes for any number from there on.
	MostCovered uint8
	// AnyCovered says that a budget covers a pod of the node, of whatever priority.
	AnyCovered bool
}

// BudgetBits is the number of bits that budgets are told apart by. Budgets whose indexes differ by
// a multiple of it share a bit, so that a set bit says that one of them may be meant.
const BudgetBits = 32

// ExtremesOf computes the extremes of a node. The amounts mean nothing on a node
// with large amounts.
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

	// A missing start is NoStart, the largest of all.
	for i := range n.SortKeys[:low] {
		e.UpperStart = max(e.UpperStart, n.SortKeys[i].Sec)
	}

	// Budgets that share a bit are counted together, so that the count of each is too large rather
	// than too small.
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

// LatestOf returns the latest start of any pod of a node, in seconds. It is NoStart if one of them
// has none, and the least number on a node without pods.
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

// TwoLowest says of the pods of the two lowest priorities of a node what Extremes says of those of
// the lowest one, and when the pods of the second lowest started. It means nothing where all pods
// have one priority.
type TwoLowest struct {
	// Covered is the sum of what the covered pods of the two priorities hold.
	Covered AmountRow
	// Start is the latest start of the pods of the second lowest priority, in seconds; NoStart if
	// one of them has none.
	Start int64
	// Budgets has a bit for each budget that covers a pod of the two priorities (BudgetBits).
	Budgets uint32
	// CoveredPods is the number of covered pods of the two priorities.
	CoveredPods uint16
}

// TwoLowestOf computes this of a node. The amounts mean nothing on a node with large
// amounts.
func TwoLowestOf(n *NodeState) (t TwoLowest) {
	if len(n.Levels) < 2 {
		return t
	}

	// The least important pods come last. A level counts the pods below it as well, so that these
	// are the places of the pods of the second lowest priority, and from on those of both.
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
