package preemption

// shareSums bound what pods of a node hold of several columns at once, of whatever
// priority. A pod's share is what it holds of the largest amount of any pod on the
// node, added up over the columns: a pod that holds the most of one column often holds
// little of another, so that fewer pods are enough for each column by itself than for
// all together. The k-th number is the sum of the k largest shares.
type shareSums struct {
	all  [topShares]float32 // over all columns
	pair [topShares]float32 // over cpu and memory
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
	for i := range n.rows {
		row := &n.rows[i]
		pair := float32(row[0])*each[0] + float32(row[1])*each[1]
		insertLargest(&s.pair, pair)
		insertLargest(&s.all, pair+float32(row[2])*each[2])
	}
	for k := 1; k < topShares; k++ {
		s.all[k] += s.all[k-1]
		s.pair[k] += s.pair[k-1]
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
