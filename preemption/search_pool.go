package preemption

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// shift is how the hunters of a search go over all places together, once for
// each thing to do. Those beside the caller's goroutine are called once, and
// wait between these rounds without going to sleep: waking them takes longer
// than a round.
type shift struct {
	visit  func(h *hunter, from, to int)
	stride int // how many places a hunter takes at a time
	// round is odd while there is something to do.
	round atomic.Int64
	// Of those beside the caller's goroutine: how many may be visiting, how many
	// have gone home, and whether they were called at all.
	busy   atomic.Int64
	gone   atomic.Int64
	ctx    context.Context // of those who were called, while they are
	decoy  sync.WaitGroup  // see call
	idle   func()          // decoy.Done
	called bool
	board  board
}

// patience is how often one looks whether another is ready before yielding: some
// microseconds. Mostly that other is about to be, and a goroutine that yields
// may come back on another processor, away from its memory.
const patience = 5000

// over is the round after which all go home.
const over = -1

// worthHelp is how many strides there have to be for help to be worth calling.
const worthHelp = 16

// each has the hunters visit all places, so many at a time, and waits for them.
// It stops early with the context's error.
func (s *search) each(ctx context.Context, visit func(h *hunter, from, to int)) error {
	s.visit = visit
	for i, h := range s.hunters {
		h.until = len(s.verdicts) * (i + 1) / len(s.hunters)
		h.next.Store(int64(len(s.verdicts) * i / len(s.hunters)))
	}
	s.round.Add(1)
	if !s.called && len(s.hunters) > 1 && len(s.verdicts) >= worthHelp*s.stride {
		s.call(ctx)
	}
	s.hunters[0].work(ctx)
	s.round.Add(1)
	for looks := 0; s.busy.Load() > 0; looks++ {
		linger(looks)
	}
	return ctx.Err()
}

// call starts a goroutine for everybody else. The one that is started last
// stays with this processor for a while, where it would have to wait until the
// caller is done, before another processor may take it: hence one more, with
// nothing to do.
func (s *search) call(ctx context.Context) {
	s.called, s.ctx = true, ctx
	for _, h := range s.hunters[1:] {
		go h.start() // rather than h.help(): that would allocate each time
	}
	s.decoy.Add(1)
	go s.idle()
}

// linger comes between two looks at whether another is ready.
func linger(looks int) {
	if looks > patience {
		runtime.Gosched()
	}
}

// help works in every round until all is over.
func (h *hunter) help() {
	seen, looks := int64(0), 0
	for {
		round := h.round.Load()
		if round == over {
			break
		}
		if round == seen || round%2 == 0 {
			looks++
			linger(looks)
			continue
		}
		h.busy.Add(1)
		if h.round.Load() == round { // now it does not end before this is done
			h.work(h.ctx)
		}
		h.busy.Add(-1)
		seen, looks = round, 0
	}
	h.gone.Add(1)
}

// beat is the places that a hunter visits first: the same ones in every round,
// of which its processor has the memory at hand.
type beat struct {
	next  atomic.Int64 // the first that nobody has taken
	until int
}

// work visits the places of the hunter's own beat, and then those that are left
// of the others'.
func (h *hunter) work(ctx context.Context) {
	for i := range h.hunters {
		b := &h.hunters[(h.index+i)%len(h.hunters)].beat
		for ctx.Err() == nil {
			from := int(b.next.Add(int64(h.stride))) - h.stride
			if from >= b.until {
				break
			}
			h.visit(h, from, min(b.until, from+h.stride))
			h.confer()
		}
	}
}

// board is where the hunters tell each other of the best candidate so far, so
// that all can rule out what it does. Who hears of what at which time does not
// show in the end: whatever a real candidate rules out is not the answer. After
// each round it holds the best of all.
type board struct {
	lock sync.Mutex
	best found
	news atomic.Int64 // how often best has changed
}

func (b *board) clear() {
	b.best = found{place: -1}
	b.news.Store(0)
}

// confer brings the hunter and the board together.
func (h *hunter) confer() {
	b := &h.board
	if h.told == h.best.place && h.heard == b.news.Load() {
		return
	}
	b.lock.Lock()
	if h.best.better(&b.best) {
		b.best = h.best
		b.news.Add(1)
	}
	h.keep(b.best)
	h.told, h.heard = h.best.place, b.news.Load()
	b.lock.Unlock()
}

// dismiss sends everybody home, and waits until they are gone. The decoy goes
// first: a processor without work that found it, waiting for this one, would
// sleep before it took it, and be late for the next decision.
func (s *search) dismiss() {
	if s.called {
		s.decoy.Wait()
		s.round.Store(over)
		for looks := 0; int(s.gone.Load()) < len(s.hunters)-1; looks++ {
			linger(looks)
		}
	}
	s.round.Store(0)
	s.gone.Store(0)
	s.called, s.visit, s.ctx = false, nil, nil
}
