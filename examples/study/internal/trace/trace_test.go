package trace

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/simulator/workload"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
)

func generated(seed uint64, pods int) *spec.Trace {
	return &spec.Trace{Name: "g", Generate: &spec.Generate{Nodes: 5, Pods: pods, Hours: 2, Minutes: 10, Seed: seed}}
}

// A worker reads a trace once, and keeps the last ones.
func TestLoadOnce(t *testing.T) {
	classes := workload.DefaultClasses()
	one, err := Load(t.Context(), generated(1, 100), classes)
	require.NoError(t, err)
	again, err := Load(t.Context(), generated(1, 100), classes)
	require.NoError(t, err)
	assert.Same(t, one, again)
	for seed := range uint64(kept) {
		_, err := Load(t.Context(), generated(seed+2, 100), classes)
		require.NoError(t, err)
	}
	assert.Len(t, entries, kept)
	fresh, err := Load(t.Context(), generated(1, 100), classes)
	require.NoError(t, err)
	assert.NotSame(t, one, fresh)
	assert.Equal(t, one, fresh)
}

// Other priorities of the classes make another trace.
func TestLoadByPriorities(t *testing.T) {
	other, err := workload.ParseClasses("BE=5,Burstable=6,LS=7,Guaranteed=8")
	require.NoError(t, err)
	_, err = Load(t.Context(), generated(1, 100), workload.DefaultClasses())
	require.NoError(t, err)
	mapped, err := Load(t.Context(), generated(1, 100), other)
	require.NoError(t, err)
	for _, x := range mapped.Items {
		require.Contains(t, []int32{5, 6, 7, 8}, *x.Pod.Priority)
	}
}

func TestGenerated(t *testing.T) {
	tr, err := Load(t.Context(), generated(9, 20_000), workload.DefaultClasses())
	require.NoError(t, err)
	assert.Len(t, tr.Cluster.Nodes, 5)
	require.Len(t, tr.Items, 20_000)
	count, last, total := map[string]int{}, tr.Items[0].Arrival, 0.0
	for _, x := range tr.Items {
		count[x.Class]++
		require.LessOrEqual(t, last, x.Arrival)
		last = x.Arrival
		total += x.Duration.Minutes()
	}
	assert.InDelta(t, 11_000, count["BE"], 500)
	assert.InDelta(t, 1000, count["Guaranteed"], 200)
	assert.InDelta(t, 10, total/20_000, 0.5)
	assert.LessOrEqual(t, last.Hours(), 2.0)
	_, err = Load(t.Context(), generated(9, 10), workload.Classes{})
	require.ErrorContains(t, err, "trace g: ")
	assert.Len(t, entries, 1, "an error is not kept")
}
