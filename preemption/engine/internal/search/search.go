package search

import (
	"context"
	"sync"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// Search decides without evaluating every node, by any rules (see searchRulesOf) and with any filters. If no
// bound is valid or extenders take part (see [Prunes]), and for some explanations, the exhaustive search
// ([dryrun.DecideExhaustively]) decides instead. Both return the same answer.
//
// The search is fast because of bounds that follow from resources alone. Whatever other filters there are,
// every set of victims has to make room:
//
//   - Let q be the lowest priority such that removing every pod of priority q and below makes room. Any set
//     of victims includes a pod of priority q or above, because otherwise a lower q would do. So q bounds the
//     second rank from below, before any victims are chosen.
//   - If q is the lowest priority on the node and no victim is above it, all victims are pods of that
//     priority. If at least k of those are needed to hold enough (see topSums), the sum of the third rank is
//     at least k times that of one pod. With exactly k victims, their starts bound the fifth rank (see
//     losesByStart).
//   - If resources alone decide and no pod of priority q or below violates a budget, every pod above q is
//     reprieved. With the pods at q and below removed there is room for all of them, and the violating pods,
//     which are reprieved first, are among them. So the reprieve can skip the pods above q.
//
// By the default rules a search has four rounds. The first bounds every node by its summary, or all nodes of
// a block at once by its digest. The other three evaluate nodes, the most promising first, and prune those
// whose bound is worse than the incumbent, the best candidate so far. ENGINE.md has the proofs and the
// picture of the data.
//
// Later calls reuse the memory of a search.
type Search struct {
	// Asked is the question, prepared.
	Asked Asked
	// Bounds has, by position, what the first round found out about each node, and blocks what it found out
	// about the nodes of each block together.
	Bounds []NodeBound
	blocks blockPass
	// Workers share the nodes. Each takes chunk nodes at a time.
	Workers []*Worker
	chunk   int
	// incumbent is the best candidate that any worker has found.
	incumbent incumbent
	tries     tries

	// queue, later and tally are reused memory: of the heaps of optimistic scores, of the heap of bounds, and
	// of the counts of statuses.
	queue []NodeScore
	later []boundKey
	tally tally
	// Busy is set while the search works. If the caller's code panics, it stays set, and the search is not
	// reused.
	Busy bool
}

// tries has the nodes on which preemption is tried one after another, in a search that finds the status of
// every node first (see everyStatus).
type tries struct {
	// marked says, by position, whether a node is to be tried.
	marked []bool
	// positions lists the marked nodes. Answers from the cache use its memory for the nodes that they bound
	// again.
	positions []int32
}

// Searches keeps searches for later calls.
var Searches = sync.Pool{New: func() any { return &Search{} }}

// minChunks is the least number of chunks per worker. Starting another goroutine takes about 20 µs, in which
// one worker bounds hundreds of nodes.
const minChunks = 8

// each runs a round over the positions of all nodes, shared among the workers in chunks.
func (s *Search) each(ctx context.Context, round func(w *Worker, from, to int)) error {
	return s.eachOf(ctx, len(s.Bounds), round)
}

// eachOf runs a round over the positions or slots below n, shared among the workers in chunks. After each
// chunk workers share their best candidates, so that a good one prunes for all of them.
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

// gather combines the results of the workers: the best bound of all spans, and the incumbent, which every
// worker knows afterwards.
func (s *Search) gather() {
	for _, w := range s.Workers {
		if w.leastSpan.better(s.blocks.least) {
			s.blocks.least = w.leastSpan
		}
		w.share()
	}

	// Later workers may have improved the incumbent since the first ones took it over.
	for _, w := range s.Workers {
		w.share()
	}
}
