package stats

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestPropertyBootstrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 40).Draw(t, "values")
		e := Bootstrap(values, 0.95, 300, "x")
		assert.Equal(t, e, Bootstrap(slices.Clone(values), 0.95, 300, "x"), "the same again")
		assert.LessOrEqual(t, e.Low, e.High)
		assert.LessOrEqual(t, slices.Min(values), e.Low+1e-6)
		assert.GreaterOrEqual(t, slices.Max(values), e.High-1e-6)
		wider := Bootstrap(values, 0.99, 300, "x")
		assert.LessOrEqual(t, wider.Low, e.Low)
		assert.GreaterOrEqual(t, wider.High, e.High)
		s := SpreadOf(values)
		assert.Equal(t, []float64{slices.Min(values), slices.Max(values)}, []float64{s.Min, s.Max})
	})
}

// Of many samples of a known distribution about as many intervals hold its mean as the
// confidence says; the bootstrap of 30 values falls short of it a little.
func TestBootstrapCovers(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	covered := 0
	for range 400 {
		values := make([]float64, 30)
		for i := range values {
			values[i] = dice.ExpFloat64()
		}
		if e := Bootstrap(values, 0.95, 400, "x"); e.Low <= 1 && 1 <= e.High {
			covered++
		}
	}
	assert.InDelta(t, 0.92, float64(covered)/400, 0.04)
}

// An interval of 95 % leaves out 2.5 % below and as many above: of a hundred values, half of
// them 1, the means lie about 0.05 around one half.
func TestBootstrapLeavesOutBothTails(t *testing.T) {
	values := make([]float64, 100)
	for i := range values {
		values[i] = float64(i % 2)
	}
	e := Bootstrap(values, 0.95, 20_000, "x")
	assert.InDelta(t, 0.402, e.Low, 0.01)
	assert.InDelta(t, 0.598, e.High, 0.01)
}

func TestBootstrapOfEqualValues(t *testing.T) {
	assert.Equal(t, Estimate{3, 3, 3}, Bootstrap([]float64{3, 3, 3}, 0.95, 100, "x"))
	assert.Equal(t, Estimate{3, 3, 3}, Bootstrap([]float64{3}, 0.95, 100, "x"))
	assert.Equal(t, Spread{1, 2.5, 9}, SpreadOf([]float64{9, 1, 2, 3}))
}
