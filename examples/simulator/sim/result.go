package sim

import (
	"github.com/outrank-go/outrank/examples/simulator/chart"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/preemption/history"
)

// Result is a run in figures. It belongs to the caller.
type Result struct {
	report.Summary
	// Steps counts moments of the agenda and scheduling cycles.
	Steps int
	// History is all that was found of cascades, cycles and repeats, by lineage.
	History history.Summary
	// Metrics are what kube-scheduler would count.
	Metrics execution.MetricValues
	// Waited are the waits that Waits sums up, one for each lineage.
	Waited *report.Waits
}

type losses = report.Lost

// Result sums up the run so far, which may go on afterwards. Pods are counted by
// lineage. Time is linear in the lineages.
func (s *Simulation) Result() *Result {
	pending := execution.PendingPods{}
	if s.gangs != nil {
		pending = execution.PendingOf(s.gangs.queue.Counts(), s.gangs.queue.Entities())
	} else {
		pending.Counts = s.queue.Counts()
	}
	s.metrics.SetPending(pending)
	r := &Result{Steps: s.steps, History: s.history.Summary(), Metrics: s.counted()}
	r.Simulated, r.Lost = s.at.Seconds(), s.lost
	waits := &report.Waits{}
	for _, l := range s.lineages {
		if !l.arrived {
			continue
		}
		now, waited := l.current(), l.waited
		for _, p := range l.lives {
			if p.phase == Queued {
				waited += s.at - p.queued
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
	r.Kubelets = s.kubeletSum()
	r.Preemption = report.PreemptionOf(r.History, s.config.Start)
	return r
}

// sum counts gangs that have come; nil where there are none.
func (gs *gangs) sum() *report.Gangs {
	if gs == nil {
		return nil
	}
	sum := &report.Gangs{}
	for _, g := range gs.inOrder {
		arrived, waiting := false, false
		for _, l := range g.members {
			now := l.current()
			arrived = arrived || l.arrived
			waiting = waiting || l.arrived && (now.phase == Queued || now.phase == Coming)
		}
		sum.Arrived += one(arrived)
		sum.Placed += one(g.placed)
		sum.Waiting += one(waiting)
		sum.Preempted += one(g.evictions > 0)
		sum.PreemptedAgain += one(g.evictions > 1)
		sum.Preemptions += g.preemptions
	}
	return sum
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sample tells what is in use, if that has changed.
func (s *Simulation) sample() {
	if s.config.Sample == nil || !s.unsampled {
		return
	}
	s.unsampled = false
	levels := s.levels[:0]
	for i := range s.columns {
		levels = append(levels, chart.Level{Used: float64(s.used[i]), Capacity: float64(s.capacity[i])})
	}
	s.levels = levels
	s.config.Sample(chart.Sample{Time: s.at, Levels: levels, Waiting: s.waiting, Evicted: s.evictions})
	clear(s.evictions)
}

// progress counts what is done of what is known to come.
type progress struct {
	expected, arrivals, ends int
}

func (p *progress) expect(w *Work) {
	p.expected++
	if !w.Endless {
		p.expected++
	}
}

// arrived counts the first life of each lineage alone.
func (p *progress) arrived(x *pod) {
	if x.lineage.lives[0] == x {
		p.arrivals++
	}
}

func (p *progress) ended(*pod) { p.ends++ }

// Progress is how much of the work is done, from 0 to 1: arrivals, and ends of
// pods that have one.
func (s *Simulation) Progress() float64 {
	if s.progress.expected == 0 {
		return 0
	}
	return min(1, float64(s.progress.arrivals+s.progress.ends)/float64(s.progress.expected))
}

// Steps is how many steps were made, each attempt being one.
func (s *Simulation) Steps() int { return s.steps }
