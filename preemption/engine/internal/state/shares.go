package state

// shareSums bounds what k pods of a node can hold of several columns together. The share of a pod in a column
// is its amount divided by the largest amount of any pod on the node, and its share as such is the sum over
// the columns. A pod that holds much of one column often holds little of another, so that all columns
// together may need more pods than each by itself. In each array the element at k-1 is the sum of the k
// largest shares.
type shareSums struct {
	all  [TopShares]float32 // over all columns, among all pods
	pair [TopShares]float32 // over cpu and memory, among all pods
	// Low and Second are also over cpu and memory: Low among the pods of the lowest priority, Second among
	// those of the two lowest.
	Low, Second [TopShares]float32
}

// TopShares is the largest k for which shareSums has sums.
const TopShares = 4

// shareError is an upper bound on the relative rounding error of a sum of shares.
const shareError = 1e-5

// ShareSumsOf computes the sums of a node. They are zero on a node with large amounts.
func ShareSumsOf(n *NodeState, l *NodeSummary, e *Extremes) (s shareSums) {
	if l.Flags&LargeAmounts != 0 {
		return s
	}

	cpu, memory := float32(e.PerLargest[0]), float32(e.PerLargest[1])
	third := float32(e.PerLargest[2])

	// Pods are sorted by falling priority: those of the two lowest begin at second, those of the lowest at
	// low.
	low := len(n.Rows) - int(l.LowPods)
	second := low
	if len(n.Levels) > 1 {
		second = len(n.Rows) - int(n.Levels[1].Pods)
	}

	// The arrays hold the largest shares so far, in falling order. A share is inserted only if it exceeds the
	// least of them. For the two arrays that every pod is compared with, leastPair and leastAll have that
	// least share.
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

// sumUp replaces the k-th largest share by the sum of the k largest.
func (s *shareSums) sumUp() {
	for k := 1; k < TopShares; k++ {
		s.all[k] += s.all[k-1]
		s.pair[k] += s.pair[k-1]
		s.Low[k] += s.Low[k-1]
		s.Second[k] += s.Second[k-1]
	}
}

// insertLargest inserts a value into the largest ones so far, which are in falling order; the least drops
// out. It returns the least of the rest.
func insertLargest(values *[TopShares]float32, v float32) float32 {
	at := TopShares - 1
	for ; at > 0 && v > values[at-1]; at-- {
		values[at] = values[at-1]
	}
	values[at] = v
	return values[TopShares-1]
}

// Fewest returns a lower bound on how many pods of the node, of any priority, hold together what it is short
// of. It starts from least, which is a valid bound, and can only raise it.
func (s *shareSums) Fewest(short *AmountRow, e *Extremes, least int32) int32 {
	var shares [NumColumns]float32
	for k, v := range short {
		shares[k] = float32(v) * float32(e.PerLargest[k])
	}

	// Pods that hold the amounts that are short have at least the shares of these amounts. So k pods are too
	// few if the k largest shares add up to less, even with the rounding error taken off. Sums of zero prove
	// nothing: the node has large amounts, or no pod holds any.
	pair := (shares[0] + shares[1]) * (1 - shareError)
	all := (shares[0] + shares[1] + shares[2]) * (1 - shareError)
	for least >= 1 && least <= TopShares && s.all[0] > 0 && (s.all[least-1] < all || s.pair[least-1] < pair) {
		least++
	}
	return least
}

// FewestAmong is Fewest for only some pods of the node. pods has their sums, and is s.Low or s.Second.
func (s *shareSums) FewestAmong(pods *[TopShares]float32, short *AmountRow, e *Extremes, least int32) int32 {
	pair := (float32(short[0])*float32(e.PerLargest[0]) + float32(short[1])*float32(e.PerLargest[1])) * (1 - shareError)
	for least >= 1 && least <= TopShares && s.all[0] > 0 && pods[least-1] < pair {
		least++
	}
	return least
}
