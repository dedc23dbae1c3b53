package search

import (
	"context"
	"sync"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// Search decides without evaluating every node, by any rules (see searchRulesOf)
// and with any filters. The exhaustive search ([dryrun.DecideExhaustively]) decides instead where no bound
// holds or extenders have a say (see [Prunes]), and gives some explanations. Both return the same answer.
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
// By the default rules a search goes over the nodes in four rounds. The first round bounds every
// node by its summary, or all nodes of a block at once by its digest. The other three evaluate
// nodes, the most promising first, and prune those whose bound is worse than the incumbent,
// the best candidate so far. ENGINE.md has the proofs and the picture of the data.
//
// Later calls reuse a search for its memory.
type Search struct {
	// Asked is the question, prepared.
	Asked Asked
	// Bounds has by position what the first round found out about each node, and blocks has
	// what it found out about the nodes of a block together.
	Bounds []NodeBound
	blocks blockPass
	// Workers share the nodes. Each takes chunk nodes at a time.
	Workers []*Worker
	chunk   int
	// incumbent is the best candidate that any worker has found.
	incumbent incumbent
	tries     tries

	// queue, later and tally are memory that is used again: queue that of the heaps of optimistic
	// scores, later that of the heap of bounds, tally that of the counts of statuses.
	queue []NodeScore
	later []boundKey
	tally tally
	// Busy is set from the beginning of the work until it returns. A search that a panic of
	// the caller's code leaves busy is not used again.
	Busy bool
}

// tries are the nodes on which preemption is tried one after the other: where the status of every node
// is found before any candidate (see everyStatus).
type tries struct {
	// marked says by position whether a node is to be tried.
	marked []bool
	// positions lists those nodes. It is memory, too, for the nodes that an answer from the cache
	// bounds again.
	positions []int32
}

// Searches keeps searches for later calls.
var Searches = sync.Pool{New: func() any { return &Search{} }}

// minChunks is the least number of chunks per worker. Starting another
// goroutine takes 20 us or so, in which one worker bounds hundreds of nodes.
const minChunks = 8

// each lets the workers go over all nodes, a chunk of positions at a time.
func (s *Search) each(ctx context.Context, round func(w *Worker, from, to int)) error {
	return s.eachOf(ctx, len(s.Bounds), round)
}

// eachOf lets the workers go over the positions or slots below n, a chunk at a time. Workers share
// their best candidates after each chunk, so that a good one prunes for all of them.
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

// gather combines what the workers have found: the best bound of all spans, and the incumbent, which
// every worker knows afterwards.
func (s *Search) gather() {
	for _, w := range s.Workers {
		if w.leastSpan.better(s.blocks.least) {
			s.blocks.least = w.leastSpan
		}
		w.share()
	}

	// The first workers have compared themselves with an incumbent that later ones have improved.
	for _, w := range s.Workers {
		w.share()
	}
}
