package preemption

import (
	"context"
	"sync"
	"sync/atomic"
)

// chunkSize is how many nodes a worker takes at a time. The context is checked
// once per chunk.
const chunkSize = 64

// inChunks calls visit for all chunks of the positions below n, by this many
// workers, and waits for all of them. The first worker is the caller's
// goroutine. It stops early with the context's error. Which worker visits which
// chunk is not determined, so visit has to record what it finds by position.
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
