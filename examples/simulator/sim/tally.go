package sim

import (
	"time"

	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/preemption/planner/history"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// tally has the counts of a run for its [Result].
type tally struct {
	metrics  metrics.Meter
	history  *history.Log
	progress progress
	lost     report.Lost
}

// setQueue counts the pods in the queue for the metrics.
func (t *tally) setQueue(q *queue.Queue) { t.metrics.SetQueue(q) }

// values returns the metrics so far.
func (t *tally) values() metrics.Values { return t.metrics.Values() }

// found returns the cascades and cycles that the history has found so far.
func (t *tally) found() history.Summary { return t.history.Summary() }

// share returns the share of the known work that is done, from 0 to 1.
func (t *tally) share() float64 { return t.progress.share() }

// arrived counts the arrival of a pod.
func (t *tally) arrived(p *pod) { t.progress.arrived(p) }

// ended counts a pod that has finished.
func (t *tally) ended() { t.progress.ends++ }

// lose counts the lost work of a pod that ran for this time with this much cpu, in thousandths of a core.
func (t *tally) lose(ran time.Duration, cpu int64) { t.lost.Add(ran, cpu) }

// record adds a preemption to the history.
func (t *tally) record(x history.Preemption) error { return t.history.Record(x) }

// progress counts how much of the known work is done. Each arrival is a piece of work, and so is each end of
// a pod that ends.
type progress struct {
	expected, arrivals, ends int
}

// expect adds the arrival and the end of a pod to the known work.
func (p *progress) expect(w *Work) {
	p.expected++
	if !w.Endless {
		p.expected++
	}
}

// arrived counts an arrival. Only the first pod of a lineage counts, because its successors were not
// expected.
func (p *progress) arrived(x *pod) {
	if x.lineage.lives[0] == x {
		p.arrivals++
	}
}

// share returns the share that is done, from 0 to 1. It may reach 1 early, because processes bring more work
// later.
func (p *progress) share() float64 {
	if p.expected == 0 {
		return 0
	}
	return min(1, float64(p.arrivals+p.ends)/float64(p.expected))
}
