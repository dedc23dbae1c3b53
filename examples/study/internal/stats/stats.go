// Package stats answers how sure a mean over runs is: intervals by the bootstrap, and
// differences of pairs. Nothing here is drawn from a clock: the same values and the same
// name give the same interval.
package stats

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// Estimate is a mean with an interval that covers it at the confidence asked for.
type Estimate struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Spread is how far values lie apart.
type Spread struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// Bootstrap estimates the mean of values, of at least one: the interval holds that
// share of the means of so many resamples, each drawn with replacement, and leaves out
// as many below as above. A single value is its own interval. The name tells estimates
// apart, so that each has draws of its own. Time is linear in values times resamples.
func Bootstrap(values []float64, confidence float64, resamples int, name string) Estimate {
	e := Estimate{Mean: mean(values)}
	if e.Low, e.High = e.Mean, e.Mean; len(values) < 2 || allEqual(values) {
		return e
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	dice := rand.New(rand.NewPCG(h.Sum64(), uint64(len(values))))
	means := make([]float64, resamples)
	for i := range means {
		sum := 0.0
		for range values {
			sum += values[dice.IntN(len(values))]
		}
		means[i] = sum / float64(len(values))
	}
	slices.Sort(means)
	cut := (1 - confidence) / 2
	e.Low, e.High = quantile(means, cut), quantile(means, 1-cut)
	return e
}

// SpreadOf takes at least one value.
func SpreadOf(values []float64) Spread {
	sorted := slices.Sorted(slices.Values(values))
	return Spread{sorted[0], quantile(sorted, 0.5), sorted[len(sorted)-1]}
}

// quantile interpolates between the two values that are next to it.
func quantile(sorted []float64, share float64) float64 {
	at := share * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	part := at - float64(i)
	return sorted[i]*(1-part) + sorted[i+1]*part
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func allEqual(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != values[0] })
}
