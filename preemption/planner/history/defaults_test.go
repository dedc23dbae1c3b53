package history_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/planner/history"
)

// took records that one lineage evicted another.
func took(t *testing.T, h *history.Log, at int, preemptor, victim string) {
	t.Helper()
	require.NoError(t, h.Record(history.Preemption{
		Time: now.Add(time.Duration(at) * time.Second), Node: "n1", Preemptor: preemptor, Victims: []string{victim},
	}))
}

// With nothing set, a chain is cut at a thousand links.
func TestLongestChainByDefault(t *testing.T) {
	h, err := history.New(history.Config{})
	require.NoError(t, err)
	for i := range 1000 {
		took(t, h, i, fmt.Sprint(i), fmt.Sprint(i+1))
	}
	r := h.Summary()
	assert.Zero(t, r.CutCascades)
	assert.Equal(t, map[int]int{1000: 1}, r.Cascades)
	took(t, h, 1000, "1000", "1001")
	r = h.Summary()
	assert.Equal(t, 1, r.CutCascades)
	assert.Len(t, r.LongestCascade, 1000)
}

// With nothing set, ten thousand cycles are told apart.
func TestMostCyclesByDefault(t *testing.T) {
	h, err := history.New(history.Config{})
	require.NoError(t, err)
	for i := range 10_001 {
		took(t, h, i, fmt.Sprint("a", i), fmt.Sprint("b", i))
		took(t, h, i, fmt.Sprint("b", i), fmt.Sprint("a", i))
	}
	r := h.Summary()
	assert.Len(t, r.Cycles, 10_000)
	assert.Equal(t, 1, r.OtherRounds)
}

// Preemptions come in the order of time, from the second one on.
func TestLogGoesForward(t *testing.T) {
	h, err := history.New(history.Config{})
	require.NoError(t, err)
	took(t, h, 1, "a", "b")
	err = h.Record(history.Preemption{Time: now, Preemptor: "b", Victims: []string{"c"}})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, "preemption 2: Time: ")
	took(t, h, 1, "b", "c")
	assert.Equal(t, 2, h.Summary().Preemptions)
}
