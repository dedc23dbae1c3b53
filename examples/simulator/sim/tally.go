package sim

import (
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/preemption/planner/history"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
)

// tally has a run's counts for its [Result].
type tally struct {
	metrics  metrics.Meter
	history  *history.Log
	progress progress
	lost     report.Lost
}

// progress counts the done part of the known work.
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

// share is the part that is done, from 0 to 1.
func (p *progress) share() float64 {
	if p.expected == 0 {
		return 0
	}
	return min(1, float64(p.arrivals+p.ends)/float64(p.expected))
}
