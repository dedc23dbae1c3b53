package preemption

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// searchWorker is one worker of a search with what it has found.
type searchWorker struct {
	*search
	dry dryRunner
	// before and after count nodes by their answers.
	before, after answers
	// top and few are the least bound seen, and the least number of victims
	// with that.
	leastBound   int32
	leastVictims uint16
	// best is the best candidate that the worker knows of. told is the position
	// of the one that it last compared with the incumbent, and seen the version of
	// the incumbent at that time.
	best           nodeScore
	sharedPosition int
	seenVersion    int64
	// allowed is how many victims, all of the best one's top priority, are not
	// too many yet.
	allowed int64
	// left is what is left of each budget while one node is evaluated; between
	// nodes it is what leftOf allows.
	left     []int64
	leftOf   *budgetSet
	violates []int32
}

// prepareWorkers uses those of earlier calls again.
func (s *search) prepareWorkers(workers int) {
	s.incumbent.reset()
	s.workers = slices.Grow(s.workers[:0], workers)[:workers]
	for i, w := range s.workers {
		if w == nil {
			w = &searchWorker{}
			s.workers[i] = w
		}
		w.search = s
		w.before, w.after = answers{others: w.before.others[:0]}, answers{others: w.after.others[:0]}
		w.leastBound, w.leastVictims = math.MaxInt32, math.MaxUint16
		w.best, w.sharedPosition, w.seenVersion, w.allowed = nodeScore{position: -1}, -1, 0, math.MaxInt64
		w.dry.begin(&s.attempt)
		if w.leftOf != s.snap.budgets {
			w.leftOf, w.left = s.snap.budgets, w.left[:0]
			for _, b := range s.snap.budgets.list {
				w.left = append(w.left, int64(b.Allowed))
			}
		}
	}
}

// incumbent is the best candidate that any worker has found so far, so that all
// of them can prune by it. Which worker sees it at which time does not show in
// the end: whatever a real candidate prunes is not the answer.
type incumbent struct {
	lock    sync.Mutex
	best    nodeScore
	version atomic.Int64 // how often best has changed
}

func (in *incumbent) reset() {
	in.best = nodeScore{position: -1}
	in.version.Store(0)
}

// share brings the worker's best candidate and the incumbent together.
func (w *searchWorker) share() {
	in := &w.incumbent
	if w.best.position == w.sharedPosition && w.seenVersion == in.version.Load() {
		return
	}
	in.lock.Lock()
	defer in.lock.Unlock()
	if w.best.better(&in.best) {
		in.best = w.best
		in.version.Add(1)
	}
	w.keep(in.best)
	w.sharedPosition, w.seenVersion = w.best.position, in.version.Load()
}

// keep notes a candidate if it is the best so far.
func (w *searchWorker) keep(f nodeScore) {
	if !f.better(&w.best) {
		return
	}
	w.best, w.allowed = f, math.MaxInt64
	if each := int64(f.top) + priorityShift; each > 0 {
		w.allowed = f.sum / each
	}
}
