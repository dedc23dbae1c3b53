package kubeletadmit

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// someAmount is small, anything, or at the end of the range.
func someAmount(t *rapid.T, least int64, label string) int64 {
	return rapid.OneOf(
		rapid.Int64Range(least, 5), rapid.Int64Range(least, 5), rapid.Int64Range(least, math.MaxInt64),
		rapid.Int64Range(math.MaxInt64-2, math.MaxInt64),
	).Draw(t, label)
}

// someCandidates are pods with up to eight needs and what is left of each, of which something is. An index
// sorts by six of them at most. Among the needs may be pods, and one resource twice.
func someCandidates(t *rapid.T, most int) (c *candidates, f *figures, left []int64) {
	names := []resource.Name{resource.CPU, resource.Memory, "example.com/gpu"}
	counted := tally{names: names, cpu: 0, memory: 1}
	short := rapid.SampledFrom(append(slices.Clone(names), resource.Pods))
	needs := make([]ResourceNeed, rapid.IntRange(1, 8).Draw(t, "needs"))
	for i := range needs {
		needs[i] = ResourceNeed{Resource: short.Draw(t, "short of")}
		left = append(left, someAmount(t, 0, "left"))
	}
	left[0] = max(left[0], 1)
	pods := rapid.IntRange(1, most).Draw(t, "pods")
	for range pods * len(names) {
		counted.amounts = append(counted.amounts, someAmount(t, 0, "amount"))
	}
	c, f = new(candidates), new(figures)
	f.set(&counted, needs)
	c.reset(len(needs), false)
	for pod := range pods {
		c.add(pod, f)
	}
	return c, f, left
}

// plainNearest is the rule as it is written: least distance, smaller requests,
// later in the list.
func plainNearest(c *candidates, f *figures, left []int64) (at int, least float64) {
	at = -1
	for i, pod := range c.pods {
		d := f.distance(left, pod)
		if at < 0 || d < least || d == least && f.compareRequests(pod, c.pods[at]) <= 0 {
			at, least = i, d
		}
	}
	return at, least
}

// Scanning by estimates and searching the index find what looking at everything
// does, while the list shrinks and its order changes.
func propSameNearest(t *rapid.T) {
	c, f, left := someCandidates(t, 60)
	var s scan
	var x index
	x.build(c, f, left)
	for len(c.pods) > 0 {
		at, least := plainNearest(c, f, left)
		if got, d := s.nearest(c, f, left); got != at || d != least {
			t.Fatalf("scan finds %d at %v, want %d at %v", got, d, at, least)
		}
		slot, d := x.nearest(left)
		if x.pods[slot] != c.pods[at] || x.positions[slot] != at || d != least {
			t.Fatalf("index finds %d at %v, want %d at %v", x.positions[slot], d, at, least)
		}
		if x.remove(slot, len(left)); len(x.list) != len(c.pods)-1 {
			t.Fatalf("%d pods in the index, want %d", len(x.list), len(c.pods)-1)
		}
		pod := c.pods[at]
		c.remove(at)
		for i, n := range left {
			left[i] = max(n-f.frees(pod, i), 0)
		}
		if covered(left) {
			left[rapid.IntRange(0, len(left)-1).Draw(t, "short again")] = someAmount(t, 1, "left again")
		}
	}
}

func TestSameNearest(t *testing.T) { rapid.Check(t, propSameNearest) }

func FuzzSameNearest(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propSameNearest)) }

// The argument of scan: an estimate is the distance, give or take slack, beside
// the 1 of an odd need.
func TestEstimatesAreWithinSlack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, f, left := someCandidates(t, 5)
		open := 0
		for _, n := range left {
			if n > 0 {
				open++
			}
		}
		var s scan
		s.estimate(c.columns, left)
		for i, pod := range c.pods {
			want := f.distance(left, pod) + float64(open%2)
			if off := math.Abs(s.estimates[i] - want); off > slack(len(left)) {
				t.Fatalf("estimate %v of %v is off by %v, more than %v", s.estimates[i], want, off, slack(len(left)))
			}
		}
	})
}

// The argument of the index: who frees more of everything is not farther, to
// the last bit.
func TestDistanceIsMonotonic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := someAmount(t, 1, "needed")
		less := someAmount(t, 0, "less")
		more := rapid.OneOf(rapid.Int64Range(less, math.MaxInt64), rapid.Int64Range(less, less+min(3, math.MaxInt64-less))).Draw(t, "more")
		if square(n, more) > square(n, less) {
			t.Fatalf("of %d, freeing %d leaves %v, and %d leaves %v", n, more, square(n, more), less, square(n, less))
		}
	})
}

// No pod may be lost when a tier changes from scanning to the index.
func TestTierIsTakenWhole(t *testing.T) {
	for _, pods := range []int{scanLimit - 1, scanLimit, scanLimit + 1, 3*scanLimit + groupSize + 1} {
		active := make([]*outrank.Pod, pods)
		for i := range active {
			active[i] = &outrank.Pod{Name: "p", UID: string(rune('a' + i)), Priority: outrank.Priority(0)}
		}
		critical := &outrank.Pod{Name: "critical", Static: true}
		adm, err := Resolve(critical, active, []CheckFailure{{Resource: resource.Pods, Requested: int64(pods)}}, Config{})
		if err != nil || len(adm.Evictions) != pods {
			t.Fatalf("%d of %d pods go, error %v", len(adm.Evictions), pods, err)
		}
		seen := map[*outrank.Pod]bool{}
		for _, e := range adm.Evictions {
			if seen[e.Pod] {
				t.Fatalf("of %d pods, %s goes twice", pods, e.Pod.UID)
			}
			seen[e.Pod] = true
		}
	}
}
