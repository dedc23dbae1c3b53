package draw_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// least gives the least of all numbers, as a case that was made as small as possible has them.
type least struct{}

func (least) Int(_ string, least, _ int) int { return least }

func TestTheLeastNumbersAreThePlainest(t *testing.T) {
	assert.Equal(t, "a", draw.Pick(least{}, "", "a", "b"))
	assert.False(t, draw.OneIn(least{}, "", 2))
	assert.Empty(t, draw.Of(least{}, "", draw.Between(0, 3), "a"))
	assert.Equal(t, []string{"a", "a"}, draw.Of(least{}, "", draw.Between(2, 3), "a", "b"))
	assert.Equal(t, []int{3, 1, 2}, draw.Shuffled(least{}, "", []int{3, 1, 2}))
}

// A seed gives each thing numbers of its own, and the same ones again.
func TestSeededNumbers(t *testing.T) {
	first := func(n draw.Numbers, sort string, index int) int { return n.Of(sort, index).Int("", 0, 1<<30) }
	seen := map[int]string{}
	for seed := range uint64(20) {
		for _, sort := range []string{"node", "nod", "kind"} {
			for index := range 20 {
				n := first(draw.Seeded(seed), sort, index)
				what := fmt.Sprint(sort, index, " of ", seed)
				assert.Empty(t, seen[n], what)
				assert.Equal(t, n, first(draw.Seeded(seed), sort, index), what)
				seen[n] = what
			}
		}
	}
}

// Every number of a range is drawn, and none beside it.
func TestRangesAreWhole(t *testing.T) {
	s, seen := draw.Seeded(1).Of("", 0), map[int]bool{}
	for range 200 {
		seen[s.Int("", -2, 2)] = true
	}
	assert.Equal(t, map[int]bool{-2: true, -1: true, 0: true, 1: true, 2: true}, seen)
}

func TestShuffledIsAnOrder(t *testing.T) {
	given := []int{1, 2, 3, 4}
	orders := map[string]bool{}
	for seed := range uint64(500) {
		order := draw.Shuffled(draw.Seeded(seed).Of("", 0), "", given)
		orders[fmt.Sprint(order)] = true
		slices.Sort(order)
		assert.Equal(t, given, order)
	}
	assert.Len(t, orders, 24)
}

// A new name of a pod is that of the claims that are made for it, and of no others; a pod that
// shares its list of volumes keeps it.
func TestRename(t *testing.T) {
	kind := outrank.Pod{Volumes: []outrank.Volume{{Claim: "-e0", Ephemeral: true}, {Claim: "data"}}}
	a, b := kind, kind
	draw.Rename(&a, "a")
	draw.Rename(&b, "b")
	draw.Rename(&b, "c")
	assert.Equal(t, outrank.Pod{Name: "a", Volumes: []outrank.Volume{{Claim: "a-e0", Ephemeral: true}, {Claim: "data"}}}, a)
	assert.Equal(t, outrank.Pod{Name: "c", Volumes: []outrank.Volume{{Claim: "c-e0", Ephemeral: true}, {Claim: "data"}}}, b)
	assert.Equal(t, "-e0", kind.Volumes[0].Claim)
}
