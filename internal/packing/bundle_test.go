package packing

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The highest point of a roof of many planes is found, also with more slopes than are kept.
func TestBundleClimbsARoof(t *testing.T) {
	const dims = 40
	height := func(at []float64) (value float64, slope []float64) {
		for k, x := range at {
			steep := float64(1 + k%5)
			off := x - float64(k*k%17)
			if off > 0 {
				steep = -2 * steep
			}
			value += float64(-max(off, -off)) * max(steep, -steep)
			slope = append(slope, steep)
		}
		for k := range dims - 1 { // neighbours pull at each other
			if apart := at[k] - at[k+1]; apart > 1 {
				value -= 3 * (apart - 1)
				slope[k] -= 3
				slope[k+1] += 3
			}
		}
		return value, slope
	}
	at := make([]float64, dims)
	var b bundle
	value, slope := height(at)
	first := value
	b.start(at, value, 1)
	b.add(slope, 0)
	rounds := 0
	for more := true; rounds < 2000; rounds++ {
		if at, more = b.next(0.001, &Meter{}); !more {
			break
		}
		value, slope = height(at)
		b.tell(at, value, value, slope)
	}
	require.Greater(t, rounds, mostCuts)
	require.Greater(t, b.value, first/4)
	for k := range dims {
		for _, by := range []float64{-2, -0.5, 0.5, 2} {
			b.center[k] += by
			beside, _ := height(b.center)
			b.center[k] -= by
			require.LessOrEqual(t, beside, b.value+0.01, "%g along %d", by, k)
		}
	}
	require.Less(t, rounds, 2000)
}
