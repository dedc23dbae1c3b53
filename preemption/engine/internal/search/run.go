package search

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Start prepares a search for a question. The caller releases it.
func Start(ctx context.Context, config *dryrun.Terms, chunk int, snap *state.Snapshot, req *preemption.Request) (*Search, error) {
	if err := dryrun.CheckAlone(snap, req.Pod); err != nil {
		return nil, err
	}
	s := Searches.Get().(*Search)
	s.chunk = chunk
	err := s.Ask(ctx, config, snap, req)
	if err == nil && req.Statuses != nil {
		s.takeStatuses(req)
	}
	if err != nil {
		s.Busy = false
		s.Close()
		return nil, err
	}
	return s, nil
}

// Decide answers a question by a search.
func Decide(ctx context.Context, config *dryrun.Terms, chunk int, snap *state.Snapshot, req *preemption.Request) (*preemption.Plan, error) {
	s, err := Start(ctx, config, chunk, snap, req)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if s.Attempt.Plan.Refused.Code != filters.Success {
		return s.refusedPlan(), nil
	}
	plan, err := s.decide(ctx)
	s.Busy = false
	if err == nil {
		err = s.Workers[0].Dry.Err
	}
	if err == nil && config.Exact {
		err = ctx.Err() // what a search that was ended says is of no use
	}
	if err != nil {
		return nil, err
	}
	return plan, nil
}

// decide chooses the way to the answer.
func (s *Search) decide(ctx context.Context) (*preemption.Plan, error) {
	if err := s.readGiven(); err != nil {
		return nil, err
	}
	if s.Attempt.Config.Whole {
		return s.runWhole(ctx)
	}
	if s.Rules.general {
		return s.runGeneral(ctx)
	}
	if s.given.any || s.Attempt.AskedOne {
		return s.run(ctx)
	}
	if plan, ok, err := s.answerFromCache(ctx); ok {
		return plan, err
	}
	return s.run(ctx)
}

// Ask prepares a search.
func (s *Search) Ask(ctx context.Context, config *dryrun.Terms, snap *state.Snapshot, req *preemption.Request) error {
	s.Busy = true
	if err := s.Attempt.Start(ctx, config, snap, req); err != nil {
		return err
	}
	s.snap, s.Rules = snap, searchRulesOf(config, snap.BudgetSet.List)
	s.bounded = 0
	if !s.Rules.general {
		s.bounded = state.HasUnits
	}
	every := config.Sample != nil || config.Whole
	s.Rules.exactly, s.onlyCount = s.Rules.asked && every, false
	if every {
		s.toTry = slices.Grow(s.toTry[:0], len(snap.Order))[:len(snap.Order)]
	}
	s.asks = state.AmountRow{asksNothing, asksNothing, asksNothing}
	s.AnyPod, s.tabled = false, s.Attempt.Plan.Tabled()
	for i := range s.Attempt.Asked.Needs {
		if at := s.Attempt.Asked.Needs[i].Column; at >= 0 {
			s.asks[at] = s.Attempt.Asked.Needs[i].Value
		} else {
			s.AnyPod = true
		}
	}
	if s.Attempt.Asked.Deferral.Asked {
		// One node is asked, and what it has to have left is not what the pod asks for.
		s.asks, s.AnyPod = state.AmountRow{asksNothing, asksNothing, asksNothing}, true
	}
	s.everyLarge = snap.Summaries.AllOffer(&s.asks)
	s.Filtered = s.AnyPod || !s.Attempt.ResourcesAlone()
	s.tabled = s.tabled && !s.AnyPod && !s.Attempt.Plan.Selects
	if n := len(snap.Order); cap(s.Bounds) < n {
		s.Bounds = make([]NodeBound, n)
	} else {
		s.Bounds = s.Bounds[:n]
	}
	s.takeTables()
	workers := config.SharedWorkers()
	if config.Chooser != nil {
		workers = 1 // so that the same node is the first with a senseless answer
	}
	s.prepareWorkers(workers)
	s.Attempt.HearNominated(&s.Workers[0].Dry)
	return nil
}

// Close drops everything that belongs to the caller, and keeps a search whose work
// has returned for later calls.
func (s *Search) Close() {
	s.Workers = s.Workers[:cap(s.Workers)]
	for _, w := range s.Workers {
		if w != nil {
			w.Dry.Release()
			w.snap = nil
			w.before.release()
			w.after.release()
			w.columns.Release()
			w.given = givenAnswer{}
			w.releaseScratch()
		}
	}
	clear(s.tally)
	s.releaseTables()
	s.given.release()
	s.Attempt.Release()
	s.snap, s.Rules = nil, searchRules{}
	s.blocks.digests, s.blocks.whole, s.blocks.positions, s.blocks.firsts, s.blocks.passing = nil, nil, nil, nil, nil
	if !s.Busy {
		Searches.Put(s)
	}
}

func (s *Search) run(ctx context.Context) (*preemption.Plan, error) {
	var err error
	if s.blocks.digests, s.blocks.whole, err = s.snap.Digests(ctx); err != nil {
		return nil, err
	}
	if !s.given.any && s.refuseAll() {
		plan := s.beginPlan()
		if plan.Outcome == preemption.Preempts {
			s.finishPlan(plan, NodeScore{Position: -1})
		}
		return plan, ctx.Err()
	}
	s.beginBlocks()
	if err := s.boundAll(ctx); err != nil {
		return nil, err
	}
	plan := s.beginPlan()
	if plan.Outcome != preemption.Preempts {
		return plan, nil
	}
	s.listPromising()
	// The most promising nodes first: their victims prune most other nodes.
	for _, round := range [...]func(*Worker, int, int){
		(*Worker).searchFirst, (*Worker).searchBetter, (*Worker).searchRest,
	} {
		s.gather()
		if err := s.eachPromising(ctx, round); err != nil {
			return nil, err
		}
	}
	s.gather()
	s.finishPlan(plan, s.incumbent.best)
	return plan, nil
}

// boundAll finds what every node answers, and bounds the candidates.
func (s *Search) boundAll(ctx context.Context) error {
	if !s.given.any {
		s.askFirst()
		return s.eachSpan(ctx, (*Worker).boundSpan)
	}
	if err := s.each(ctx, (*Worker).boundGiven); err != nil {
		return err
	}
	s.openGiven()
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
		w.search, w.snap = s, s.snap
		w.Reset()
		w.Dry.Begin(&s.Attempt)
	}
}
