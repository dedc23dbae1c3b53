package search

import (
	"context"
	"math"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// cachedSearch answers one question from what the snapshot keeps for its signature: a tournament of all
// nodes. It has three stages. open takes the tournament, update renews the entries that changes since the
// last question have invalidated (cacheupdate.go), and best evaluates entries until the winner is an
// evaluated one.
//
// The lock of known is held throughout. After update, and after each step of best, these invariants hold:
//
//   - the score of an entry is at least as good as that of any candidate on its node, and is the candidate's
//     own if the entry is evaluated;
//   - the winner of each match is the better of its two;
//   - the worker's counts, which stand in for the tournament's, cover the answers of all entries.
type cachedSearch struct {
	search  *Search
	worker  *Worker
	attempt *dryrun.Attempt
	plan    *filters.Plan
	snap    *state.Snapshot
	sums    *state.Summaries
	budgets *state.BudgetSet
	// cache has the log of changes, and known is its entry for the signature.
	cache *state.AnswerCache
	known *state.CachedAnswers
	// tournament is the tournament of known, which open has made writable.
	tournament *Tournament
	// counted is the present version of the filters' counts.
	counted uint64
	// tries lends the memory of its list of positions.
	tries *tries
}

// known returns the cache's entry for the signature of the preemptor, nil if there is none. It also returns
// nil if the nominated node was asked first, because then the answers of the other nodes may depend on that
// node's.
func (s *Search) known() *state.CachedAnswers {
	q := &s.Asked
	if !q.keeps || q.Attempt.AskedOne {
		return nil
	}
	snap := q.snap
	return snap.Cache.Of(q.signature, len(s.Bounds), len(snap.NodeStates))
}

// cached returns what answers from an entry, or adds to it.
func (s *Search) cached(known *state.CachedAnswers) cachedSearch {
	q := &s.Asked
	snap := q.snap
	return cachedSearch{
		search: s, worker: s.Workers[0], attempt: &q.Attempt, plan: q.plan, snap: snap, sums: q.sums, budgets: snap.BudgetSet,
		cache: snap.Cache, known: known, counted: q.counted, tries: &s.tries,
	}
}

// answerFromCache answers from the cached results of earlier decisions. It bounds only the nodes that have
// changed since. It returns no plan if that is more work than a search. Searches for the same signature take turns
// until the node is found; each then finds the victims on its own.
func (s *Search) answerFromCache(ctx context.Context, known *state.CachedAnswers) (*preemption.Plan, error) {
	c := s.cached(known)
	plan, best, err := c.decide(ctx)
	if plan == nil || err != nil {
		return nil, err
	}
	if plan.Outcome == preemption.Preempts {
		s.finishPlan(plan, best)
	}
	return plan, nil
}

// The work that a search counts: a node that is looked at by itself is one unit. A block takes about a quarter as
// long, and finding the victims on a node as long as eight. A search takes as long as a few before it looks at any.
const (
	unitsBefore    = 16
	blocksPerUnit  = 4
	unitsPerVictim = 8
	// partOfWork is the part of its own work, one in so many, that a search adds for the entry of its signature.
	partOfWork = 4
)

// remember does a part of the work on the entry of the signature after a search. No question takes much longer
// for it than the search alone, and the entry is complete once searches have cost a few times as much as it does.
func (s *Search) remember(ctx context.Context, known *state.CachedAnswers) error {
	work := unitsBefore
	for _, w := range s.Workers {
		work += w.work
	}
	snap := s.Asked.snap
	if known == nil {
		if !s.Asked.Attempt.AskedOne {
			snap.Cache.Searched(s.Asked.signature, work)
		}
		return nil
	}
	if !known.Mu.TryLock() {
		return nil // another search works on it
	}
	defer known.Mu.Unlock()

	known.Work = work
	s.Workers[0].Reset()
	c := s.cached(known)
	own, returned := c.begin(), false
	defer func() { c.end(own, returned) }()
	_, err := c.update(ctx, work/partOfWork)
	returned = true
	return err
}

// decide brings the entry up to date and finds the best node. It returns no plan if that is more work than a search.
func (c *cachedSearch) decide(ctx context.Context) (plan *preemption.Plan, best NodeScore, err error) {
	known := c.known
	known.Mu.Lock()
	defer known.Mu.Unlock()
	if c.pending() > known.Work {
		return nil, best, nil
	}

	own, returned := c.begin(), false
	defer func() { c.end(own, returned) }()
	plan, best, err = c.ask(ctx)
	returned = true
	return plan, best, err
}

// ask is decide while the entry is open. It returns no plan if counts have changed about too many nodes.
func (c *cachedSearch) ask(ctx context.Context) (plan *preemption.Plan, best NodeScore, err error) {
	if done, err := c.update(ctx, c.known.Work); !done || err != nil {
		return nil, best, err
	}

	c.reboundOwnNode()
	c.worker.firstFit = c.tournament.firstFit()
	if plan = c.search.beginPlan(); plan.Outcome == preemption.Preempts {
		best, err = c.best(ctx)
	}
	return plan, best, err
}

// begin opens the entry, while the lock of known is held. Until end is called the worker's counts are the
// tournament's. It returns the memory of the worker's own.
func (c *cachedSearch) begin() ownTallies {
	c.open()
	return c.countForTournament()
}

// end gives the counts back to the tournament; the worker has a copy. returned is false if the caller's code has
// panicked. In that case an entry and its matches may disagree, and with nodes at 0 the tournament is begun anew.
func (c *cachedSearch) end(own ownTallies, returned bool) {
	if !returned {
		c.tournament.nodes = 0
	}
	c.countForWorker(own)
}

// open takes the tournament of the cache entry for writing. It copies one that another cache shares.
func (c *cachedSearch) open() {
	known := c.known
	t, _ := known.Nodes.(*Tournament)
	switch {
	case t == nil:
		t = &Tournament{}
	case known.Shared:
		t = t.copy()
	}
	c.tournament = t
	known.Nodes = t
	known.Shared = false
}

// ownTallies is the memory of a worker's own tallies while it counts for a tournament.
type ownTallies struct{ before, after tally }

// countForTournament lends the tournament's counts to the worker, and returns the memory of the worker's own.
func (c *cachedSearch) countForTournament() ownTallies {
	w, t := c.worker, c.tournament
	own := ownTallies{before: w.before.others[:0], after: w.after.others[:0]}
	w.before = t.before
	w.after = t.after
	return own
}

// countForWorker gives the counts back to the tournament. The worker keeps a copy in its own memory, because
// it reads the counts after the lock is released.
func (c *cachedSearch) countForWorker(own ownTallies) {
	w, t := c.worker, c.tournament
	t.before = w.before
	t.after = w.after
	w.before.others = append(own.before, t.before.others...)
	w.after.others = append(own.after, t.after.others...)
}

// best returns the score of the best candidate. If the overall winner is evaluated, it is the answer: its
// score is real, and no other entry is better even by its optimistic score. Ties are settled by position in
// scores of both kinds. If the winner is no candidate, there is none at all.
//
// The loop ends because each step refines one entry, and after two steps an entry is evaluated.
func (c *cachedSearch) best(ctx context.Context) (NodeScore, error) {
	for steps := 0; ; steps++ {
		if steps%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return NodeScore{}, ctx.Err()
		}

		winner := c.tournament.best()
		e := c.tournament.At(winner)
		if e.Position < 0 || e.Kind == Evaluated {
			return e.NodeScore, nil
		}
		c.refine(winner)
	}
}

// refine tightens the bound of a node or, if that is done, evaluates the node, and plays its matches again. A
// tighter bound costs less than an evaluation, and is often enough for the node to lose.
func (c *cachedSearch) refine(position int32) {
	w, e := c.worker, c.tournament.writable(position)
	n := w.NodeAt(int(position))
	if e.tightened {
		// Without an incumbent the evaluation runs to its end, so that the score is the candidate's own.
		w.Best = NodeScore{Position: -1}
		w.allowed = math.MaxInt64
		w.FindVictims(int(position), n, &e.NodeBound)
		c.noteEvaluated(position)
	} else {
		w.Tighten(&e.NodeBound, n.Slot)
		c.scoreByBound(position)
	}
	c.tournament.playFrom(position)
}
