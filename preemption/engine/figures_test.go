package engine

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/exact"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/search"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// fullScore has something in every field.
func fullScore(t *testing.T) preemption.Score {
	s := preemption.Score{Violations: 1, TopPriority: 2, PrioritySum: 3, Victims: 4, Start: time.Unix(5, 6).UTC(), Cost: 7}
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		require.False(t, v.Field(i).IsZero(), "%s: new, and not set here", v.Type().Field(i).Name)
	}
	return s
}

func TestScoresAndFiguresHoldTheSame(t *testing.T) {
	s := fullScore(t)
	f := (*rank.Score)(&s).Figures()
	assert.Equal(t, s, preemption.Score(f.Score()))
}

// No figure is forgotten: two scores that differ in one field are told apart by one figure,
// which one rank compares.
func TestEveryFigureIsComparedByARank(t *testing.T) {
	full := fullScore(t)
	ranks := map[rank.Figure]preemption.Rank{}
	for r := range preemption.Rank(len(rank.Rules)) {
		x := rank.Of(r).Figure
		if x == rank.NoFigure {
			continue
		}
		require.Zero(t, ranks[x], "%v and %v compare the same", ranks[x], r)
		ranks[x] = r
		assert.Equal(t, x == rank.CostFigure, rank.Of(r).Cost != nil, "%v", r)
	}
	require.Len(t, ranks, int(rank.NumFigures)-1)
	for i := range reflect.TypeFor[preemption.Score]().NumField() {
		without := full
		reflect.ValueOf(&without).Elem().Field(i).SetZero()
		var by []preemption.Rank
		for _, r := range ranks {
			if order, decided := without.Compare(full, r); order != 0 {
				assert.Equal(t, r, decided)
				assert.NotZero(t, r.Gap(without, full))
				assert.Equal(t, order < 0, r.Gap(without, full) > 0, "%v", r)
				by = append(by, r)
			}
		}
		assert.Len(t, by, 1, "%s", reflect.TypeFor[preemption.Score]().Field(i).Name)
	}
}

// The searches compare and count as the scores do.
func TestSearchComparesAsScoresDo(t *testing.T) {
	full := fullScore(t)
	for r := range preemption.Rank(len(rank.Rules)) {
		if !rank.Of(r).Configurable() {
			continue
		}
		order := search.FiguresOf([]preemption.Rank{r})
		for i := range reflect.TypeFor[preemption.Score]().NumField() {
			other := full
			reflect.ValueOf(&other).Elem().Field(i).SetZero()
			f, g := search.NodeScore{Position: 1, Figures: (*rank.Score)(&full).Figures()}, search.NodeScore{Position: 0, Figures: (*rank.Score)(&other).Figures()}
			want, _ := full.Compare(other, r)
			assert.Equal(t, want < 0, f.Beats(&g, &order), "%v", r)
			assert.Equal(t, want >= 0, g.Beats(&f, &order), "%v; the position settles what ties", r)
		}
	}
}

// What is written out for speed is the order of the default ranks.
func TestDefaultOrderIsWrittenOut(t *testing.T) {
	few := func(t *rapid.T) int { return rapid.IntRange(0, 1).Draw(t, "few") }
	draw := rapid.Custom(func(t *rapid.T) search.NodeScore {
		return search.NodeScore{Position: rapid.IntRange(-1, 2).Draw(t, "position"), Figures: rank.Figures{
			Violations: few(t), Top: int32(few(t)), Victims: int32(few(t)), Sum: int64(few(t)),
			Start: rank.Instant{Sec: int64(few(t)), Nsec: int32(few(t))}, Cost: int64(few(t)),
		}}
	})
	rapid.Check(t, func(t *rapid.T) {
		f, g := draw.Draw(t, "f"), draw.Draw(t, "g")
		assert.Equal(t, f.Beats(&g, &search.DefaultOrder), f.BeatsByDefault(&g), "%+v and %+v", f, g)
	})
}

// The search for exact victims has a measure for every figure.
func TestExactMeasuresEveryFigure(t *testing.T) {
	seen := map[exact.Measure]bool{}
	for x := rank.NoFigure + 1; x < rank.NumFigures; x++ {
		assert.False(t, seen[dryrun.Measures[x]], "figure %d has none of its own", x)
		seen[dryrun.Measures[x]] = true
	}
}
