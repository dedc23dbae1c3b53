package measure

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/examples/study/internal/spec"
)

func sampleStudy(t require.TestingT) *spec.Study {
	s, err := spec.Read([]byte("name: x\ntraces: [{name: sample, sample: true}]"), ".")
	require.NoError(t, err)
	return s
}

// A quantile is off by no more than the accuracy, and merging gives the same in any order.
func TestPropertySketch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		waits := rapid.SliceOfN(rapid.Float64Range(0, 1e6), 1, 200).Draw(t, "waits")
		at := rapid.IntRange(0, len(waits)).Draw(t, "split")
		whole, a, b := NewSketch(), NewSketch(), NewSketch()
		for i, w := range waits {
			require.NoError(t, whole.Add(w))
			part := a
			if i >= at {
				part = b
			}
			require.NoError(t, part.Add(w))
		}
		ab, ba := NewSketch(), NewSketch()
		require.NoError(t, ab.Merge(a.Bytes()))
		require.NoError(t, ab.Merge(b.Bytes()))
		require.NoError(t, ba.Merge(b.Bytes()))
		require.NoError(t, ba.Merge(a.Bytes()))
		sorted := slices.Sorted(slices.Values(waits))
		require.Equal(t, int64(len(waits)), ab.Count())
		for _, share := range []float64{0, 0.5, 0.9, 1} {
			require.Equal(t, whole.Quantile(share), ab.Quantile(share))
			require.Equal(t, whole.Quantile(share), ba.Quantile(share))
			exact := sorted[int(math.Floor(share*float64(len(sorted)-1)))]
			require.InDelta(t, exact, whole.Quantile(share), exact*Accuracy*1.01+1e-9)
		}
	})
}

func TestRunIsTheSameAgain(t *testing.T) {
	study := sampleStudy(t)
	cell := study.Cells()[0]
	one, err := Run(t.Context(), study, cell, 3)
	require.NoError(t, err)
	two, err := Run(t.Context(), study, cell, 3)
	require.NoError(t, err)
	one.Seconds, two.Seconds = 0, 0
	assert.Equal(t, one, two)
	assert.Equal(t, 150.0, one.Figures["arrived"])
	assert.Positive(t, one.Figures["evictions"])
	assert.Less(t, one.Figures["useCPU"], 100.0)
	other, err := Run(t.Context(), study, cell, 4)
	require.NoError(t, err)
	assert.NotEqual(t, one.Figures, other.Figures)
}

// A panic is the failure of one run.
func TestPanicIsAFailure(t *testing.T) {
	study := sampleStudy(t)
	r, err := Run(t.Context(), study, spec.Cell{Trace: "sample"}, 3)
	require.NoError(t, err)
	assert.Contains(t, r.Error, "panic: runtime error: index out of range")
	assert.Contains(t, r.Error, "axes.go:")
	r, err = Run(t.Context(), study, spec.Cell{Trace: "none"}, 3)
	require.NoError(t, err)
	assert.Equal(t, `the study has no trace "none"`, r.Error)
}

// A run that is interrupted has no result, and is no panic.
func TestRunInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	study := sampleStudy(t)
	r, err := Run(ctx, study, study.Cells()[0], 1)
	require.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, r)
}
