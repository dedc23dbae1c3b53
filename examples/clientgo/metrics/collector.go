package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
)

// Collector collects the counts of plugins. [New] makes one. Any number of
// goroutines may use it at once.
type Collector struct {
	// Counts has the counts for kube-scheduler's metrics. Release is the release whose metrics are exported;
	// zero means outrank.DefaultRelease. Set it before the collector is used.
	Counts  *metrics.Meter
	Release outrank.Release

	goroutines *prometheus.HistogramVec
	followed   prometheus.Histogram
	decided    *prometheus.HistogramVec
	handed     *prometheus.CounterVec
	aside      *prometheus.GaugeVec
	preemptors *preemptors
	// own has the metrics above and those of the preemptors. replaced has the metrics that the collector
	// replaces.
	own, replaced *prometheus.Registry
}

var _ prometheus.Collector = (*Collector)(nil)

// New returns a collector with all counts at zero.
func New() *Collector {
	c := &Collector{
		Counts: &metrics.Meter{},
		goroutines: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "scheduler_preemption_goroutines_duration_seconds", Help: "How long it took to carry a plan out beside the next attempts.", Buckets: prometheus.ExponentialBuckets(0.01, 2, 20),
		}, []string{"result"}),
		followed: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "outrank_snapshot_duration_seconds", Help: "How long it took to bring the snapshot up to date before a decision.", Buckets: buckets,
		}),
		decided: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "outrank_decision_duration_seconds", Help: "How long a decision took, by what came out.", Buckets: buckets,
		}, []string{"preemptor", "outcome"}),
		handed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "outrank_decisions_handed_over_total", Help: "How many decisions DefaultPreemption made, by the reason.",
		}, []string{"preemptor", "because"}),
		aside: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "outrank_objects_not_understood", Help: "How many objects are left out of decisions because they are not understood.",
		}, []string{"kind"}),
		preemptors: newPreemptors(),
		own:        prometheus.NewRegistry(), replaced: prometheus.NewRegistry(),
	}
	c.own.MustRegister(c.goroutines, c.followed, c.decided, c.handed, c.aside, c.preemptors.ended, c.preemptors.most)
	return c
}

// buckets range from 10 µs to about 20 s.
var buckets = prometheus.ExponentialBuckets(1e-5, 2, 22)

// AddGoroutine records how long it took to carry out a plan in the background.
func (c *Collector) AddGoroutine(took time.Duration, failed bool) {
	result := "success"
	if failed {
		result = "error"
	}
	c.goroutines.WithLabelValues(result).Observe(took.Seconds())
}

// AddDecision counts a decision by the kind of preemptor ("pod" or "podgroup") and the outcome. It records the
// times to bring the snapshot up to date and to find the answer.
func (c *Collector) AddDecision(by string, outcome string, followed, decided time.Duration) {
	c.followed.Observe(followed.Seconds())
	c.AddOutcome(by, outcome, decided)
}

// AddOutcome counts a decision for which no snapshot was brought up to date.
func (c *Collector) AddOutcome(by string, outcome string, decided time.Duration) {
	c.decided.WithLabelValues(by, outcome).Observe(decided.Seconds())
}

// AddHandedOver counts a decision that was left to DefaultPreemption, by the reason.
func (c *Collector) AddHandedOver(by string, because string) {
	c.handed.WithLabelValues(by, because).Inc()
}

// AddVictims counts pods that had to leave for a preemptor, which is identified by its UID. The counts of a
// preemptor are summed up until [Collector.EndPreemptor].
func (c *Collector) AddVictims(preemptor string, n int) { c.preemptors.add(preemptor, n) }

// EndPreemptor records that a preemptor has a node or is gone. It does nothing if no pod had to leave for it.
func (c *Collector) EndPreemptor(preemptor string) { c.preemptors.end(preemptor) }

// SetNotUnderstood sets, for each kind, the number of objects that cannot be used.
func (c *Collector) SetNotUnderstood(kinds map[string]int) {
	c.aside.Reset()
	for kind, n := range kinds {
		c.aside.WithLabelValues(kind).Set(float64(n))
	}
}

// Describe sends no descriptions, because the metrics depend on what was counted.
func (c *Collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends all values.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	all := &series{values: map[string]*value{}, help: map[string]string{}}
	for _, family := range c.Counts.Values().Families(c.Release) {
		all.addOwn(family)
	}
	for _, registry := range []*prometheus.Registry{c.own, c.replaced} {
		families, err := registry.Gather()
		if err != nil {
			to <- prometheus.NewInvalidMetric(prometheus.NewInvalidDesc(err), err)
		}
		for _, family := range families {
			all.addOther(family)
		}
	}
	for _, v := range all.values {
		to <- v.metric(all.help[v.name])
	}
}
