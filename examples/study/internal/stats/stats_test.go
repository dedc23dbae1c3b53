package stats

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// An interval is around its mean, wider for more confidence, and moves and stretches with
// the values.
func TestPropertyInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 40).Draw(t, "values")
		given := slices.Clone(values)
		e := Interval(values, 0.95)
		assert.Equal(t, given, values)
		assert.LessOrEqual(t, e.Low, e.Mean)
		assert.LessOrEqual(t, e.Mean, e.High)
		wider := Interval(values, 0.99)
		assert.LessOrEqual(t, wider.Low, e.Low)
		assert.GreaterOrEqual(t, wider.High, e.High)
		for i := range given {
			given[i] = 3*given[i] + 7
		}
		moved := Interval(given, 0.95)
		assert.InDelta(t, 3*e.Low+7, moved.Low, 1e-6*(1+math.Abs(e.Low)))
		assert.InDelta(t, 3*e.High+7, moved.High, 1e-6*(1+math.Abs(e.High)))
		s := SpreadOf(values)
		assert.Equal(t, []float64{slices.Min(values), slices.Max(values)}, []float64{s.Min, s.Max})
	})
}

// The interval leaves 0 out exactly where the test at the same level calls it no chance.
func TestPropertyChanceAgreesWithInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-10, 20), 2, 40).Draw(t, "values")
		e, chance := Interval(values, 0.95), Chance(values)
		if math.Abs(chance-0.05) > 1e-9 {
			assert.Equal(t, e.Low > 0 || e.High < 0, chance < 0.05, "%v %v", e, chance)
		}
	})
}

// Quantiles and tails of Student's t as tables of it have them.
func TestStudent(t *testing.T) {
	for _, x := range []struct {
		degrees       int
		share, within float64
	}{
		{1, 0.95, 12.706}, {2, 0.95, 4.303}, {3, 0.95, 3.182}, {4, 0.95, 2.776}, {9, 0.95, 2.262}, {29, 0.95, 2.045}, {30, 0.95, 2.042},
		{1, 0.99, 63.657}, {9, 0.99, 3.250}, {29, 0.99, 2.756}, {120, 0.95, 1.980}, {1_000_000, 0.95, 1.960},
	} {
		t.Run(fmt.Sprintf("%d degrees, %g", x.degrees, x.share), func(t *testing.T) {
			assert.InDelta(t, x.within, tQuantile(x.share, x.degrees), 0.0006)
			assert.InDelta(t, 1-x.share, tails(x.within, x.degrees), 0.0001)
		})
	}
	assert.InDelta(t, 0.5, tails(1, 1), 1e-12, "half of the values of one degree are within 1")
	assert.InDelta(t, 1-1/math.Sqrt(3), tails(1, 2), 1e-12)
	assert.InDelta(t, tails(2, mostDegrees), tails(2, mostDegrees+1), 1e-4)
}

// Of 1 to 5 the mean is 3 and its standard error the root of a half.
func TestIntervalByHand(t *testing.T) {
	e := Interval([]float64{5, 1, 4, 2, 3}, 0.95)
	assert.Equal(t, 3.0, e.Mean)
	assert.InDelta(t, 3-2.77645*math.Sqrt(0.5), e.Low, 1e-4)
	assert.InDelta(t, 3+2.77645*math.Sqrt(0.5), e.High, 1e-4)
	assert.InDelta(t, 0.0132, Chance([]float64{5, 1, 4, 2, 3}), 1e-4)
}

func TestEqualValues(t *testing.T) {
	assert.Equal(t, Estimate{3, 3, 3}, Interval([]float64{3, 3, 3}, 0.95))
	assert.Equal(t, Estimate{3, 3, 3}, Interval([]float64{3}, 0.95))
	assert.Equal(t, Spread{1, 2.5, 9}, SpreadOf([]float64{9, 1, 2, 3}))
	assert.Equal(t, 1.0, Chance([]float64{0, 0}))
	assert.Equal(t, 0.0, Chance([]float64{2, 2}))
}

// The smallest of three counts three times, and none below a smaller one.
func TestHolm(t *testing.T) {
	given := []float64{0.04, 0.01, 0.03, 0.9}
	adjusted := Holm(given)
	assert.Equal(t, []float64{0.04, 0.01, 0.03, 0.9}, given)
	for i, want := range []float64{0.09, 0.04, 0.09, 0.9} {
		assert.InDelta(t, want, adjusted[i], 1e-12)
	}
	assert.Empty(t, Holm(nil))
	assert.Equal(t, []float64{1, 1}, Holm([]float64{0.7, 0.6}))
}

// An adjusted chance is never below its own, never above Bonferroni's, and in their order.
func TestPropertyHolm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chances := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 30).Draw(t, "chances")
		adjusted := Holm(chances)
		for i, p := range chances {
			assert.GreaterOrEqual(t, adjusted[i], p)
			assert.LessOrEqual(t, adjusted[i], min(1, p*float64(len(chances))))
			for j, q := range chances {
				if p < q {
					assert.LessOrEqual(t, adjusted[i], adjusted[j])
				}
			}
		}
	})
}
