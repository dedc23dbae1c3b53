package workload

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
)

func sampleItems(t require.TestingT) []Item {
	items, err := SamplePods(DefaultClasses())
	require.NoError(t, err)
	return items
}

func TestShapeOfNothing(t *testing.T) {
	items, err := Shape{Load: 3}.Of(nil)
	require.NoError(t, err)
	require.Empty(t, items)
}

// The zero shape only lets arrivals begin at 0.
func TestZeroShape(t *testing.T) {
	items := sampleItems(t)
	got, err := Shape{}.Of(items)
	require.NoError(t, err)
	want := sampleItems(t)
	for i := range want {
		want[i].Arrival -= items[0].Arrival
	}
	if diff := testdiff.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Copies come after their originals, within the jitter, and are the same but
// for their names; originals stay where they were scaled to.
func TestShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Shape{
			Load:      rapid.Float64Range(0.1, 4).Draw(t, "load"),
			TimeScale: rapid.Float64Range(0.01, 3).Draw(t, "time scale"),
			Jitter:    time.Duration(rapid.IntRange(1, 100).Draw(t, "jitter")) * time.Second,
			Seed:      rapid.Uint64().Draw(t, "seed"),
		}
		items := sampleItems(t)[:30]
		got, err := s.Of(items)
		require.NoError(t, err)
		if diff := testdiff.Diff(sampleItems(t)[:30], items); diff != "" {
			t.Fatalf("the items were changed:\n%s", diff)
		}
		again, _ := s.Of(items)
		if diff := testdiff.Diff(got, again); diff != "" {
			t.Fatalf("the same seed gives other items:\n%s", diff)
		}
		named := map[string]Item{}
		for i, item := range got {
			named[item.Pod.Name] = item
			if i > 0 && got[i-1].Arrival > item.Arrival {
				t.Fatalf("%s comes before %s", item.Pod.Name, got[i-1].Pod.Name)
			}
		}
		for _, item := range items {
			checkCopies(t, s, item, items[0].Arrival, named)
		}
		require.Empty(t, named, "pods that are nobody's copy")
	})
}

func checkCopies(t *rapid.T, s Shape, item Item, first time.Duration, named map[string]Item) {
	at := time.Duration(float64(item.Arrival-first) * s.TimeScale)
	copies := 0
	for n := 1; n <= 5; n++ {
		name := item.Pod.Name
		if n > 1 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		c, ok := named[name]
		if !ok {
			continue
		}
		delete(named, name)
		copies++
		late := c.Arrival - at.Truncate(time.Millisecond)
		if late < 0 || n == 1 && late != 0 || late > s.Jitter {
			t.Fatalf("%s comes %v after its original", name, late)
		}
		if c.Duration != item.Duration || c.Endless != item.Endless || c.Class != item.Class || c.Asks() != item.Asks() {
			t.Fatalf("%s is %+v, its original %+v", name, c, item)
		}
	}
	if float64(copies) < math.Floor(s.Load) || float64(copies) > math.Ceil(s.Load) {
		t.Fatalf("%s is there %d times, load %v", item.Pod.Name, copies, s.Load)
	}
}

func TestFractionOfLoad(t *testing.T) {
	items := sampleItems(t)
	for _, load := range []float64{0.5, 1.3, 10} {
		got, err := Shape{Load: load, Seed: 7}.Of(items)
		require.NoError(t, err)
		require.InDelta(t, load*150, len(got), 20, "load %v", load)
	}
	one, _ := Shape{Load: 0.5, Seed: 1}.Of(items)
	two, _ := Shape{Load: 0.5, Seed: 2}.Of(items)
	require.NotEmpty(t, testdiff.Diff(one, two), "seeds differ")
}

func TestShapeErrors(t *testing.T) {
	item := func(name string) Item { return Item{Pod: &outrank.Pod{Name: name}} }
	for _, tt := range []struct {
		shape Shape
		items []Item
		want  string
	}{
		{Shape{Load: -1}, nil, "load -1 is not between"},
		{Shape{Load: math.NaN()}, nil, "load NaN"},
		{Shape{Load: math.Inf(1)}, nil, "load +Inf"},
		{Shape{TimeScale: -1}, nil, "time scale -1"},
		{Shape{Jitter: -1}, nil, "jitter -1ns"},
		{Shape{Jitter: math.MaxInt64}, nil, "jitter 2562047h"},
		{Shape{Load: 1_000_000}, make([]Item, 10), "more than 5000000 pods of 10"},
		{Shape{Load: 2}, []Item{item("a"), item("a-2")}, `a copy and another pod are both called "a-2"`},
	} {
		_, err := tt.shape.Of(tt.items)
		require.ErrorIs(t, err, outrank.ErrInvalid)
		require.ErrorContains(t, err, tt.want)
	}
}

// Times stay far from the end of what a duration holds.
func TestScaledFar(t *testing.T) {
	items := []Item{{Pod: &outrank.Pod{Name: "a"}}, {Pod: &outrank.Pod{Name: "b"}, Arrival: mostSeconds * time.Second}}
	got, err := Shape{TimeScale: 1_000_000}.Of(items)
	require.NoError(t, err)
	require.Positive(t, got[1].Arrival+mostSeconds*time.Second)
}

// The endless pods are the demand at the end.
func TestDemandAddsUp(t *testing.T) {
	items := sampleItems(t)
	points := Demand(items)
	last, endless := points[len(points)-1], Point{}
	for _, i := range items {
		if i.Endless {
			endless.Pods++
			endless.Asked = endless.Asked.Plus(i.Asks())
		}
	}
	endless.Time = last.Time
	require.Equal(t, endless, last)
	for i := 1; i < len(points); i++ {
		require.Less(t, points[i-1].Time, points[i].Time)
	}
}

func ExampleShape_Of() {
	items := []Item{
		{Pod: &outrank.Pod{Name: "a"}, Arrival: 100 * time.Second},
		{Pod: &outrank.Pod{Name: "b"}, Arrival: 200 * time.Second},
	}
	denser, err := Shape{Load: 2, TimeScale: 0.1, Jitter: time.Second, Seed: 1}.Of(items)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, i := range denser {
		fmt.Println(i.Pod.Name, i.Arrival.Round(time.Second))
	}
	// Output:
	// a 0s
	// a-2 0s
	// b 10s
	// b-2 10s
}
