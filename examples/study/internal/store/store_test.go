package store

import (
	"testing"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/study/internal/measure"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
)

func studyOf(t *testing.T, pods string) *spec.Study {
	t.Helper()
	s, err := spec.Read([]byte("name: x\ntraces: [{name: g, generate: {nodes: 4, pods: "+pods+", hours: 1, minutes: 40, seed: 3}}]\ngrid: {queue: [priority, fifo]}"), ".")
	require.NoError(t, err)
	return s
}

// A run is found by its trace, cell and seed, and by all of them.
func TestKeyTellsRunsApart(t *testing.T) {
	small, large := studyOf(t, "10"), studyOf(t, "20")
	digested := studyOf(t, "10")
	digested.Traces[0].Digest = "d"
	seen := map[string]bool{}
	for _, s := range []*spec.Study{small, large, digested} {
		for _, cell := range s.Cells() {
			for seed := range uint64(2) {
				key, err := Key(s, cell, seed)
				require.NoError(t, err)
				assert.False(t, seen[key])
				seen[key] = true
			}
		}
	}
	moved := studyOf(t, "10")
	moved.Traces[0].Source = "elsewhere"
	same, err := Key(moved, moved.Cells()[0], 0)
	require.NoError(t, err)
	assert.True(t, seen[same], "where files are from does not matter")
}

// A file that holds another run is none.
func TestLoadWantsTheRunAskedFor(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	require.NoError(t, err)
	defer s.Close()
	cells := studyOf(t, "10").Cells()
	require.NoError(t, s.Save(t.Context(), "abc", &measure.Result{Cell: cells[0], Seed: 4, Figures: map[string]float64{"hours": 1}}))
	assert.NotNil(t, s.Load(t.Context(), "abc", cells[0], 4))
	assert.Nil(t, s.Load(t.Context(), "abc", cells[0], 5))
	assert.Nil(t, s.Load(t.Context(), "abc", cells[1], 4))
	assert.Nil(t, s.Load(t.Context(), "abd", cells[0], 4))
	require.NoError(t, s.Save(t.Context(), "abc", &measure.Result{Cell: cells[0], Seed: 4, Error: "panic"}))
	assert.Nil(t, s.Load(t.Context(), "abc", cells[0], 4), "what failed is tried again")
}
