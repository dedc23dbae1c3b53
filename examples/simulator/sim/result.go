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
	// Waited are the waits that Waits sums up, one for each lineage.
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
	waiting := s.line.queue
	if s.gangs != nil {
		waiting = s.gangs.queue
	}
	s.tally.metrics.SetQueue(waiting)
	r := &Result{Steps: s.clock.steps, History: s.tally.history.Summary(), Metrics: s.counted()}
	r.Simulated, r.Lost = s.clock.at.Seconds(), s.tally.lost
	waits := &report.Waits{}
	for _, l := range s.lives.lineages {
		if !l.arrived {
			continue
		}
		now, waited := l.current(), l.waited
		for _, p := range l.lives {
			if p.phase == Queued {
				waited += s.clock.at - p.queued
			}
		}
		waits.Add(l.priority, waited)
		p := &r.Pods
		p.Arrived++
		p.Run += one(l.placed)
		p.Finished += one(l.finished)
		p.Waited += one(l.refused)
		p.Waiting += one(now.phase == Queued || now.phase == Coming)
		p.Evicted += one(l.evictions > 0)
		p.EvictedAgain += one(l.evictions > 1)
	}
	r.Waits, r.Waited, r.Gangs = waits.List(), waits, s.gangs.sum()
	r.Kubelets = s.table.sum(s.lives.lineages)
	r.Preemption = report.PreemptionOf(r.History, s.config.Start)
	return r
}

// counted are the metrics with the attempts of refuse.
func (s *Simulation) counted() metrics.Values {
	values := s.tally.metrics.Values()
	for _, x := range s.schedulers.inOrder {
		if x.refused == 0 {
			continue
		}
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

// countDurations counts the time of n more attempts: each as long as every other.
func (s *Simulation) countDurations(values *metrics.Values, attempt metrics.Attempt, n uint64) {
	var single metrics.Meter
	single.AddFailure(attempt.Profile, &execution.Verdict{}, &s.config.Cycle)
	like := single.Values().AttemptDurations
	at := slices.Index(like[attempt].Buckets, 1)
	h, ok := values.AttemptDurations[attempt]
	if !ok {
		h, n = like[attempt], n-1
	}
	h.Buckets[at] += n
	h.Sum = total(h.Count(), s.config.Cycle)
	if values.AttemptDurations == nil {
		values.AttemptDurations = like
	}
	values.AttemptDurations[attempt] = h
}

// total is n durations, and stays at the largest one.
func total(n uint64, d time.Duration) time.Duration {
	if d > 0 && n > math.MaxInt64/uint64(d) {
		return math.MaxInt64
	}
	return time.Duration(n) * d
}

// Progress is the share of the work that is done, from 0 to 1: arrivals, and
// ends of pods that have one.
func (s *Simulation) Progress() float64 { return s.tally.progress.share() }

// Steps is the number of steps, each attempt being one.
func (s *Simulation) Steps() int { return s.clock.steps }
