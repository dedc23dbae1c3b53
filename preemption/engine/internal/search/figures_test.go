package search

import (
	"cmp"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// fullScore has something in every field.
func fullScore(t *testing.T) preemption.Score {
	s := preemption.Score{Violations: 1, TopPriority: 2, PrioritySum: 3, Victims: 4, Start: time.Unix(5, 6).UTC(), Own: map[string]int64{"own cost": 7}}
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		require.False(t, v.Field(i).IsZero(), "%s: new, and not set here", v.Type().Field(i).Name)
	}
	return s
}

// No figure is forgotten: two scores that differ in one field are told apart by one rank.
func TestEveryFigureIsComparedByARank(t *testing.T) {
	full := fullScore(t)
	ranks := append(preemption.DefaultRanks(), ownCost)
	require.Len(t, ranks, int(rank.NumFigures)-1)
	for i := range reflect.TypeFor[preemption.Score]().NumField() {
		without := full
		reflect.ValueOf(&without).Elem().Field(i).SetZero()
		var by []string
		for _, r := range ranks {
			if order, decided := without.Compare(full, []preemption.Rank{r}); order != 0 {
				assert.Equal(t, r.Name, decided)
				assert.Equal(t, order < 0, r.Of(without) < r.Of(full), "%v", r.Name)
				by = append(by, r.Name)
			}
		}
		assert.Len(t, by, 1, "%s", reflect.TypeFor[preemption.Score]().Field(i).Name)
	}
}

var ownCost = preemption.Rank{Name: "own cost", Cost: func(*outrank.Pod) int64 { return 1 }}

// The searches compare and count as the scores do.
func TestSearchComparesAsScoresDo(t *testing.T) {
	full := fullScore(t)
	figures := func(s *preemption.Score) rank.Figures {
		return rank.Figures{
			Violations: s.Violations, Top: s.TopPriority, Victims: int32(s.Victims), Sum: s.PrioritySum, Start: rank.InstantOf(s.Start), Cost: s.Own[ownCost.Name],
		}
	}
	for _, r := range append(preemption.DefaultRanks(), ownCost) {
		order := dryrun.OrderOf([]preemption.Rank{r})
		for i := range reflect.TypeFor[preemption.Score]().NumField() {
			other := full
			reflect.ValueOf(&other).Elem().Field(i).SetZero()
			f, g := NodeScore{Position: 1, Figures: figures(&full)}, NodeScore{Position: 0, Figures: figures(&other)}
			want, _ := full.Compare(other, []preemption.Rank{r})
			assert.Equal(t, want < 0, f.Beats(&g, &order), "%v", r.Name)
			assert.Equal(t, want >= 0, g.Beats(&f, &order), "%v; the position settles what ties", r.Name)
		}
	}
}

// The figure of a start is less for a later one, as far as an int64 goes, and agrees with the order.
func TestStartsAsFigures(t *testing.T) {
	at := func(year int) preemption.Score {
		return preemption.Score{Start: time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)}
	}
	starts := []preemption.Score{{}, at(9999), at(2263), at(2261), at(2026), at(1969), at(1679), at(1676), at(2)}
	for i, a := range starts {
		for k, b := range starts {
			order, _ := a.Compare(b, []preemption.Rank{preemption.ByStart})
			assert.Equal(t, cmp.Compare(i, k), order, "%v and %v", a.Start, b.Start)
			if order < 0 {
				assert.LessOrEqual(t, preemption.ByStart.Of(a), preemption.ByStart.Of(b))
			}
		}
	}
	assert.Equal(t, int64(time.Hour), preemption.ByStart.Of(preemption.Score{Start: time.Unix(0, 0)})-preemption.ByStart.Of(preemption.Score{Start: time.Unix(3600, 0)}))
}

// What is written out for speed is the order of the default ranks.
func TestDefaultOrderIsWrittenOut(t *testing.T) {
	few := func(t *rapid.T) int { return rapid.IntRange(0, 1).Draw(t, "few") }
	draw := rapid.Custom(func(t *rapid.T) NodeScore {
		return NodeScore{Position: rapid.IntRange(-1, 2).Draw(t, "position"), Figures: rank.Figures{
			Violations: few(t), Top: int32(few(t)), Victims: int32(few(t)), Sum: int64(few(t)),
			Start: rank.Instant{Sec: int64(few(t)), Nsec: int32(few(t))}, Cost: int64(few(t)),
		}}
	})
	rapid.Check(t, func(t *rapid.T) {
		f, g := draw.Draw(t, "f"), draw.Draw(t, "g")
		assert.Equal(t, f.Beats(&g, &DefaultOrder), f.BeatsByDefault(&g), "%+v and %+v", f, g)
	})
}
