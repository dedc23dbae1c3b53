package preemption

import (
	"context"
	"math"
	"sync"
)

// search decides without evaluating every node. It is for the default rules,
// with any filters. If the caller has a say in the candidates, or asks for an
// explanation, the exhaustive search (result) decides instead. Both return the
// same answer.
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
// node by its summary. The other three evaluate nodes, the most promising
// first, and prune those whose bound is worse than the incumbent, the best
// candidate so far. ENGINE.md has the proofs and the picture of the data.
//
// Later calls reuse a search for its memory.
type search struct {
	attempt
	// asks is what the preemptor needs by column, asksNothing if it needs
	// nothing.
	asks amountRow
	// filtered: filters besides NodeResourcesFit have something to say after
	// the first node filters, or the preemptor needs a resource without a
	// column. anyPod: every pod may have a part in that.
	filtered, anyPod bool

	bounds  []nodeBound // by position
	workers []*searchWorker
	chunk   int
	// leastBound is the least bound of all nodes, leastVictims the least number
	// of victims with that bound.
	leastBound   int32
	leastVictims uint16
	incumbent    incumbent
	signature    keyWriter // see answerCache
	tally        tally
}

// asksNothing is less than any node has free, unless its amounts are large.
const asksNothing = math.MinInt64 / 2

// nodeBound is what the first round finds out about a node.
type nodeBound struct {
	// bound is the lowest priority that the top victim can have, and fewest the
	// least number of victims if the top victim has it.
	bound  int32
	fewest uint16
	kind   boundKind
	// exact: fewest was tightened by the top-k sums.
	exact bool
	// before is the node's answer as things are. after is its answer with all
	// pods of lower priority removed, if it was asked for that.
	before, after answer
}

type boundKind uint8

const (
	// settled: the node takes the pod, or preemption does not help there, or it
	// has been evaluated.
	settled boundKind = iota
	// byResources: the node is a candidate, and resources alone decide on the
	// victims.
	byResources
	// byFilters: the node is a candidate, and other filters have a part in the
	// choice.
	byFilters
	// evaluated: the node is a candidate, and the cache has its score.
	evaluated
)

// searches keeps searches for later calls.
var searches = sync.Pool{New: func() any { return &search{} }}

// prunable reports whether a question can be answered by a search.
func (c *Config) prunable(req *Request) bool {
	policy := &c.Policy
	return req.Statuses == nil && c.Sample == nil && len(c.Extenders) == 0 && len(c.Scorers) == 0 &&
		c.MayEvict == nil && c.Importance == nil && c.Plugins.boundByResources() &&
		policy.Victims == Reprieve && policy.Budgets == PerVictim && policy.Ranks == nil &&
		!policy.IgnoreStart && !policy.EvictUnprioritized && !policy.FilterOnce && !policy.EmptySelectors
}

// decidePruned answers a question by a search.
func decidePruned(ctx context.Context, config *Config, chunk int, snap *Snapshot, req *Request) (*Plan, error) {
	s := searches.Get().(*search)
	defer s.release()
	s.chunk = chunk
	if err := s.begin(config, snap, req); err != nil {
		return nil, err
	}
	if s.refused.code != Success {
		return s.refusedPlan(), nil
	}
	if plan, ok, err := s.answerFromCache(ctx); ok {
		return plan, err
	}
	return s.run(ctx)
}

// begin prepares a search.
func (s *search) begin(config *Config, snap *Snapshot, req *Request) error {
	if err := s.attempt.begin(config, snap, req.Pod, req.Now); err != nil {
		return err
	}
	s.asks = amountRow{asksNothing, asksNothing, asksNothing}
	s.anyPod = len(s.callers) > 0
	for i := range s.needs {
		if at := s.needs[i].column; at >= 0 {
			s.asks[at] = s.needs[i].value
		} else {
			s.anyPod = true
		}
	}
	s.filtered = s.anyPod || !s.resourcesAlone()
	if n := len(snap.order); cap(s.bounds) < n {
		s.bounds = make([]nodeBound, n)
	} else {
		s.bounds = s.bounds[:n]
	}
	s.prepareWorkers(max(1, config.Workers))
	return nil
}

// release drops everything that belongs to the caller, and keeps the search for
// later calls.
func (s *search) release() {
	s.workers = s.workers[:cap(s.workers)]
	for _, w := range s.workers {
		if w != nil {
			w.dry.release()
			clear(w.before.others)
			clear(w.after.others)
		}
	}
	clear(s.tally)
	s.attempt.release()
	searches.Put(s)
}

// refusedPlan is the answer to an attempt that ends before the first node.
func (s *search) refusedPlan() *Plan {
	if n := len(s.snap.order); n > 0 {
		before := &s.workers[0].before
		before.count(before.intern(s.refused), n)
	}
	plan := s.beginPlan()
	if plan.Outcome == Preempt {
		s.finishPlan(plan, nodeScore{position: -1})
	}
	return plan
}

func (s *search) run(ctx context.Context) (*Plan, error) {
	if err := s.each(ctx, (*searchWorker).boundNodes); err != nil {
		return nil, err
	}
	plan := s.beginPlan()
	if plan.Outcome != Preempt {
		return plan, nil
	}
	// The most promising nodes first: their victims prune most other nodes.
	for _, round := range [...]func(*searchWorker, int, int){
		(*searchWorker).evaluateFirst, (*searchWorker).evaluateNext, (*searchWorker).evaluateRest,
	} {
		s.gather()
		if err := s.each(ctx, round); err != nil {
			return nil, err
		}
	}
	s.gather()
	s.finishPlan(plan, s.incumbent.best)
	return plan, nil
}

// minChunks is the least number of chunks per worker. Starting another
// goroutine takes 20 us or so, in which one worker bounds hundreds of nodes.
const minChunks = 8

// each has the workers go over all nodes.
func (s *search) each(ctx context.Context, round func(w *searchWorker, from, to int)) error {
	n := len(s.bounds)
	if workers := min(len(s.workers), n/(minChunks*s.chunk)); workers > 1 {
		return inChunks(ctx, workers, n, s.chunk, func(worker, from, to int) {
			round(s.workers[worker], from, to)
			s.workers[worker].share()
		})
	}
	for from := 0; from < n && ctx.Err() == nil; from += s.chunk {
		round(s.workers[0], from, min(n, from+s.chunk))
	}
	return ctx.Err()
}

// gather combines what the workers have found.
func (s *search) gather() {
	s.leastBound, s.leastVictims = math.MaxInt32, math.MaxUint16
	for _, w := range s.workers {
		if w.leastBound < s.leastBound || w.leastBound == s.leastBound && w.leastVictims < s.leastVictims {
			s.leastBound, s.leastVictims = w.leastBound, w.leastVictims
		}
		w.leastBound, w.leastVictims = math.MaxInt32, math.MaxUint16
		w.share()
	}
	for _, w := range s.workers {
		w.share()
	}
}

func (s *search) nodeAt(position int) *nodeState { return s.snap.nodes[s.snap.order[position]] }
