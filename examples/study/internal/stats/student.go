package stats

import "math"

// mostDegrees is the number of degrees of freedom above which the normal distribution replaces Student's. The
// two then differ by less than one part in ten thousand.
const mostDegrees = 10_000

// tails returns the part of Student's distribution that is at least as far from 0 as t, which must not be
// negative. For integer degrees of freedom it is a finite sum in the sine and cosine of an angle (Abramowitz
// and Stegun, 26.7.3 and 26.7.4). It takes time linear in the degrees.
func tails(t float64, degrees int) float64 {
	if degrees > mostDegrees {
		return math.Erfc(t / math.Sqrt2)
	}
	angle := math.Atan(t / math.Sqrt(float64(degrees)))
	sin, cos := math.Sincos(angle)

	// The terms have increasing powers of the squared cosine. Each is the previous one times k/(k+1).
	sum, term, first := 0.0, 1.0, 1
	if degrees%2 == 1 {
		term, first = cos, 2
	}
	for k := first; k <= degrees-1; k += 2 {
		sum += term
		term *= cos * cos * float64(k) / float64(k+1)
	}

	inside := sin * sum
	if degrees%2 == 1 {
		inside = 2 / math.Pi * (angle + sin*sum)
	}
	return min(1, max(0, 1-inside))
}

// tQuantile returns the t for which the given share of Student's distribution lies between -t and t.
func tQuantile(share float64, degrees int) float64 {
	low, high := 0.0, 1.0
	for tails(high, degrees) > 1-share {
		low, high = high, 2*high
	}

	// After 60 bisections the interval is below the precision of a float64.
	for range 60 {
		if middle := (low + high) / 2; tails(middle, degrees) > 1-share {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
