package search

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Search decides without evaluating every node, by any rules (see searchRulesOf)
// and with any filters. Where extenders have a say, and for some explanations, the
// exhaustive search (result) decides instead. Both return the same answer.
//
// The search is fast because of bounds that follow from resources alone. A pod
// only ever takes room, and every set of victims has to make room, whatever
// other filters there are:
//
//   - Let q be the lowest priority such that removing every pod of priority q
//     and below makes room. Any set of victims holds a pod of priority q or
//     above, because otherwise a lower q would do. So q bounds the second rank
//     from below, without choosing victims.
//   - If q is the lowest priority on the node and no victim is above it, all
//     victims are among the pods of that priority. If at least k of those are
//     needed to hold enough (see topSums), the third rank is at least k times
//     what one of them counts. With exactly k victims, their starts bound the
//     fifth rank (see losesByStart).
//   - If resources alone decide and no pod of priority q or below violates a
//     budget, every pod above q is reprieved: with the pods at q and below
//     removed there is room for all of them, and violating pods, which are
//     reprieved first, are among them. So the reprieve need not look at them.
//
// A search goes over the nodes in four rounds. The first round bounds every
// node by its summary, or all nodes of a block at once by its digest. The other three evaluate
// nodes, the most promising first, and prune those whose bound is worse than the incumbent,
// the best candidate so far. ENGINE.md has the proofs and the picture of the data.
//
// Later calls reuse a search for its memory.
type Search struct {
	// Asked is the question, prepared.
	Asked Asked
	// Bounds has by position what the first round found out about each node, and blocks what
	// it found out about those of a block together.
	Bounds []NodeBound
	blocks blockPass
	// Workers share the nodes, chunk of them at a time, and incumbent is the best candidate
	// that any of them has found.
	Workers   []*Worker
	chunk     int
	incumbent incumbent
	tries     tries

	// The rest is memory that is used again.
	queue []NodeScore // of evaluateBestFirst
	later []boundKey
	tally tally
	// Busy is set from the beginning of the work until it returns. A search that a panic of
	// the caller's code leaves busy is not used again.
	Busy bool
}

// tries are the nodes on which preemption is tried one after the other.
type tries struct {
	// marked has by position whether a node may be tried, and positions lists those.
	marked    []bool
	positions []int32
}

// Searches keeps searches for later calls.
var Searches = sync.Pool{New: func() any { return &Search{} }}

// Start prepares a search for a question. The caller releases it.
func Start(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, req *preemption.Request) (*Search, error) {
	if err := dryrun.CheckAlone(snap, req.Pod); err != nil {
		return nil, err
	}
	s := Searches.Get().(*Search)
	s.chunk = cmp.Or(terms.Chunk, dryrun.ChunkSize)
	if err := s.Ask(ctx, terms, snap, req); err != nil {
		s.Busy = false
		s.Close()
		return nil, err
	}
	if req.Statuses != nil {
		s.Asked.takeStatuses(req)
	}
	return s, nil
}

// Ask prepares a search.
func (s *Search) Ask(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, req *preemption.Request) error {
	s.Busy = true
	q := &s.Asked
	if err := q.begin(ctx, terms, snap, req); err != nil {
		return err
	}

	nodes := len(snap.Order)
	if q.everyStatus() {
		s.tries.marked = slices.Grow(s.tries.marked[:0], nodes)[:nodes]
	}
	if cap(s.Bounds) < nodes {
		s.Bounds = make([]NodeBound, nodes)
	} else {
		s.Bounds = s.Bounds[:nodes]
	}

	workers := terms.SharedWorkers()
	if terms.Chooser != nil {
		workers = 1 // so that the same node is the first with a senseless answer
	}
	s.prepareWorkers(workers)
	q.Attempt.HearNominated(&s.Workers[0].Dry)
	return nil
}

// prepareWorkers reuses the workers of earlier calls.
func (s *Search) prepareWorkers(workers int) {
	s.incumbent.reset()
	s.Workers = slices.Grow(s.Workers[:0], workers)[:workers]
	for i, w := range s.Workers {
		if w == nil {
			w = &Worker{}
			s.Workers[i] = w
		}
		w.begin(s)
	}
}

// Close drops everything that belongs to the caller, and keeps a search whose work
// has returned for later calls.
func (s *Search) Close() {
	s.Workers = s.Workers[:cap(s.Workers)]
	for _, w := range s.Workers {
		if w != nil {
			w.release()
		}
	}
	clear(s.tally)
	s.Asked.release()
	s.blocks.release()
	if !s.Busy {
		Searches.Put(s)
	}
}

// Decide answers a question by a search.
func Decide(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, req *preemption.Request) (*preemption.Plan, error) {
	s, err := Start(ctx, terms, snap, req)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	w := s.Workers[0]
	var plan *preemption.Plan
	if err = s.Asked.settle(w); err == nil {
		plan, err = s.decide(ctx)
	}
	s.Busy = false
	if err == nil {
		err = w.Dry.Err
	}
	if err == nil && terms.Exact {
		err = ctx.Err() // what a search that was ended says is of no use
	}
	if err != nil {
		return nil, err
	}
	return plan, nil
}

// decide chooses the way to the answer.
func (s *Search) decide(ctx context.Context) (*preemption.Plan, error) {
	switch q := &s.Asked; {
	case q.refused():
		return s.refusedPlan(), nil
	case q.terms.Whole:
		return s.runWhole(ctx)
	case q.Rules.general:
		return s.runGeneral(ctx)
	}
	if known := s.known(); known != nil {
		return s.answerFromCache(ctx, known)
	}
	return s.run(ctx)
}

// run decides by the default rules: one round bounds the nodes, the next ones evaluate those
// that may be the best.
func (s *Search) run(ctx context.Context) (*preemption.Plan, error) {
	if err := s.boundAll(ctx); err != nil {
		return nil, err
	}
	plan := s.beginPlan()
	if plan.Outcome != preemption.Preempts {
		return plan, nil
	}
	best, err := s.chooseBest(ctx)
	if err != nil {
		return nil, err
	}
	s.finishPlan(plan, best)
	return plan, nil
}

// boundAll finds what every node answers, and bounds the candidates.
func (s *Search) boundAll(ctx context.Context) (err error) {
	if s.blocks.digests, s.blocks.whole, err = s.Asked.snap.Digests(ctx); err != nil {
		return err
	}
	switch {
	case s.Asked.given.any:
		return s.boundAllGiven(ctx)
	case s.refuseAll():
		s.blocks.spans = s.blocks.spans[:0]
		return ctx.Err()
	}
	s.beginBlocks()
	s.askFirst()
	return s.eachSpan(ctx, (*Worker).boundSpan)
}

// boundAllGiven is boundAll where the caller has said what the nodes answer.
func (s *Search) boundAllGiven(ctx context.Context) error {
	s.beginBlocks()
	if err := s.each(ctx, (*Worker).boundGiven); err != nil {
		return err
	}
	s.openGiven()
	return nil
}

// minChunks is the least number of chunks per worker. Starting another
// goroutine takes 20 us or so, in which one worker bounds hundreds of nodes.
const minChunks = 8

// each has the workers go over all nodes.
func (s *Search) each(ctx context.Context, round func(w *Worker, from, to int)) error {
	return s.eachOf(ctx, len(s.Bounds), round)
}

// eachOf has the workers go over so many positions or slots, a chunk at a time.
func (s *Search) eachOf(ctx context.Context, n int, round func(w *Worker, from, to int)) error {
	if workers := min(len(s.Workers), n/(minChunks*s.chunk)); workers > 1 {
		return dryrun.InChunks(ctx, workers, n, s.chunk, func(worker, from, to int) {
			round(s.Workers[worker], from, to)
			s.Workers[worker].share()
		})
	}
	for from := 0; from < n && ctx.Err() == nil; from += s.chunk {
		round(s.Workers[0], from, min(n, from+s.chunk))
	}
	return ctx.Err()
}

// gather combines what the workers have found.
func (s *Search) gather() {
	for _, w := range s.Workers {
		if w.leastSpan.better(s.blocks.least) {
			s.blocks.least = w.leastSpan
		}
		w.share()
	}
	for _, w := range s.Workers {
		w.share()
	}
}
