package rank_test

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// victim has what a victim adds to the figures.
type victim struct {
	priority int32
	start    time.Time
	cost     int64
}

func drawVictims(t *rapid.T, label string) []victim {
	starts := []time.Time{{}, time.Unix(-5, 0).UTC(), time.Unix(100, 0).UTC(), time.Unix(100, 1).UTC(), time.Unix(200, 0).UTC()}
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) victim {
		return victim{
			priority: rapid.SampledFrom([]int32{math.MinInt32, -1, 0, 7, math.MaxInt32}).Draw(t, "priority"),
			start:    rapid.SampledFrom(starts).Draw(t, "start"),
			cost:     rapid.SampledFrom([]int64{0, 1, 50, math.MaxInt64 - 2}).Draw(t, "cost"),
		}
	}), 0, 5).Draw(t, label)
}

func figuresOf(victims []victim) (f rank.Figures) {
	for _, v := range victims {
		f.Add(v.priority, rank.InstantOf(v.start), v.cost)
	}
	return f
}

// The figures of victims are sums, in which the order of the victims has no part (rules 11.3 to 11.6).
func TestPropertyFiguresAreSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		victims := drawVictims(t, "victims")
		f := figuresOf(rapid.Permutation(victims).Draw(t, "order"))
		require.EqualValues(t, len(victims), f.Victims)
		if len(victims) == 0 {
			require.Zero(t, f)
			return
		}

		sum, cost := int64(0), float64(0)
		top := slices.MaxFunc(victims, func(v, w victim) int { return cmp.Compare(v.priority, w.priority) }).priority
		var earliest time.Time // of those of the top priority; none where none has one
		for _, v := range victims {
			sum += int64(v.priority) + 1<<31
			cost += float64(v.cost)
			if v.priority == top && !v.start.IsZero() && (earliest.IsZero() || v.start.Before(earliest)) {
				earliest = v.start
			}
		}
		require.Equal(t, sum, f.Sum)
		require.Equal(t, top, f.Top)
		require.Equal(t, earliest, f.Start.Time())
		require.InDelta(t, min(cost, math.MaxInt64), float64(f.Cost), 2048, "up to the largest number")
	})
}

// Add says of each victim whether its start is the one that counts from then on.
func TestAddTellsWhoseStartCounts(t *testing.T) {
	at := func(sec int64) rank.Instant { return rank.Instant{Sec: sec} }
	var f rank.Figures
	for _, test := range []struct {
		name     string
		priority int32
		start    rank.Instant
		want     bool
	}{
		{"the first", 5, at(100), true},
		{"a lower priority", 4, at(50), false},
		{"the same priority, later", 5, at(101), false},
		{"the same priority at the same time", 5, at(100), false},
		{"the same priority, earlier", 5, at(99), true},
		{"a higher priority without a start", 6, rank.Never, true},
		{"the same priority with one", 6, at(1000), true},
	} {
		assert.Equal(t, test.want, f.Add(test.priority, test.start, 0), test.name)
	}
}

// Figures compare as their numbers do: less is better; of starts the later is. Gap says by how much.
func TestPropertyCompareAndGap(t *testing.T) {
	nanoseconds := func(start time.Time) int64 { // no start is later than any
		if start.IsZero() {
			return math.MaxInt64
		}
		return start.UnixNano()
	}
	rapid.Check(t, func(t *rapid.T) {
		f, g := figuresOf(drawVictims(t, "f")), figuresOf(drawVictims(t, "g"))
		f.Violations, g.Violations = rapid.IntRange(0, 2).Draw(t, "violations"), rapid.IntRange(0, 2).Draw(t, "violations")
		for figure, numbers := range map[rank.Figure][2]int64{
			rank.ViolationsFigure: {int64(f.Violations), int64(g.Violations)},
			rank.TopFigure:        {int64(f.Top), int64(g.Top)},
			rank.SumFigure:        {f.Sum, g.Sum},
			rank.VictimsFigure:    {int64(f.Victims), int64(g.Victims)},
			rank.CostFigure:       {f.Cost, g.Cost},
		} {
			require.Equal(t, numbers[0], f.Of(figure), "figure %d", figure)
			require.Equal(t, cmp.Compare(numbers[0], numbers[1]), f.Compare(&g, figure), "figure %d", figure)
			require.Equal(t, numbers[1]-numbers[0], f.Gap(&g, figure), "figure %d", figure)
		}

		if f.Victims == 0 || g.Victims == 0 {
			return // nobody has no start
		}
		later := cmp.Compare(nanoseconds(f.Start.Time()), nanoseconds(g.Start.Time()))
		require.Equal(t, -later, f.Compare(&g, rank.StartFigure))
		require.Equal(t, later, cmp.Compare(f.Gap(&g, rank.StartFigure), 0))
		if f.Start != rank.Never && g.Start != rank.Never {
			require.EqualValues(t, f.Start.Time().Sub(g.Start.Time()), f.Gap(&g, rank.StartFigure))
		}
	})
}

// A gap beyond the range of nanoseconds is the largest int64, or the smallest.
func TestGapOfStartsFarApart(t *testing.T) {
	for _, starts := range [][2]rank.Instant{
		{rank.InstantOf(time.Unix(-1<<40, 0)), rank.InstantOf(time.Unix(1<<40, 0))},
		{rank.InstantOf(time.Unix(0, 0)), rank.Never},
		{rank.InstantOf(time.Unix(-5, 0)), rank.Never},
	} {
		early, late := rank.Figures{Start: starts[0]}, rank.Figures{Start: starts[1]}
		assert.Equal(t, int64(math.MaxInt64), late.Gap(&early, rank.StartFigure), "%v", starts)
		assert.Equal(t, int64(math.MinInt64), early.Gap(&late, rank.StartFigure), "%v", starts)
	}
}

// An instant gives back the time that it was made of, without the zone.
func TestPropertyInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) time.Time {
			return time.Unix(rapid.Int64Range(-1<<40, 1<<40).Draw(t, label), rapid.Int64Range(0, 1).Draw(t, "nanoseconds"))
		}
		a, b := draw("a"), draw("b")
		require.Equal(t, a.UTC(), rank.InstantOf(a).Time())
		require.Equal(t, a.Before(b), rank.InstantOf(a).Before(rank.InstantOf(b)))
		require.True(t, rank.InstantOf(a).Before(rank.Never))
	})
	require.Equal(t, rank.Never, rank.InstantOf(time.Time{}))
	require.True(t, rank.Never.Time().IsZero())
}
