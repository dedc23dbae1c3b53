package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// preemptors sums up the victims of each pod over its attempts. If another scheduler repeatedly takes the room
// made for a pod, the pod has few victims in each preemption and many in total.
type preemptors struct {
	ended prometheus.Histogram
	most  prometheus.Gauge

	mu sync.Mutex
	// waiting has the sums of the pods that have had victims and still wait, by UID.
	waiting map[string]int
}

func newPreemptors() *preemptors {
	return &preemptors{
		ended: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "outrank_preemptor_victims", Help: "How many pods had to leave for a pod, all its attempts together, when it had a node or was gone.",
			Buckets: []float64{1, 2, 5, 10, 20, 50, 100, 200, 500},
		}),
		most: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "outrank_waiting_preemptor_victims_max", Help: "The most pods that had to leave for one pod that still waits, all its attempts together.",
		}),
		waiting: map[string]int{},
	}
}

func (p *preemptors) add(preemptor string, n int) {
	if n <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting[preemptor] += n
	p.setMost()
}

func (p *preemptors) end(preemptor string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, ok := p.waiting[preemptor]
	if !ok {
		return
	}
	delete(p.waiting, preemptor)
	p.ended.Observe(float64(n))
	p.setMost()
}

// setMost sets the largest sum. The caller holds the lock. It takes time linear in the number of waiting pods.
func (p *preemptors) setMost() {
	most := 0
	for _, n := range p.waiting {
		most = max(most, n)
	}
	p.most.Set(float64(most))
}
