package sim

import (
	"math"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/priority/queue"
)

// refuse makes the attempts that come to nothing and are next, for pods that have
// been refused before, and reports whether there were any. Nobody can tell them
// from those of [Simulation.cycle], which are made one by one: where somebody
// observes them, they are.
func (s *Simulation) refuse() bool {
	if !s.sharing || s.config.Observe != nil {
		return false
	}
	attempts := 0
	if s.config.Cycle > 0 || len(s.config.Queue.Gates) > 0 {
		// A gate may hold pods whose time has come, which the first attempt finds out.
		// That one is made whether there are other pods to be tried or not.
		attempts = s.refuseSome(1)
	}
	if s.config.Cycle == 0 && (attempts > 0 || len(s.config.Queue.Gates) == 0) {
		attempts += s.refuseSome(0)
	}
	if attempts == 0 {
		return false
	}
	s.steps += attempts - 1
	s.busy = later(s.at, s.config.Cycle)
	return true
}

// refuseSome makes so many such attempts at most, any number for zero, until all
// pods that wait were tried, and returns how many there were.
func (s *Simulation) refuseSome(most int) int {
	fresh := s.inQueue - s.tried - s.untriedGated()
	done := s.queue.Refuse(s.Time(), queue.Refusing{Class: s.classOf, Since: s.since, Most: most, MostFresh: fresh})
	if done.Attempts > 0 {
		s.latest = done.Last
	}
	s.tried += done.Fresh
	return done.Attempts
}

// classOf returns the class of a pod in the queue, nil for one whose attempt has
// to be made by itself.
func (s *Simulation) classOf(obj *outrank.Pod) queue.Class {
	p := s.pods[obj.Key()]
	if !p.lineage.refused {
		return nil // it has to be noted
	}
	if a := s.alikeTo(p); a != nil {
		return a
	}
	return nil
}

// counted are the metrics with the attempts of refuse.
func (s *Simulation) counted() execution.MetricValues {
	values := s.metrics.Values()
	for _, x := range s.inOrder {
		if x.refused == 0 {
			continue
		}
		values.PreemptionAttempts += x.refused
		if values.ScheduleAttempts == nil {
			values.ScheduleAttempts = map[execution.Attempt]uint64{}
		}
		attempt := execution.Attempt{Result: execution.ResultUnschedulable, Profile: x.name}
		values.ScheduleAttempts[attempt] += x.refused
		s.countDurations(&values, attempt, x.refused)
	}
	return values
}

// countDurations counts how long n more attempts took: each as long as every other.
func (s *Simulation) countDurations(values *execution.MetricValues, attempt execution.Attempt, n uint64) {
	var single execution.Metrics
	single.AddAttemptDuration(attempt, s.config.Cycle)
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

// total is n durations, and stays at the largest there is.
func total(n uint64, d time.Duration) time.Duration {
	if d > 0 && n > math.MaxInt64/uint64(d) {
		return math.MaxInt64
	}
	return time.Duration(n) * d
}
