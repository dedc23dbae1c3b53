package state

// shareSums bounds what pods of a node, of whatever priority, hold of several columns together.
// The share of a pod in a column is its amount divided by the largest amount of any pod on the
// node; shares are added up over the columns. A pod that holds the most of one column often holds
// little of another, so that more pods may be needed for all columns together than for each by
// itself. In each array the number at k-1 is the sum of the k largest shares.
type shareSums struct {
	all  [TopShares]float32 // over all columns, among all pods
	pair [TopShares]float32 // over cpu and memory, among all pods
	// Low and Second are like pair, Low among the pods of the lowest priority, and Second among
	// those of the two lowest.
	Low, Second [TopShares]float32
}

// TopShares is the number of pods up to which the largest sums of shares are kept.
const TopShares = 4

// shareError is larger than the relative error of a sum of shares.
const shareError = 1e-5

// ShareSumsOf computes the sums of a node. They are zero on a node with large amounts.
func ShareSumsOf(n *NodeState, l *NodeSummary, e *Extremes) (s shareSums) {
	if l.Flags&LargeAmounts != 0 {
		return s
	}

	cpu, memory := float32(e.PerLargest[0]), float32(e.PerLargest[1])
	third := float32(e.PerLargest[2])

	// Pods are sorted by priority: those of the two lowest begin at second, those of the lowest at low.
	low := len(n.Rows) - int(l.LowPods)
	second := low
	if len(n.Levels) > 1 {
		second = len(n.Rows) - int(n.Levels[1].Pods)
	}

	// The arrays hold the largest shares so far, the largest first. A share is inserted only where it
	// is above the least of them; for the two arrays that every pod is compared with, that one is at hand.
	var leastPair, leastAll float32
	for i := range n.Rows {
		row := &n.Rows[i]
		pair := float32(row[0])*cpu + float32(row[1])*memory
		if pair > leastPair {
			leastPair = insertLargest(&s.pair, pair)
		}
		if all := pair + float32(row[2])*third; all > leastAll {
			leastAll = insertLargest(&s.all, all)
		}

		if i < second {
			continue
		}
		if pair > s.Second[TopShares-1] {
			insertLargest(&s.Second, pair)
		}
		if i >= low && pair > s.Low[TopShares-1] {
			insertLargest(&s.Low, pair)
		}
	}

	s.sumUp()
	return s
}

// sumUp turns the largest shares into sums of the largest.
func (s *shareSums) sumUp() {
	for k := 1; k < TopShares; k++ {
		s.all[k] += s.all[k-1]
		s.pair[k] += s.pair[k-1]
		s.Low[k] += s.Low[k-1]
		s.Second[k] += s.Second[k-1]
	}
}

// insertLargest inserts a value into the largest ones so far, the largest first; the least of them
// drops out. It returns the least of those that are left.
func insertLargest(values *[TopShares]float32, v float32) float32 {
	at := TopShares - 1
	for ; at > 0 && v > values[at-1]; at-- {
		values[at] = values[at-1]
	}
	values[at] = v
	return values[TopShares-1]
}

// Fewest returns a lower bound on how many pods of the node, of whatever priority, hold what it is
// short of. The bound is not below least, which is one already.
func (s *shareSums) Fewest(short *AmountRow, e *Extremes, least int32) int32 {
	var shares [NumColumns]float32
	for k, v := range short {
		shares[k] = float32(v) * float32(e.PerLargest[k])
	}

	// Whatever holds the amounts that are short has at least their shares, added up. So k pods are too
	// few where the k largest shares add up to less, by more than the error. Sums that
	// are zero say nothing: the node has large amounts, or no pod holds any.
	pair := (shares[0] + shares[1]) * (1 - shareError)
	all := (shares[0] + shares[1] + shares[2]) * (1 - shareError)
	for least >= 1 && least <= TopShares && s.all[0] > 0 && (s.all[least-1] < all || s.pair[least-1] < pair) {
		least++
	}
	return least
}

// FewestAmong is Fewest for some pods of the node, whose sums over cpu and memory are given: Low or
// Second.
func (s *shareSums) FewestAmong(pods *[TopShares]float32, short *AmountRow, e *Extremes, least int32) int32 {
	pair := (float32(short[0])*float32(e.PerLargest[0]) + float32(short[1])*float32(e.PerLargest[1])) * (1 - shareError)
	for least >= 1 && least <= TopShares && s.all[0] > 0 && pods[least-1] < pair {
		least++
	}
	return least
}
