package pipeline

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/study/internal/measure"
	"github.com/outrank-go/outrank/examples/study/internal/tables"
)

// A cell has the waits of all its runs, and its runs in the order of their seeds,
// in any order of adding.
func TestSumOfACell(t *testing.T) {
	result := func(seed uint64, wait float64) []byte {
		sketch := measure.NewSketch()
		require.NoError(t, sketch.Add(wait))
		text, err := json.Marshal(measure.Result{Seed: seed, Figures: map[string]float64{"hours": wait}, Waits: map[int32][]byte{5: sketch.Bytes()}})
		require.NoError(t, err)
		return text
	}
	f := &sumFn{}
	one := func() accumulator {
		return f.AddInput(f.AddInput(f.CreateAccumulator(), result(3, 30)), result(1, 10))
	}
	two := func() accumulator { return f.AddInput(f.CreateAccumulator(), result(2, 20)) }
	for _, whole := range []accumulator{f.MergeAccumulators(one(), two()), f.MergeAccumulators(two(), one())} {
		var cell tables.Cell
		require.NoError(t, json.Unmarshal(f.ExtractOutput(whole), &cell))
		var seeds []uint64
		for _, r := range cell.Runs {
			seeds = append(seeds, r.Seed)
		}
		assert.Equal(t, []uint64{1, 2, 3}, seeds)
		waits := measure.NewSketch()
		require.NoError(t, waits.Merge(cell.Waits[5]))
		assert.Equal(t, int64(3), waits.Count())
		assert.Empty(t, cell.Faults)
	}
}
