package kubeletadmit

// gauge estimates distances without dividing. An estimate is off by no more
// than slack, so that a pod whose estimate lies above a distance by more than
// slack is truly farther: leaving it out changes no choice.
//
// Why: a part that is left is computed as 1 - r·(1/n) in place of (n-r)/n, for
// what a pod frees, r, of what is needed, n. With u = 2^-53, the error of one
// rounding relative to the result, and r < n, the quotient r/n is at most 1 and
// carries 5 roundings (of r, n, 1/n, the product and the difference), the exact
// formula 3. So the two parts differ by less than 9u and their squares by less
// than 20u. For r ≥ n one part is 0 and the other below 5u. Adding up k squares
// adds at most k²u on either side. The sum, k(20+2k)u, is below slack.
type gauge struct {
	// open are the places of what is still needed, and inverse holds 1/n for
	// each.
	open    []int
	inverse []float64
	slack   float64
}

// set takes over what is left to be found.
func (g *gauge) set(left []int64) {
	g.open, g.inverse = g.open[:0], g.inverse[:0]
	for i, n := range left {
		if n > 0 {
			g.open, g.inverse = append(g.open, i), append(g.inverse, 1/float64(n))
		}
	}
	k := float64(len(g.open))
	g.slack = k * (10 + k) * 0x1p-50
}

// about is the distance of the pod with the row, give or take slack.
func (g *gauge) about(row []int64) (sum float64) {
	for i, at := range g.open {
		if part := 1 - float64(row[at])*g.inverse[i]; part > 0 {
			sum += part * part
		}
	}
	return sum
}
