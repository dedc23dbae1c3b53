package preemption

import (
	"context"
	"sync"
	"sync/atomic"
)

// crew is the workers of one call. What each of them finds is put down by the
// node's place, so that who did what does not show.
type crew struct {
	workers []*worker
	stride  int // how many nodes a worker takes at a time
}

func newCrew(size, stride int, a *attempt) *crew {
	c := &crew{stride: stride}
	for range max(1, size) {
		c.workers = append(c.workers, newWorker(a))
	}
	return c
}

// stretch is how many nodes a worker takes at a time, and how many it looks at
// before it asks the context again.
const stretch = 64

// each calls f for every i below n, each once, and waits for all. It stops
// early with the context's error.
func (c *crew) each(ctx context.Context, n int, f func(w *worker, i int)) error {
	var next atomic.Int64
	work := func(w *worker) {
		for ctx.Err() == nil {
			from := int(next.Add(int64(c.stride))) - c.stride
			if from >= n {
				return
			}
			for i := from; i < min(n, from+c.stride); i++ {
				f(w, i)
			}
		}
	}
	var others sync.WaitGroup
	for _, w := range c.workers[1:min(len(c.workers), 1+n/c.stride)] {
		others.Add(1)
		go func() {
			defer others.Done()
			work(w)
		}()
	}
	work(c.workers[0])
	others.Wait()
	return ctx.Err()
}
