package kubeletadmit

import "slices"

// gauge estimates distances without dividing. An estimate is off by less than
// slack. So is the lowest one, and a pod whose estimate lies above it by twice
// as much is farther than that pod: leaving it out changes no choice.
//
// Why: a part that is left is computed as 1 - r·(1/n) in place of (n-r)/n, for
// what a pod frees, r, of what is needed, n. With u = 2^-53, the error of one
// rounding relative to the result, and r < n, the quotient r/n is at most 1 and
// carries 5 roundings (of r, n, 1/n, the product and the difference), the exact
// formula 3. So the two parts differ by less than 9u and their squares by less
// than 20u. For r ≥ n one part is 0 and the other below 5u. Adding up k squares
// adds at most k²u on either side. The sum, k(20+2k)u, is below the slack of
// k(10+k)·8u.
type gauge struct {
	// about has an estimate for each pod.
	about []float64
}

// estimate estimates the distance of each pod, and says how high an estimate
// the nearest pod can have. columns has what the pods free, a column for each
// entry of left. There is a pod. The slice is good until the next call.
func (g *gauge) estimate(left []int64, columns [][]float64) (about []float64, limit float64) {
	pods, open := len(columns[0]), 0.0
	g.about = slices.Grow(g.about[:0], pods)[:pods]
	clear(g.about)
	for i, n := range left {
		if n > 0 {
			addSquares(g.about, columns[i], 1/float64(n))
			open++
		}
	}
	slack := open * (10 + open) * 0x1p-50
	return g.about, lowest(g.about) + 2*slack
}

// addSquares adds the squares of the parts that each pod would leave of one
// need.
func addSquares(about, frees []float64, inverse float64) {
	frees = frees[:len(about)]
	for i := range about {
		if part := 1 - frees[i]*inverse; part > 0 {
			about[i] += part * part
		}
	}
}

// lowest is the least of the estimates. [slices.Min] takes care of NaN, which
// costs time and which none of them is.
func lowest(about []float64) float64 {
	least := about[0]
	for _, a := range about {
		if a < least {
			least = a
		}
	}
	return least
}
