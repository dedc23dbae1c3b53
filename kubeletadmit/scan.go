package kubeletadmit

// scan finds the nearest of few candidates by looking at all of them.
type scan struct {
	// estimates has an estimate of the distance of each candidate.
	estimates []float64
}

// nearest returns the index of the candidate with the least distance, with ties
// broken as in step 5 of Resolve, and that distance. There is at least one
// candidate. internal/proof/kubelet.dfy proves what the nearest one is (Nearest).
//
// It estimates all distances without dividing, and computes exact ones only for the
// candidates that may be the nearest. An estimate is off by less than slack, so a
// candidate whose estimate exceeds the lowest one by more than twice slack is not
// the nearest.
//
// Proof: of a need n, a pod that frees r leaves the part (n-r)/n. An estimate
// computes it as 1 - r·(1/n). Let u = 2^-53 be the relative error of one rounding.
// If r < n, the quotient r/n is at most 1; the estimated part carries 5 roundings
// (of r, n, 1/n, the product and the difference), the exact one 3. So the two parts
// differ by less than 9u and their squares by less than 20u. If r ≥ n, the exact
// part is 0 and the estimated one below 5u. Adding up k squares, and 1 for an odd
// number of needs, adds at most (k+1)²u to the error of an estimate and k²u to the
// error of a distance. All of it is below half of slack, which leaves room for the
// rounding of the limit.
func (s *scan) nearest(c *candidates, f *figures, left []int64) (at int, least float64) {
	s.estimate(c.columns, left)
	limit := lowest(s.estimates) + 2*slack(len(left))

	// Of candidates that tie in distance and requests, the last one wins (rule 17.6.5).
	at = -1
	for i := within(s.estimates, 0, limit); i < len(s.estimates); i = within(s.estimates, i+1, limit) {
		d := f.distance(left, c.pods[i])
		if at < 0 || d < least || d == least && f.compareRequests(c.pods[i], c.pods[at]) <= 0 {
			at, least = i, d
		}
	}
	return at, least
}

// slack is how far an estimate over k needs may be off: k(10+k)·8u.
func slack(k int) float64 { return float64(k) * float64(10+k) * 0x1p-50 }

// estimate computes the estimates for what is left. columns has what the
// candidates free. Needs are processed in pairs, so that the estimates are read
// and written half as often. The last of an odd number of needs is paired with a
// share of 0, which adds 1 to every estimate and so changes no comparison.
func (s *scan) estimate(columns [][]float64, left []int64) {
	s.estimates = zeros(s.estimates, len(columns[0]))
	first := -1 // the need that waits for a second one
	for i, n := range left {
		switch {
		case n == 0:
		case first < 0:
			first = i
		default:
			addSquares(s.estimates, share{columns[first], 1 / float64(left[first])}, share{columns[i], 1 / float64(n)})
			first = -1
		}
	}
	if first >= 0 {
		addSquares(s.estimates, share{columns[first], 1 / float64(left[first])}, share{columns[first], 0})
	}
}

// share is the part of a need that each candidate frees: frees × inverse.
type share struct {
	// frees is the amount that each candidate frees, and inverse is 1 divided by
	// what is left of the need.
	frees   []float64
	inverse float64
}

// addSquares adds to each estimate the squares of the parts that the candidate
// leaves of two needs: it frees the share a of one and the share b of the other.
func addSquares(estimates []float64, a, b share) {
	// With slices of one length the compiler leaves out bounds checks in the loop.
	aFrees, bFrees := a.frees[:len(estimates)], b.frees[:len(estimates)]
	for i := range estimates {
		p, q := 1-aFrees[i]*a.inverse, 1-bFrees[i]*b.inverse
		if p < 0 {
			p = 0
		}
		if q < 0 {
			q = 0
		}
		estimates[i] += p*p + q*q
	}
}

// lowest returns the least of the estimates. It is faster than [slices.Min], which also
// handles NaN; no estimate is NaN.
func lowest(estimates []float64) float64 {
	least := estimates[0]
	for _, e := range estimates {
		if e < least {
			least = e
		}
	}
	return least
}

// within returns the index of the first estimate, from i on, that is not above
// the limit, or the number of estimates if there is none.
func within(estimates []float64, i int, limit float64) int {
	for i < len(estimates) && estimates[i] > limit {
		i++
	}
	return i
}
