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

// Result is a run in figures. It belongs to the caller.
type Result struct {
	report.Summary
	// Steps counts moments of the agenda and scheduling cycles.
	Steps int
	// History has all cascades, cycles and repeats that were found, by lineage.
	History history.Summary
	// Metrics are the metrics of a kube-scheduler.
	Metrics metrics.Values
	// Waited has the waits that Waits sums up, one for each lineage.
	Waited *report.Waits
}

// Run goes on until nothing happens any more, the end of the configuration, or the
// end of the context, whose error comes with the result until then. A pod that fits
// nowhere and pushes nobody out stays in the queue. Any other error is about a
// change from outside, a pod that a controller made, or one of the caller's rules.
func (s *Simulation) Run(ctx context.Context) (*Result, error) {
	err := s.Until(ctx, s.config.End)
	return s.Result(), err
}

// Result sums up the run so far, which may go on afterwards. Pods are counted by
// lineage. Time is linear in the lineages.
func (s *Simulation) Result() *Result {
	s.tally.setQueue(s.line.queue)
	r := &Result{Steps: s.clock.steps, History: s.tally.found(), Metrics: s.metrics()}
	r.Simulated = s.Now().Seconds()
	r.Lost = s.tally.lost

	// Work whose time has not come is not counted: the run may have ended before.
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

// waitedUntil returns the time that the lives of a lineage have spent in the queue until now.
func (l *lineage) waitedUntil(now time.Duration) time.Duration {
	waited := l.waited
	for _, p := range l.lives {
		if p.phase == Queued {
			waited += now - p.queued
		}
	}
	return waited
}

// countIn counts a lineage that has arrived by what became of it.
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

// metrics returns the metrics of a kube-scheduler that makes all attempts one by one, those of refuse among
// them.
func (s *Simulation) metrics() metrics.Values {
	values := s.tally.values()
	for _, x := range s.schedulers.inOrder {
		if x.refused == 0 {
			continue
		}

		// Each of them was an attempt that found no node, and asked for a plan.
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

// countDurations counts the durations of n more attempts, each of which lasts one cycle.
func (s *Simulation) countDurations(values *metrics.Values, attempt metrics.Attempt, n uint64) {
	// All of them fall into the bucket into which one attempt falls.
	var single metrics.Meter
	single.AddFailure(attempt.Profile, &execution.Verdict{}, &s.config.Cycle)
	like := single.Values().AttemptDurations
	bucket := slices.Index(like[attempt].Buckets, 1)

	// Without an attempt that was made by itself, the histogram of the single one is taken, which has one
	// of the n already.
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

// total returns n times the duration, at most the largest duration there is.
func total(n uint64, d time.Duration) time.Duration {
	if d > 0 && n > math.MaxInt64/uint64(d) {
		return math.MaxInt64
	}
	return time.Duration(n) * d
}

// Progress returns the share of the work that is done, from 0 to 1. An arrival is one piece of work, and so
// is the end of a pod that has one.
func (s *Simulation) Progress() float64 { return s.tally.share() }

// Steps returns the number of steps, each attempt being one.
func (s *Simulation) Steps() int { return s.clock.steps }
