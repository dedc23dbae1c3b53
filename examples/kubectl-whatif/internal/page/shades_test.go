package page

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestShades(t *testing.T) {
	for _, tt := range []struct {
		name   string
		full   []float64
		want   shades
		levels []int
		legend []string
	}{
		{"none", nil, nil, nil, []string{"over 100\u00a0%"}},
		{"nothing offered", []float64{-1, -1}, nil, []int{0, 0}, []string{"over 100\u00a0%"}},
		{"all alike", []float64{.9, .9}, shades{90}, []int{2, 2}, []string{"90\u00a0%", "over 100\u00a0%"}},
		{"few", []float64{.97, .98, .98}, shades{97, 98}, []int{0, 4, 4}, []string{"up to 97\u00a0%", "98\u00a0%", "over 100\u00a0%"}},
		{"many", []float64{.1, .2, .3, .4, .5, .6, .7, .8, .9, 1}, shades{20, 40, 60, 80, 100}, []int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4},
			[]string{"up to 20\u00a0%", "21 to 40\u00a0%", "41 to 60\u00a0%", "61 to 80\u00a0%", "81 to 100\u00a0%", "over 100\u00a0%"}},
		{"too full", []float64{.5, 1.2}, shades{50}, []int{2, 5}, []string{"50\u00a0%", "over 100\u00a0%"}},
	} {
		s := newShades(tt.full)
		assert.Equal(t, tt.want, s, tt.name)
		for i, full := range tt.full {
			assert.Equal(t, tt.levels[i], s.level(full), "%s: %v", tt.name, full)
		}
		var legend []string
		for _, l := range s.legend() {
			legend = append(legend, l.Text)
		}
		assert.Equal(t, tt.legend, legend, tt.name)
	}
}

// Fuller is never lighter, nodes that differ have more than one shade, and every shade of a
// node is in the legend.
func TestPropertyShades(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		full := rapid.SliceOf(rapid.Float64Range(-1, 1.5)).Draw(t, "full")
		s := newShades(full)
		legend, used, distinct := map[int]bool{}, map[int]bool{}, map[int]bool{}
		for _, l := range s.legend() {
			legend[l.Level] = true
		}
		for i, a := range full {
			for _, b := range full[:i] {
				if a >= b {
					assert.GreaterOrEqual(t, s.level(a), s.level(b))
				}
			}
			if a >= 0 {
				assert.True(t, legend[s.level(a)], "%v", a)
			}
			if a >= 0 && a <= 1 {
				used[s.level(a)], distinct[wholePercent(a)] = true, true
			}
		}
		if len(distinct) > 1 {
			assert.Greater(t, len(used), 1)
		}
	})
}
