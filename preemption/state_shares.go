package preemption

// shareSums bound what pods of a node hold of several columns at once, of whatever
// priority. A pod's share is what it holds of the largest amount of any pod on the
// node, added up over the columns: a pod that holds the most of one column often holds
// little of another, so that fewer pods are enough for each column by itself than for
// all together. The k-th number is the sum of the k largest shares.
type shareSums struct {
	all  [topShares]float32 // over all columns
	pair [topShares]float32 // over cpu and memory
	// low and second are pair among the pods of the lowest priority and of the two lowest.
	low, second [topShares]float32
}

const topShares = 4

// shareError is larger than the relative error of a sum of shares.
const shareError = 1e-5

// shareSumsOf computes the sums of a node, none on one with large amounts.
func shareSumsOf(n *nodeState, l *nodeSummary, e *extremes) (s shareSums) {
	if l.flags&largeAmounts != 0 {
		return s
	}
	var each [numColumns]float32
	for k, v := range e.perLargest {
		each[k] = float32(v)
	}
	low := len(n.rows) - int(l.lowPods)
	second := low
	if len(n.levels) > 1 {
		second = len(n.rows) - int(n.levels[1].pods)
	}
	for i := range n.rows {
		row := &n.rows[i]
		pair := float32(row[0])*each[0] + float32(row[1])*each[1]
		insertLargest(&s.pair, pair)
		insertLargest(&s.all, pair+float32(row[2])*each[2])
		if i >= second {
			insertLargest(&s.second, pair)
		}
		if i >= low {
			insertLargest(&s.low, pair)
		}
	}
	for k := 1; k < topShares; k++ {
		s.all[k] += s.all[k-1]
		s.pair[k] += s.pair[k-1]
		s.low[k] += s.low[k-1]
		s.second[k] += s.second[k-1]
	}
	return s
}

// insertLargest keeps the largest values, the largest first.
func insertLargest(values *[topShares]float32, v float32) {
	for i := range values {
		if v > values[i] {
			v, values[i] = values[i], v
		}
	}
}

// fewest returns a lower bound on how many pods hold what the node is short of, which
// is not below another one, least.
func (s *shareSums) fewest(short *amountRow, e *extremes, least int32) int32 {
	var shares [numColumns]float32
	for k, v := range short {
		shares[k] = float32(v) * float32(e.perLargest[k])
	}
	pair := (shares[0] + shares[1]) * (1 - shareError)
	all := (shares[0] + shares[1] + shares[2]) * (1 - shareError)
	for least >= 1 && least <= topShares && s.all[0] > 0 && (s.all[least-1] < all || s.pair[least-1] < pair) {
		least++
	}
	return least
}

// fewestAmong is fewest for pods with such sums over cpu and memory.
func (s *shareSums) fewestAmong(pods *[topShares]float32, short *amountRow, e *extremes, least int32) int32 {
	pair := (float32(short[0])*float32(e.perLargest[0]) + float32(short[1])*float32(e.perLargest[1])) * (1 - shareError)
	for least >= 1 && least <= topShares && s.all[0] > 0 && pods[least-1] < pair {
		least++
	}
	return least
}
