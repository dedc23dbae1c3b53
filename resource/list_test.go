package resource_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/resource"
)

func TestAmount(t *testing.T) {
	l := resource.MustList("cpu", "1.0001", "memory", "1.5", "example.com/gpu", "2", "tiny", "1n", "huge", "12E", "negative", "-0.5")
	for n, want := range map[resource.Name]int64{
		"cpu": 1001, "memory": 2, "example.com/gpu": 2, "tiny": 1, "huge": math.MaxInt64, "negative": -1, "missing": 0,
	} {
		if got := l.Amount(n); got != want {
			t.Errorf("Amount(%s) = %d, want %d", n, got, want)
		}
	}
	if got := resource.List(nil).Amount("cpu"); got != 0 {
		t.Errorf("nil list: Amount(cpu) = %d, want 0", got)
	}
}

func TestListEqual(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b resource.List
		want bool
	}{
		{"nil and empty", nil, resource.List{}, true},
		{"nil and zeros", nil, resource.MustList("cpu", "0"), true},
		{"missing and 0", resource.MustList("cpu", "1", "memory", "0"), resource.MustList("cpu", "1", "pods", "0"), true},
		{"formats", resource.MustList("memory", "1Gi"), resource.MustList("memory", "1073741824"), true},
		{"amounts", resource.MustList("cpu", "1"), resource.MustList("cpu", "2"), false},
		{"missing and 1", resource.MustList("cpu", "1"), nil, false},
		{"names", resource.MustList("cpu", "1"), resource.MustList("memory", "1"), false},
		{"the same count of names", resource.MustList("cpu", "0", "memory", "1"), resource.MustList("cpu", "0", "pods", "1"), false},
		{"a billionth", resource.MustList("cpu", "1"), resource.MustList("cpu", "1000000001n"), false},
	} {
		if got := tt.a.Equal(tt.b); got != tt.want {
			t.Errorf("%s: Equal(%v, %v) = %v, want %v", tt.name, tt.a, tt.b, got, tt.want)
		}
		if got := tt.b.Equal(tt.a); got != tt.want {
			t.Errorf("%s: Equal(%v, %v) = %v, want %v", tt.name, tt.b, tt.a, got, tt.want)
		}
	}
}

func TestListCombine(t *testing.T) {
	a := resource.MustList("cpu", "500m", "memory", "1Gi", "a", "-1")
	b := resource.MustList("cpu", "1", "memory", "512Mi", "b", "3")
	if diff := testdiff.Diff(resource.MustList("cpu", "1500m", "memory", "1536Mi", "a", "-1", "b", "3"), a.Plus(b)); diff != "" {
		t.Errorf("Plus: %s", diff)
	}
	if diff := testdiff.Diff(resource.MustList("cpu", "1", "memory", "1Gi", "a", "-1", "b", "3"), a.Max(b)); diff != "" {
		t.Errorf("Max: %s", diff)
	}
	if most := resource.MustList("memory", "1Gi").Max(resource.MustList("memory", "1073741824")); most.String() != "memory: 1Gi" {
		t.Errorf("Max of equal amounts: %s, want the format of the first", most)
	}
	if sum := resource.List(nil).Plus(nil); sum == nil || len(sum) != 0 {
		t.Errorf("nil.Plus(nil) = %#v, want an empty list to write to", sum)
	}
	if clone := resource.List(nil).Clone(); clone != nil {
		t.Errorf("nil.Clone() = %#v, want nil", clone)
	}
}

// drawList draws a list over a few names.
func drawList(t *rapid.T, label string) resource.List {
	names := rapid.SampledFrom([]resource.Name{"cpu", "memory", "pods", "example.com/a", "example.com/b"})
	amount := rapid.Custom(func(t *rapid.T) resource.Quantity {
		return resource.NewMilli(rapid.Int64Range(-5000, 5000).Draw(t, "milli"))
	})
	return rapid.MapOfN(names, amount, 0, 5).Draw(t, label)
}

func TestListProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawList(t, "a"), drawList(t, "b")
		aBefore, bBefore := maps.Clone(a), maps.Clone(b)
		sum, most := a.Plus(b), a.Max(b)
		union := slices.Compact(slices.Sorted(slices.Values(append(a.Names(), b.Names()...))))
		if !slices.Equal(sum.Names(), union) || !slices.Equal(most.Names(), union) {
			t.Fatalf("Plus names %v, Max names %v, want the sorted union %v", sum.Names(), most.Names(), union)
		}
		for _, n := range union {
			if want := a[n].Add(b[n]); !sum[n].Equal(want) {
				t.Fatalf("Plus: %s is %v, want %v", n, sum[n], want)
			}
			_, inA := a[n]
			_, inB := b[n]
			got := most[n]
			if inA && got.Cmp(a[n]) < 0 || inB && got.Cmp(b[n]) < 0 || !got.Equal(a[n]) && !got.Equal(b[n]) {
				t.Fatalf("Max: %s is %v of %v and %v", n, got, a[n], b[n])
			}
		}
		if !sum.Equal(b.Plus(a)) || !most.Equal(b.Max(a)) {
			t.Fatalf("%v and %v: the order matters", a, b)
		}
		sum["cpu"], most["cpu"] = resource.New(99), resource.New(99)
		clone := a.Clone()
		clone["memory"] = resource.New(99)
		if diff := testdiff.Diff(aBefore, a) + testdiff.Diff(bBefore, b); diff != "" || len(a) != len(aBefore) || len(b) != len(bBefore) {
			t.Fatalf("an operand changed: %s", diff)
		}
	})
}

func TestListString(t *testing.T) {
	for _, tt := range []struct {
		list resource.List
		want string
	}{
		{nil, ""},
		{resource.MustList("memory", "1024Mi", "cpu", "0.5"), "cpu: 500m, memory: 1Gi"},
	} {
		if got := tt.list.String(); got != tt.want {
			t.Errorf("String() = %q, want %q", got, tt.want)
		}
	}
}

func TestMustListPanics(t *testing.T) {
	for name, pairs := range map[string][]string{
		"odd": {"cpu"}, "bad quantity": {"cpu", "1 "}, "twice": {"cpu", "1", "cpu", "1"},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: MustList(%q) did not panic", name, pairs)
				}
			}()
			resource.MustList(pairs...)
		}()
	}
}
