package pipeline

import (
	"context"
	"encoding/json"
	"testing"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/study/internal/measure"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
)

// jobOf is a job of two cells with five seeds each.
func jobOf(t *testing.T) Job {
	t.Helper()
	study, err := spec.Read([]byte(`
name: batches
traces: [{name: tiny, generate: {nodes: 2, pods: 10, hours: 1, minutes: 10, seed: 1}}]
grid: {policy: [current, simplified]}
seeds: {first: 3, count: 5}
compare: policy
`), t.TempDir())
	require.NoError(t, err)
	job, err := New(study, t.TempDir())
	require.NoError(t, err)
	return job
}

func batches(t *testing.T, job Job) (all []batch) {
	t.Helper()
	require.NoError(t, (&expandFn{Job: job}).ProcessElement(t.Context(), nil, func(b batch) { all = append(all, b) }))
	return all
}

// Runs are the same ones in the same order, of each part, whatever number goes together.
func TestBatches(t *testing.T) {
	for _, test := range []struct{ together, part, parts, batches, runs int }{
		{0, 0, 0, 10, 10}, {1, 0, 0, 10, 10}, {3, 0, 0, 4, 10}, {100, 0, 0, 1, 10}, {2, 1, 3, 2, 4}, {2, 3, 3, 2, 3},
	} {
		job := jobOf(t)
		job.Part, job.Parts = test.part, test.parts
		var want, got []run
		for _, b := range batches(t, job) {
			want = append(want, b.Runs...)
		}
		job.Together = test.together
		all := batches(t, job)
		for _, b := range all {
			assert.LessOrEqual(t, len(b.Runs), max(1, test.together))
			got = append(got, b.Runs...)
		}
		assert.Len(t, all, test.batches, "%+v", test)
		assert.Len(t, got, test.runs, "%+v", test)
		assert.Equal(t, want, got, "%+v", test)
	}
	for atOnce, want := range map[int]int{0: 1, 1: 1, 8: 1, 9: 2, 16: 2, 64: 8, 65: 9} {
		assert.Equal(t, want, Together(atOnce), "%d at once", atOnce)
	}
}

// A batch has the results of its runs one by one, in their order, and one that
// cannot be made is an error.
func TestBatchIsItsRuns(t *testing.T) {
	results := func(together int) (cells []int, texts []string) {
		job := jobOf(t)
		job.Together = together
		f := runFn{Job: job}
		require.NoError(t, f.Setup(t.Context()))
		defer func() { require.NoError(t, f.Teardown()) }()
		made := func(cell int, text []byte) {
			var r measure.Result
			require.NoError(t, json.Unmarshal(text, &r))
			require.Empty(t, r.Error)
			r.Seconds = 0
			text, err := json.Marshal(r)
			require.NoError(t, err)
			cells, texts = append(cells, cell), append(texts, string(text))
		}
		for _, b := range batches(t, job) {
			require.NoError(t, f.ProcessElement(context.Background(), b, made))
		}
		assert.ErrorContains(t, f.ProcessElement(context.Background(), batch{[]run{{0, 1}, {7, 1}}}, func(int, []byte) {}), "cell 7 of 2")
		return cells, texts
	}
	cells, texts := results(1)
	together, inBatches := results(4)
	assert.Equal(t, []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, cells)
	assert.Equal(t, cells, together)
	assert.Equal(t, texts, inBatches)
}
