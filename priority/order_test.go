package priority

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
)

func TestCritical(t *testing.T) {
	at := outrank.Priority
	for _, c := range []struct {
		name string
		pod  *outrank.Pod
		want bool
	}{
		{"nil", nil, false},
		{"no priority", &outrank.Pod{}, false},
		{"highest of a user's class", &outrank.Pod{Priority: at(UserMax)}, false},
		{"just below", &outrank.Pod{Priority: at(SystemCritical - 1)}, false},
		{"cluster critical", &outrank.Pod{Priority: at(ClusterCritical)}, true},
		{"node critical", &outrank.Pod{Priority: at(NodeCritical)}, true},
		{"static without a priority is for the kubelet to call critical", &outrank.Pod{Static: true, Mirror: true}, false},
	} {
		require.Equal(t, c.want, Critical(c.pod), c.name)
	}
}

var noon = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)

func TestCompare(t *testing.T) {
	at := outrank.Priority
	early, late := noon.Add(-2*time.Hour), noon.Add(-time.Hour)
	for _, c := range []struct {
		name, reason string
		a, b         *outrank.Pod // a is the more important one
	}{
		{"priority", "the first thing looked at", &outrank.Pod{Name: "z", Priority: at(2), StartTime: late}, &outrank.Pod{Name: "a", Priority: at(1), StartTime: early}},
		{"extremes", "the difference does not fit into int32", &outrank.Pod{Priority: at(1 << 30)}, &outrank.Pod{Priority: at(-1 << 31)}},
		{"no priority against negative", "none counts as 0", &outrank.Pod{}, &outrank.Pod{Priority: at(-1)}},
		{"no priority against positive", "none counts as 0", &outrank.Pod{Priority: at(1)}, &outrank.Pod{}},
		{"start", "earlier is more important", &outrank.Pod{Name: "z", StartTime: early}, &outrank.Pod{Name: "a", StartTime: late}},
		{"no start", "it counts as started now", &outrank.Pod{Name: "z", StartTime: late}, &outrank.Pod{Name: "a"}},
		{"start ahead of now", "it is later than now", &outrank.Pod{Name: "z"}, &outrank.Pod{Name: "a", StartTime: noon.Add(time.Second)}},
		{"start equal to now", "the same as none, so the name decides", &outrank.Pod{Name: "a", StartTime: noon}, &outrank.Pod{Name: "b"}},
		{"start in another zone", "the moment counts", &outrank.Pod{Name: "z", StartTime: early.In(time.FixedZone("x", 3600*9))}, &outrank.Pod{Name: "a", StartTime: late}},
		{"namespace", "before the name", &outrank.Pod{Namespace: "a", Name: "z"}, &outrank.Pod{Namespace: "b", Name: "a"}},
		{"no namespace", "it is called default", &outrank.Pod{Name: "z"}, &outrank.Pod{Namespace: "e", Name: "a"}},
		{"no namespace against one before it", "default comes after a", &outrank.Pod{Namespace: "a", Name: "z"}, &outrank.Pod{Name: "a"}},
		{"name", "then the name", &outrank.Pod{Name: "a", UID: "2"}, &outrank.Pod{Name: "b", UID: "1"}},
		{"uid", "last", &outrank.Pod{Name: "a", UID: "1"}, &outrank.Pod{Name: "a", UID: "2"}},
		{"nil", "less than anything", &outrank.Pod{Priority: at(-1 << 31)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, -1, Compare(c.a, c.b, noon), c.reason)
			require.Equal(t, 1, Compare(c.b, c.a, noon), c.reason)
			require.Zero(t, Compare(c.a, c.a, noon))
			require.Zero(t, Compare(c.b, c.b, noon))
		})
	}
}

var anyPod = rapid.Custom(func(t *rapid.T) *outrank.Pod {
	p := &outrank.Pod{
		Namespace: rapid.SampledFrom([]string{"", "default", "b"}).Draw(t, "namespace"),
		Name:      rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name"),
		UID:       rapid.SampledFrom([]string{"", "1"}).Draw(t, "uid"),
	}
	if rapid.Bool().Draw(t, "has priority") {
		p.Priority = outrank.Priority(rapid.Int32Range(-1, 1).Draw(t, "priority"))
	}
	if rapid.Bool().Draw(t, "has start") {
		p.StartTime = noon.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "start")) * time.Hour)
	}
	return p
})

// Compare is a total order: swapping the arguments swaps the sign, it is
// transitive, and it is 0 only for equal pods. So sorting ends in one order,
// whatever order it begins with.
func TestCompareIsATotalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := anyPod.Draw(t, "a"), anyPod.Draw(t, "b"), anyPod.Draw(t, "c")
		ab, bc, ac := Compare(a, b, noon), Compare(b, c, noon), Compare(a, c, noon)
		require.Equal(t, -ab, Compare(b, a, noon))
		if ab <= 0 && bc <= 0 {
			require.LessOrEqual(t, ac, min(ab, bc), "a ≤ b ≤ c")
		}
		if ab == 0 {
			require.Equal(t, string(a.Key())+a.UID, string(b.Key())+b.UID)
			require.Equal(t, a.PriorityValue(), b.PriorityValue())
		}
		if a.PriorityValue() > b.PriorityValue() {
			require.Negative(t, ab)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		less := func(a, b *outrank.Pod) int { return Compare(a, b, noon) }
		pods := rapid.SliceOfN(anyPod, 0, 8).Draw(t, "pods")
		other := rapid.Permutation(pods).Draw(t, "other order")
		slices.SortFunc(pods, less)
		slices.SortFunc(other, less)
		for i := range pods {
			if less(pods[i], other[i]) != 0 {
				t.Fatalf("place %d (-one order +other order):\n%s", i, testdiff.Diff(pods[i], other[i]))
			}
		}
	})
}

func TestCompareAllocatesNothing(t *testing.T) {
	a, b := &outrank.Pod{Name: "a", UID: "1"}, &outrank.Pod{Name: "a", UID: "2"}
	require.Zero(t, testing.AllocsPerRun(100, func() { Compare(a, b, noon) }))
}
