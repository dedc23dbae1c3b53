package sim

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/preemption/planner/history"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
)

// Result sums up a run. It belongs to the caller.
type Result struct {
	report.Summary
	// Steps counts the moments of the agenda and the scheduling cycles.
	Steps int
	// History has all cascades, cycles and repeats that were found, by lineage.
	History history.Summary
	// Metrics are the metrics that a kube-scheduler would have.
	Metrics metrics.Values
	// Waited has the waiting times that Waits sums up, one for each lineage.
	Waited *report.Waits
}

// Run continues the run until nothing more happens, the configured end, or the end of the context, whose
// error comes with the result so far. A pod that fits nowhere and cannot preempt stays in the queue. Any
// other error comes from a change from outside, a pod that a controller made, or a rule of the caller.
func (s *Simulation) Run(ctx context.Context) (*Result, error) {
	err := s.Until(ctx, s.config.End)
	return s.Result(), err
}

// Result sums up the run so far, which may continue afterwards. Pods are counted by lineage. Time is linear
// in the lineages.
func (s *Simulation) Result() *Result {
	s.tally.setQueue(s.line.queue)
	r := &Result{Steps: s.clock.steps, History: s.tally.found(), Metrics: s.metrics()}
	r.Simulated = s.Now().Seconds()
	r.Lost = s.tally.lost

	// Work that has not arrived does not count, because the run may have ended before.
	waits := &report.Waits{}
	for _, l := range s.lives.lineages {
		if !l.arrived {
			continue
		}
		waits.Add(l.priority, l.waitedUntil(s.clock.at))
		l.countIn(&r.Pods)
	}

	r.Waits, r.Waited = waits.List(), waits
	r.Gangs = s.gangs.sum()
	r.Kubelets = s.table.sum(s.lives.lineages)
	r.Preemption = report.PreemptionOf(r.History, s.config.Start)
	return r
}

// waitedUntil returns the time that the pods of a lineage have spent in the queue so far.
func (l *lineage) waitedUntil(now time.Duration) time.Duration {
	waited := l.waited
	for _, p := range l.lives {
		if p.phase == Queued {
			waited += now - p.queued
		}
	}
	return waited
}

// countIn counts a lineage that has arrived, by what has happened to it.
func (l *lineage) countIn(pods *report.Pods) {
	now := l.current()
	pods.Arrived++
	pods.Run += one(l.placed)
	pods.Finished += one(l.finished)
	pods.Waited += one(l.refused)
	pods.Waiting += one(now.phase == Queued || now.phase == Coming)
	pods.Evicted += one(l.evictions > 0)
	pods.EvictedAgain += one(l.evictions > 1)
}

// metrics returns the metrics of a kube-scheduler that makes all attempts one by one, including those of
// refuse.
func (s *Simulation) metrics() metrics.Values {
	values := s.tally.values()
	for _, x := range s.schedulers.inOrder {
		if x.refused == 0 {
			continue
		}

		// Each was an attempt that found no node and asked for a plan.
		values.PreemptionAttempts += x.refused
		if values.ScheduleAttempts == nil {
			values.ScheduleAttempts = map[metrics.Attempt]uint64{}
		}
		attempt := metrics.Attempt{Result: "unschedulable", Profile: x.name}
		values.ScheduleAttempts[attempt] += x.refused
		s.countDurations(&values, attempt, x.refused)
	}
	return values
}

// countDurations adds the durations of n attempts, each of which lasts one cycle.
func (s *Simulation) countDurations(values *metrics.Values, attempt metrics.Attempt, n uint64) {
	// All fall into the same bucket as a single attempt.
	var single metrics.Meter
	single.AddFailure(attempt.Profile, &execution.Verdict{}, &s.config.Cycle)
	like := single.Values().AttemptDurations
	bucket := slices.Index(like[attempt].Buckets, 1)

	// If no attempt was made alone, the histogram starts as the one of the single attempt, which counts one
	// of the n.
	h, ok := values.AttemptDurations[attempt]
	if !ok {
		h = like[attempt]
		n--
	}
	h.Buckets[bucket] += n
	h.Sum = total(h.Count(), s.config.Cycle)

	if values.AttemptDurations == nil {
		values.AttemptDurations = like
	}
	values.AttemptDurations[attempt] = h
}

// total returns n times the duration, but at most the largest duration.
func total(n uint64, d time.Duration) time.Duration {
	if d > 0 && n > math.MaxInt64/uint64(d) {
		return math.MaxInt64
	}
	return time.Duration(n) * d
}

// Progress returns the share of the work that is done, from 0 to 1. Each arrival is a piece of work, and so
// is each end of a pod that ends.
func (s *Simulation) Progress() float64 { return s.tally.share() }

// Steps returns the number of steps. Each attempt is one.
func (s *Simulation) Steps() int { return s.clock.steps }
