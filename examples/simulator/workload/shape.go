package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/outrank-go/outrank"
)

// Shape says how to make more or denser work from a list of items.
type Shape struct {
	// Load is the number of pods for every pod of the list; zero means 1. Each pod occurs as often as the
	// whole part of Load says, and once more with the probability of its fraction.
	Load float64
	// TimeScale multiplies the times between arrivals: with 0.1, ten times as many pods arrive in the same
	// time. Durations stay the same. Zero means 1.
	TimeScale float64
	// Jitter is the longest time by which a copy arrives after its original, after scaling. Zero means a
	// hundredth of the time between the first arrival and the last.
	Jitter time.Duration
	// Seed decides which pods are copied for a fraction of Load, and when copies arrive. The same seed gives
	// the same items.
	Seed uint64
}

const (
	mostItems = 5_000_000
	mostScale = 1_000_000
)

// Validate returns an error about the first field that makes no sense. It wraps [outrank.ErrInvalid].
func (s Shape) Validate() error {
	switch {
	case !(s.Load >= 0 && s.Load <= mostScale):
		return fmt.Errorf("%w: load %v is not between 0 and %d", outrank.ErrInvalid, s.Load, mostScale)
	case !(s.TimeScale >= 0 && s.TimeScale <= mostScale):
		return fmt.Errorf("%w: time scale %v is not between 0 and %d", outrank.ErrInvalid, s.TimeScale, mostScale)
	case s.Jitter < 0 || s.Jitter > mostSeconds*time.Second:
		return fmt.Errorf("%w: jitter %v is not between 0 and %d seconds", outrank.ErrInvalid, s.Jitter, mostSeconds)
	}
	return nil
}

// Of returns a new list, in which arrivals begin at 0, are scaled, and pods are copied. A copy has the name
// of its original with -2, -3 and so on appended. Its pod shares everything except the name with the
// original; the given items are only read. The copies of a pod depend only on the seed and its index in the
// list. The result is ordered by arrival, then by name. Errors wrap [outrank.ErrInvalid]: those of
// [Shape.Validate], too many items, and a copy with the name of another pod.
func (s Shape) Of(items []Item) ([]Item, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Load == 0 {
		s.Load = 1
	}
	if s.TimeScale == 0 {
		s.TimeScale = 1
	}
	if s.Load*float64(len(items)) > mostItems {
		return nil, fmt.Errorf("%w: load %v makes more than %d pods of %d", outrank.ErrInvalid, s.Load, mostItems, len(items))
	}

	first, last := span(items)
	if s.Jitter == 0 {
		s.Jitter = s.scaled(last-first) / 100
	}
	out := make([]Item, 0, int(s.Load*float64(len(items)))+1)
	for i, item := range items {
		item.Arrival = s.scaled(item.Arrival - first)
		out = s.appendCopies(out, item, i)
	}
	sortItems(out)
	return out, unique(out)
}

// appendCopies appends an item as often as the load demands. Each item has its own random numbers, so that
// its copies do not depend on the items before it.
func (s Shape) appendCopies(out []Item, item Item, index int) []Item {
	dice := rand.New(rand.NewPCG(s.Seed, uint64(index)))
	whole, fraction := math.Modf(s.Load)
	copies := int(whole)
	if dice.Float64() < fraction {
		copies++
	}

	for n := range copies {
		made := item
		if n > 0 {
			pod := *item.Pod
			pod.Name = fmt.Sprintf("%s-%d", pod.Name, n+1)
			made.Pod = &pod
			made.Arrival += time.Duration(dice.Int64N(int64(s.Jitter) + 1)).Truncate(time.Millisecond)
		}
		out = append(out, made)
	}
	return out
}

// scaled returns a scaled time between arrivals. It is bounded far below the largest duration, so that sums
// do not overflow.
func (s Shape) scaled(d time.Duration) time.Duration {
	const most = float64(math.MaxInt64 / 4)
	return time.Duration(min(float64(d)*s.TimeScale, most)).Truncate(time.Millisecond)
}

// span returns the first and the last arrival. The items may be in any order.
func span(items []Item) (first, last time.Duration) {
	if len(items) == 0 {
		return 0, 0
	}
	first, last = items[0].Arrival, items[0].Arrival
	for _, item := range items {
		first, last = min(first, item.Arrival), max(last, item.Arrival)
	}
	return first, last
}

// unique returns an error if two pods have the same name.
func unique(items []Item) error {
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		if seen[item.Pod.Name] {
			return fmt.Errorf("%w: a copy and another pod are both called %s", outrank.ErrInvalid, quote(item.Pod.Name))
		}
		seen[item.Pod.Name] = true
	}
	return nil
}
