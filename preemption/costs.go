package preemption

import (
	"math/bits"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// WorkLost makes a cost for [Config.Cost]: what the pod has held of a resource since it
// started, or since its last checkpoint, up to now. It is counted in seconds times
// thousandths of a core for cpu, times units for any other resource; what a pod has held
// is what it requests. It stops at the largest int64, and parts of a second are dropped.
//
// checkpoint returns when the pod's work was saved last, and the zero time where that is
// not known, which the start counts for; a nil function knows of none. A checkpoint before
// the start, such as one of an earlier run, is none. A pod that has no start time, or one
// after now, has lost nothing: the input does not say that it has worked. Nor has nil.
//
// now must not change as long as an evaluator has the cost, because its answers are kept:
// make a new evaluator for another time.
func WorkLost(name resource.Name, now time.Time, checkpoint func(*outrank.Pod) time.Time) func(victim *outrank.Pod) int64 {
	return func(victim *outrank.Pod) int64 {
		if victim == nil || victim.StartTime.IsZero() {
			return 0
		}
		since := victim.StartTime
		if checkpoint != nil {
			if at := checkpoint(victim); at.After(since) {
				since = at
			}
		}
		if !now.After(since) {
			return 0
		}
		// Not by Sub, which stops at 292 years.
		seconds := now.Unix() - since.Unix()
		if now.Nanosecond() < since.Nanosecond() {
			seconds--
		}
		return product(seconds, resource.Amount(name, victim.RequestOf(name)))
	}
}

// product multiplies, up to the largest number; 0 if either is below 0.
func product(a, b int64) int64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi > 0 || lo > 1<<63-1 {
		return 1<<63 - 1
	}
	return int64(lo)
}

// SumOfCosts makes a cost for [Config.Cost] of several: their sum, in which each counts as
// 0 where it is below that, and which stops at the largest int64. A nil cost counts as 0.
func SumOfCosts(costs ...func(victim *outrank.Pod) int64) func(victim *outrank.Pod) int64 {
	return func(victim *outrank.Pod) (sum int64) {
		for _, cost := range costs {
			if cost != nil {
				sum = resource.AddSat(sum, max(0, cost(victim)))
			}
		}
		return sum
	}
}
