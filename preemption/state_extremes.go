package preemption

import "math"

// extremes bound what any pods of a node can hold, of whatever priority, and say
// what budgets have to do with the pods of the lowest priority. Only searches by
// other rules than the default ones read them. They take one cache line.
type extremes struct {
	// perLargest is one divided by the largest amount of a single pod, by column; 0
	// where no pod holds any.
	perLargest [numColumns]float64
	// covered is what the covered pods of the lowest priority hold together, and
	// coveredLow how many they are.
	covered amountRow
	// upperStart is the latest start of the pods above the lowest priority, in
	// seconds; NoStart if one of them has none.
	upperStart int64
	// lowBudgets has a bit for each budget that covers a pod of the lowest priority
	// (budgetBit).
	lowBudgets uint32
	coveredLow uint16
	// mostCovered is at least as large as the number of pods that any one budget
	// covers.
	mostCovered uint8
	anyCovered  bool
}

// budgetBits is the number of bits that budgets are told apart by.
const budgetBits = 32

// extremesOf computes the extremes of a node. The amounts mean nothing on a node
// with large amounts.
func extremesOf(n *nodeState, l *nodeSummary) extremes {
	e := extremes{upperStart: math.MinInt64, anyCovered: len(n.covered) > 0}
	low := len(n.rows) - int(l.lowPods)
	var largest amountRow
	for i := range n.rows {
		for k, v := range n.rows[i] {
			largest[k] = max(largest[k], v)
		}
		if i < low {
			e.upperStart = max(e.upperStart, n.sortKeys[i].sec)
		}
	}
	e.setLargest(&largest)
	var pods [budgetBits]uint8
	for _, g := range n.covered {
		for _, b := range g.class.covering {
			if at := &pods[b%budgetBits]; *at < math.MaxUint8 {
				*at++
				e.mostCovered = max(e.mostCovered, *at)
			}
		}
		if int(g.index) >= low {
			e.addCovered(&n.rows[g.index], g.class.covering)
		}
	}
	return e
}

func (e *extremes) setLargest(largest *amountRow) {
	for k, v := range largest {
		if v > 0 {
			e.perLargest[k] = 1 / float64(v)
		}
	}
}

// latestOf returns the latest start of any pod of a node.
func latestOf(n *nodeState) int64 {
	latest := int64(math.MinInt64)
	for i := range n.sortKeys {
		latest = max(latest, n.sortKeys[i].sec)
	}
	return latest
}

// addCovered counts a covered pod of the lowest priority.
func (e *extremes) addCovered(row *amountRow, covering []int32) {
	e.coveredLow++
	for k, v := range row {
		e.covered[k] += v
	}
	for _, b := range covering {
		e.lowBudgets |= 1 << (b % budgetBits)
	}
}
