// Package work answers: how does a call divide its work among goroutines, and how does a long loop look
// at its context now and then? A panic in one of the goroutines is raised again in the goroutine of the
// caller, who can recover it. In its own goroutine it would end the process.
package work

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Panics collects the panics of functions that run concurrently. The zero value is ready. Any number of
// goroutines may use it at once.
type Panics struct {
	// any says that a function has panicked.
	any atomic.Bool
	mu  sync.Mutex
	// first is the panic with the lowest place so far. mu guards it.
	first panicked
}

// panicked says how a function ended instead of returning.
type panicked struct {
	place int
	// value is the value that it panicked with.
	value any
	// exited says that the function ended its goroutine instead (runtime.Goexit), as a failing test does.
	exited bool
}

// Catch calls f and keeps its panic. place is the place of f among the functions. Of several panics the one
// with the lowest place is kept, whichever happens first, so that the result does not depend on timing.
func (p *Panics) Catch(place int, f func()) {
	// recover returns nil both without a panic and while the goroutine ends. So f's return is noted to tell the
	// two apart.
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

// keep keeps a panic if its place is the lowest so far.
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

// Raise panics with the value that was kept, or ends the goroutine if the function ended its own. It does
// nothing if all functions returned. It must be called after all functions have ended.
func (p *Panics) Raise() {
	switch {
	case !p.any.Load():
	case p.first.exited:
		runtime.Goexit()
	default:
		panic(p.first.value)
	}
}

// Do calls f concurrently with all numbers below n, with 0 in the goroutine of the caller. It returns when
// all calls have returned. If any call panicked, it panics like the one with the lowest number.
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

// Chunks cuts the numbers below n into chunks and calls f for each, with this number of workers at once. The
// first worker is the goroutine of the caller. Which worker gets which chunk is not determined.
//
// Chunks returns when all calls have returned. It gives out no more chunks once the context has ended or a call
// has panicked. If any call panicked, it panics like the call for the lowest chunk. Chunks are given out in
// order, so this is the same call however many workers there are.
func Chunks(ctx context.Context, workers, n, chunk int, f func(worker, from, to int)) error {
	c := &crew{ctx: ctx, n: n, chunk: chunk, f: f, alone: workers <= 1}
	c.run(workers)
	c.panics.Raise()
	return ctx.Err()
}

// crew has the workers of one call of Chunks.
type crew struct {
	ctx      context.Context
	n, chunk int
	f        func(worker, from, to int)
	// alone says that there is only one worker. Its panics need not be caught.
	alone bool
	// next is the beginning of the next chunk.
	next   atomic.Int64
	panics Panics
	others sync.WaitGroup
}

// run starts the other workers, works as the first one itself, and waits for the others.
func (c *crew) run(workers int) {
	defer c.others.Wait()
	for worker := 1; worker < workers; worker++ {
		c.others.Go(func() { c.work(worker) })
	}
	c.work(0)
}

// work calls f with one chunk after the other until there are no more.
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
