package metrics

import (
	"encoding/json"
	"math"
	"slices"
)

// Figure is a number that may be undefined. An undefined figure is NaN, and null in JSON.
type Figure float64

// Undefined is the figure without a value.
func Undefined() Figure { return Figure(math.NaN()) }

// Defined reports whether the figure has a value.
func (f Figure) Defined() bool { return !math.IsNaN(float64(f)) }

// MarshalJSON writes null for an undefined figure.
func (f Figure) MarshalJSON() ([]byte, error) {
	if !f.Defined() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Figure) UnmarshalJSON(text []byte) error {
	*f = Undefined()
	if string(text) == "null" {
		return nil
	}
	return json.Unmarshal(text, (*float64)(f))
}

// over returns a quotient. It is undefined if the divisor is 0.
func over(a, by float64) Figure {
	if by == 0 {
		return Undefined()
	}
	return Figure(a / by)
}

// Spread sums up samples. Without samples all its figures are undefined.
type Spread struct {
	Mean Figure `json:"mean"`
	// Median and P95 are values of samples: half of the samples, or 95 of 100, are not larger.
	Median Figure `json:"median"`
	P95    Figure `json:"p95"`
	Max    Figure `json:"max"`
}

// spreadOf sums up samples in any order.
func spreadOf(samples []float64) Spread {
	if len(samples) == 0 {
		return Spread{Undefined(), Undefined(), Undefined(), Undefined()}
	}
	sorted := slices.Sorted(slices.Values(samples))
	sum := 0.0
	for _, v := range sorted {
		sum += v
	}

	// rank returns the first sample, in order, that p of 100 samples do not exceed.
	rank := func(p int) Figure { return Figure(sorted[(len(sorted)*p+99)/100-1]) }
	return Spread{Mean: over(sum, float64(len(sorted))), Median: rank(50), P95: rank(95), Max: rank(100)}
}

// Jain returns Jain's fairness index of shares: the square of their sum, divided by the product of their
// number and the sum of their squares. It is 1 if all are equal, and 1/n if one of n has everything. It is
// undefined if there are no shares, or if all are 0. Time is linear.
func Jain(shares []float64) Figure {
	largest := 0.0
	for _, v := range shares {
		largest = max(largest, v)
	}
	if largest == 0 {
		return Undefined()
	}

	sum, squares := 0.0, 0.0
	for _, v := range shares {
		v /= largest // the index stays the same, and no square overflows
		sum += v
		squares += float64(v * v)
	}
	return over(float64(sum*sum), float64(len(shares))*squares)
}
