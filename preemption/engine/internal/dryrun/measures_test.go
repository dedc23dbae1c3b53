package dryrun_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/internal/exact"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// The search for exact victims has a measure for every figure.
func TestExactMeasuresEveryFigure(t *testing.T) {
	seen := map[exact.Measure]bool{}
	for x := rank.NoFigure + 1; x < rank.NumFigures; x++ {
		assert.False(t, seen[dryrun.Measures[x]], "figure %d has none of its own", x)
		seen[dryrun.Measures[x]] = true
	}
}
