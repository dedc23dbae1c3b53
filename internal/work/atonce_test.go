package work_test

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/work"
)

func ExampleDo() {
	defer func() { fmt.Println("recovered:", recover()) }()
	work.Do(3, func(i int) {
		if i > 0 {
			panic(fmt.Sprint("number ", i))
		}
	})
	// Output: recovered: number 1
}

// Every number is in one chunk, and a stop ends the work.
func TestChunksCoverAll(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		seen := make([]atomic.Int32, 100)
		err := work.Chunks(t.Context(), workers, len(seen), 7, func(worker, from, to int) {
			assert.Less(t, worker, workers)
			for i := from; i < to; i++ {
				seen[i].Add(1)
			}
		})
		require.NoError(t, err)
		for i := range seen {
			require.EqualValues(t, 1, seen[i].Load(), i)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		err = work.Chunks(ended, workers, 100, 7, func(_, _, _ int) { t.Error("stopped before the first") })
		require.ErrorIs(t, err, context.Canceled)
	}
}

// The first chunk that panics is the one that is told of, and nothing goes on behind it.
func TestChunksPanicWithTheFirst(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		for range 20 {
			var inside, others atomic.Int32
			require.PanicsWithValue(t, "chunk 30", func() {
				_ = work.Chunks(t.Context(), workers, 100, 10, func(_, from, _ int) {
					inside.Add(1)
					defer inside.Add(-1)
					runtime.Gosched()
					if from >= 30 {
						panic(fmt.Sprint("chunk ", from))
					}
					others.Add(1)
				})
			})
			assert.Zero(t, inside.Load())
			assert.EqualValues(t, 3, others.Load(), "the chunks before it")
		}
	}
}

// A function that ends its goroutine ends that of the caller, as the failure of a test in
// a callback does.
func TestGoexitGoesOn(t *testing.T) {
	for _, which := range []int{0, 2} {
		over, returned := make(chan struct{}), false
		go func() {
			defer close(over)
			work.Do(3, func(i int) {
				if i == which {
					runtime.Goexit()
				}
			})
			returned = true
		}()
		<-over
		assert.False(t, returned, which)
	}
}
