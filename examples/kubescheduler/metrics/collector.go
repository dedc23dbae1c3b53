package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outrank-go/outrank/preemption/execution"
)

// Collector collects what plugins count. Its zero value is not ready; [New] makes one. Any
// number of goroutines may use it at once.
type Collector struct {
	// Counts are kube-scheduler's metrics.
	Counts *execution.Metrics

	goroutines *prometheus.HistogramVec
	followed   prometheus.Histogram
	decided    *prometheus.HistogramVec
	// replaced are the collectors whose place this one has taken.
	replaced *prometheus.Registry
}

var _ prometheus.Collector = (*Collector)(nil)

// New returns a collector that has counted nothing yet.
func New() *Collector {
	return &Collector{
		Counts: &execution.Metrics{},
		goroutines: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: goroutinesDuration, Help: "Duration in seconds for running goroutines for the preemption.", Buckets: prometheus.ExponentialBuckets(0.01, 2, 20),
		}, []string{"result"}),
		followed: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "outrank_snapshot_duration_seconds", Help: "How long it took to bring the snapshot up to date before a decision.", Buckets: buckets,
		}),
		decided: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "outrank_decision_duration_seconds", Help: "How long a decision took, by what came out.", Buckets: buckets,
		}, []string{"preemptor", "outcome"}),
	}
}

// buckets are from 10 µs to some 20 s.
var buckets = prometheus.ExponentialBuckets(1e-5, 2, 22)

// The reference's metric that [execution.Metrics] does not have.
const goroutinesDuration = "scheduler_preemption_goroutines_duration_seconds"

// AddGoroutine counts how long it took to carry out a plan in the background.
func (c *Collector) AddGoroutine(took time.Duration, failed bool) {
	result := execution.ExecutionSucceeded
	if failed {
		result = execution.ExecutionFailed
	}
	c.goroutines.WithLabelValues(string(result)).Observe(took.Seconds())
}

// AddDecision counts a decision: how long it took to bring the snapshot up to date and to
// find the answer, what preempts ("pod", "podgroup", "compositepodgroup"), and the outcome.
func (c *Collector) AddDecision(by execution.PreemptorType, outcome string, followed, decided time.Duration) {
	c.followed.Observe(followed.Seconds())
	c.decided.WithLabelValues(string(by), outcome).Observe(decided.Seconds())
}

// Describe describes nothing, because what there is depends on what has been counted.
func (c *Collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends all values.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	c.goroutines.Collect(to)
	c.followed.Collect(to)
	c.decided.Collect(to)
	for _, family := range c.Counts.Values().Families() {
		send(to, family)
	}
}
