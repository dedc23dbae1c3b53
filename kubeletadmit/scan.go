package kubeletadmit

// scan finds the nearest of few candidates by looking at all of them.
type scan struct {
	// about has an estimate of the distance of each.
	about []float64
}

// nearest returns the index of the candidate with the least distance, with ties
// broken as in step 5 of Resolve, and that distance. There is at least one
// candidate.
//
// It estimates distances without dividing, and computes exactly only those that
// can be the least. An estimate is off by less than slack. A candidate whose
// estimate is above the lowest one by more than twice slack is farther.
//
// The reason: a part that is left is computed as 1 - r·(1/n) in place of
// (n-r)/n, for what a pod frees, r, of what is needed, n. With u = 2^-53, the
// error of one rounding relative to the result, and r < n, the quotient r/n is
// at most 1 and carries 5 roundings (of r, n, 1/n, the product and the
// difference), the exact formula 3. So the two parts differ by less than 9u and
// their squares by less than 20u. For r ≥ n one part is 0 and the other below
// 5u. Adding up k squares, and 1 for an odd number of needs, adds at most
// (k+1)²u to the error of an estimate, and k²u to that of a distance. All of
// it is below half of slack, which leaves room for the rounding of the limit.
func (s *scan) nearest(c *candidates, f *figures, left []int64) (at int, least float64) {
	s.estimate(c.columns, left)
	limit := lowest(s.about) + 2*slack(len(left))
	at = -1
	for i := within(s.about, 0, limit); i < len(s.about); i = within(s.about, i+1, limit) {
		d := f.distance(left, c.pods[i])
		if at < 0 || d < least || d == least && f.compareRequests(c.pods[i], c.pods[at]) <= 0 {
			at, least = i, d
		}
	}
	return at, least
}

// slack is how far an estimate over k needs may be off: k(10+k)·8u.
func slack(k int) float64 { return float64(k) * float64(10+k) * 0x1p-50 }

// estimate computes about for what is left. columns has what the candidates
// free. Needs are processed in pairs. An odd need is paired with one that adds
// 1 to every estimate.
func (s *scan) estimate(columns [][]float64, left []int64) {
	s.about = zeros(s.about, len(columns[0]))
	first := -1
	for i, n := range left {
		switch {
		case n == 0:
		case first < 0:
			first = i
		default:
			addSquares(s.about, share{columns[first], 1 / float64(left[first])}, share{columns[i], 1 / float64(n)})
			first = -1
		}
	}
	if first >= 0 {
		addSquares(s.about, share{columns[first], 1 / float64(left[first])}, share{columns[first], 0})
	}
}

// share is what the candidates free of a need, by the inverse of what is left of that.
type share struct {
	frees   []float64
	inverse float64
}

// addSquares adds the squares of the parts that the candidates leave of two
// needs: each frees a of one and b of the other.
func addSquares(about []float64, a, b share) {
	aFrees, bFrees := a.frees[:len(about)], b.frees[:len(about)]
	for i := range about {
		p, q := 1-aFrees[i]*a.inverse, 1-bFrees[i]*b.inverse
		if p < 0 {
			p = 0
		}
		if q < 0 {
			q = 0
		}
		about[i] += p*p + q*q
	}
}

// lowest returns the least of the estimates. [slices.Min] would handle NaN, and
// no estimate is NaN.
func lowest(about []float64) float64 {
	least := about[0]
	for _, a := range about {
		if a < least {
			least = a
		}
	}
	return least
}

// within returns the index of the first estimate, from i on, that is not above
// the limit, and their number if there is none.
func within(about []float64, i int, limit float64) int {
	for i < len(about) && about[i] > limit {
		i++
	}
	return i
}
