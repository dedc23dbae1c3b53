package state

// shareSums bound what pods of a node hold of several columns at once, of whatever
// priority. A pod's share is what it holds of the largest amount of any pod on the
// node, added up over the columns: a pod that holds the most of one column often holds
// little of another, so that fewer pods are enough for each column by itself than for
// all together. The k-th number is the sum of the k largest shares.
type shareSums struct {
	all  [TopShares]float32 // over all columns
	pair [TopShares]float32 // over cpu and memory
	// Low and second are pair among the pods of the lowest priority and of the two lowest.
	Low, Second [TopShares]float32
}

// TopShares is how many of the largest shares are known.
const TopShares = 4

// shareError is larger than the relative error of a sum of shares.
const shareError = 1e-5

// ShareSumsOf computes the sums of a node, none on one with large amounts.
func ShareSumsOf(n *NodeState, l *NodeSummary, e *Extremes) (s shareSums) {
	if l.Flags&LargeAmounts != 0 {
		return s
	}
	cpu, memory, third := float32(e.PerLargest[0]), float32(e.PerLargest[1]), float32(e.PerLargest[2])
	low := len(n.Rows) - int(l.LowPods)
	second := low
	if len(n.Levels) > 1 {
		second = len(n.Rows) - int(n.Levels[1].Pods)
	}
	var leastPair, leastAll float32 // of the largest
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
	for k := 1; k < TopShares; k++ {
		s.all[k] += s.all[k-1]
		s.pair[k] += s.pair[k-1]
		s.Low[k] += s.Low[k-1]
		s.Second[k] += s.Second[k-1]
	}
	return s
}

// insertLargest puts a value in the place of the least of the largest ones, the largest first,
// and returns the least of them.
func insertLargest(values *[TopShares]float32, v float32) float32 {
	at := TopShares - 1
	for ; at > 0 && v > values[at-1]; at-- {
		values[at] = values[at-1]
	}
	values[at] = v
	return values[TopShares-1]
}

// Fewest returns a lower bound on how many pods hold what the node is short of, which
// is not below another one, least.
func (s *shareSums) Fewest(short *AmountRow, e *Extremes, least int32) int32 {
	var shares [NumColumns]float32
	for k, v := range short {
		shares[k] = float32(v) * float32(e.PerLargest[k])
	}
	pair := (shares[0] + shares[1]) * (1 - shareError)
	all := (shares[0] + shares[1] + shares[2]) * (1 - shareError)
	for least >= 1 && least <= TopShares && s.all[0] > 0 && (s.all[least-1] < all || s.pair[least-1] < pair) {
		least++
	}
	return least
}

// FewestAmong is fewest for pods with such sums over cpu and memory.
func (s *shareSums) FewestAmong(pods *[TopShares]float32, short *AmountRow, e *Extremes, least int32) int32 {
	pair := (float32(short[0])*float32(e.PerLargest[0]) + float32(short[1])*float32(e.PerLargest[1])) * (1 - shareError)
	for least >= 1 && least <= TopShares && s.all[0] > 0 && pods[least-1] < pair {
		least++
	}
	return least
}
