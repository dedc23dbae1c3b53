package preemption

import (
	"context"
	"sync"
	"sync/atomic"
)

// chunkSize is how many nodes a worker takes at a time, and after how many it
// asks the context again.
const chunkSize = 64

// inChunks has so many workers go through the positions below n, a chunk at a
// time, and waits for all of them. The first worker is the caller's goroutine.
// It stops early with the context's error. Which worker visits what is not
// determined, so that visit has to put down what it finds by position.
func inChunks(ctx context.Context, workers, n, chunk int, visit func(worker, from, to int)) error {
	var next atomic.Int64
	work := func(worker int) {
		for ctx.Err() == nil {
			from := int(next.Add(int64(chunk))) - chunk
			if from >= n {
				return
			}
			visit(worker, from, min(n, from+chunk))
		}
	}
	var others sync.WaitGroup
	for worker := 1; worker < workers; worker++ {
		others.Go(func() { work(worker) })
	}
	work(0)
	others.Wait()
	return ctx.Err()
}
