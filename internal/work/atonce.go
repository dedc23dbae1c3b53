// Package work answers how a call that has much to do does it: in several goroutines, and with a look
// at its context now and then. A panic in one of the goroutines goes on in that of the caller, who
// alone can recover it; left where it is, it would end the process.
package work

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Panics collects what functions panic with that run at once. The zero value is ready.
// Any number of goroutines may use it at once.
type Panics struct {
	any atomic.Bool
	mu  sync.Mutex
	// first is that with the least place.
	first panicked
}

// panicked is how a function ended that did not return.
type panicked struct {
	place int
	value any
	// exited is set for one that ended its goroutine (runtime.Goexit), as the failure of
	// a test does.
	exited bool
}

// Catch calls f and keeps what it panics with. The place says where f stands among the
// functions: of several that panic the first is kept, whenever it does so. The goroutine
// ends where f ends it.
func (p *Panics) Catch(place int, f func()) {
	returned := false
	defer func() {
		if !returned {
			value := recover()
			p.keep(panicked{place, value, value == nil})
		}
	}()
	f()
	returned = true
}

func (p *Panics) keep(how panicked) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.any.Load() || how.place < p.first.place {
		p.first = how
	}
	p.any.Store(true)
}

// Any reports whether a function has panicked.
func (p *Panics) Any() bool { return p.any.Load() }

// Raise panics with what was kept, or ends the goroutine if a function ended its own, and
// does nothing if all have returned. All of them have to be over.
func (p *Panics) Raise() {
	switch {
	case !p.any.Load():
	case p.first.exited:
		runtime.Goexit()
	default:
		panic(p.first.value)
	}
}

// Do calls all functions below n at once, the first in the goroutine of the caller, and
// returns when all have returned. It panics with what the first one that panicked did.
func Do(n int, f func(i int)) {
	if n <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var panics Panics
	func() {
		var others sync.WaitGroup
		defer others.Wait()
		for i := 1; i < n; i++ {
			others.Go(func() { panics.Catch(i, func() { f(i) }) })
		}
		panics.Catch(0, func() { f(0) })
	}()
	panics.Raise()
}

// Chunks calls f for all chunks of the numbers below n, by so many workers at once, the
// first of which is the goroutine of the caller. It returns when all calls have returned,
// and gives out no more chunks once the context has ended or a call has panicked. It panics
// with what the call of the first chunk that panicked did: the same one however many
// workers there are. Which worker gets which chunk is not determined.
func Chunks(ctx context.Context, workers, n, chunk int, f func(worker, from, to int)) error {
	c := &crew{ctx: ctx, n: n, chunk: chunk, f: f, alone: workers <= 1}
	c.run(workers)
	c.panics.Raise()
	return ctx.Err()
}

// crew is the workers of one call of Chunks.
type crew struct {
	ctx      context.Context
	n, chunk int
	f        func(worker, from, to int)
	alone    bool
	next     atomic.Int64
	panics   Panics
	others   sync.WaitGroup
}

func (c *crew) run(workers int) {
	defer c.others.Wait()
	for worker := 1; worker < workers; worker++ {
		c.others.Go(func() { c.work(worker) })
	}
	c.work(0)
}

func (c *crew) work(worker int) {
	for !c.panics.Any() && c.ctx.Err() == nil {
		from := int(c.next.Add(int64(c.chunk))) - c.chunk
		if from >= c.n {
			return
		}
		to := min(c.n, from+c.chunk)
		if c.alone {
			c.f(worker, from, to)
		} else {
			c.panics.Catch(from, func() { c.f(worker, from, to) })
		}
	}
}
