package preemption

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/exact"
)

// fullScore has something in every field.
func fullScore(t *testing.T) Score {
	s := Score{Violations: 1, TopPriority: 2, PrioritySum: 3, Victims: 4, Start: time.Unix(5, 6).UTC(), Cost: 7}
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		require.False(t, v.Field(i).IsZero(), "%s: new, and not set here", v.Type().Field(i).Name)
	}
	return s
}

func TestScoresAndFiguresHoldTheSame(t *testing.T) {
	s := fullScore(t)
	f := s.figures()
	assert.Equal(t, s, f.score())
}

// No figure is forgotten: two scores that differ in one field are told apart by one figure,
// which one rank compares.
func TestEveryFigureIsComparedByARank(t *testing.T) {
	full := fullScore(t)
	ranks := map[figure]Rank{}
	for r := range Rank(len(rankRules)) {
		x := r.rule().figure
		if x == noFigure {
			continue
		}
		require.Zero(t, ranks[x], "%v and %v compare the same", ranks[x], r)
		ranks[x] = r
		assert.Equal(t, x == costFigure, r.rule().cost != nil, "%v", r)
	}
	require.Len(t, ranks, int(numFigures)-1)
	for i := range reflect.TypeFor[Score]().NumField() {
		without := full
		reflect.ValueOf(&without).Elem().Field(i).SetZero()
		var by []Rank
		for _, r := range ranks {
			if order, decided := without.Compare(full, r); order != 0 {
				assert.Equal(t, r, decided)
				assert.NotZero(t, r.Gap(without, full))
				assert.Equal(t, order < 0, r.Gap(without, full) > 0, "%v", r)
				by = append(by, r)
			}
		}
		assert.Len(t, by, 1, "%s", reflect.TypeFor[Score]().Field(i).Name)
	}
}

// The searches compare and count as the scores do.
func TestSearchComparesAsScoresDo(t *testing.T) {
	full := fullScore(t)
	for r := range Rank(len(rankRules)) {
		if !r.configurable() {
			continue
		}
		order := figuresOf([]Rank{r})
		for i := range reflect.TypeFor[Score]().NumField() {
			other := full
			reflect.ValueOf(&other).Elem().Field(i).SetZero()
			f, g := nodeScore{1, full.figures()}, nodeScore{0, other.figures()}
			want, _ := full.Compare(other, r)
			assert.Equal(t, want < 0, f.beats(&g, &order), "%v", r)
			assert.Equal(t, want >= 0, g.beats(&f, &order), "%v; the position settles what ties", r)
		}
	}
}

// What is written out for speed is the order of the default ranks.
func TestDefaultOrderIsWrittenOut(t *testing.T) {
	few := func(t *rapid.T) int { return rapid.IntRange(0, 1).Draw(t, "few") }
	draw := rapid.Custom(func(t *rapid.T) nodeScore {
		return nodeScore{rapid.IntRange(-1, 2).Draw(t, "position"), figures{
			violations: few(t), top: int32(few(t)), victims: int32(few(t)), sum: int64(few(t)),
			start: instant{sec: int64(few(t)), nsec: int32(few(t))}, cost: int64(few(t)),
		}}
	})
	rapid.Check(t, func(t *rapid.T) {
		f, g := draw.Draw(t, "f"), draw.Draw(t, "g")
		assert.Equal(t, f.beats(&g, &defaultOrder), f.beatsByDefault(&g), "%+v and %+v", f, g)
	})
}

// The search for exact victims has a measure for every figure.
func TestExactMeasuresEveryFigure(t *testing.T) {
	seen := map[exact.Measure]bool{}
	for x := noFigure + 1; x < numFigures; x++ {
		assert.False(t, seen[measures[x]], "figure %d has none of its own", x)
		seen[measures[x]] = true
	}
}
