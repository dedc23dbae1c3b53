package report

import (
	"cmp"
	"slices"
	"time"
)

// Wait sums up how long the pods of one priority waited for a node, in seconds.
type Wait struct {
	Priority int32 `json:"priority"`
	// Pods counts all pods of the priority, including those that did not wait.
	Pods int `json:"pods"`
	// Median and P95 are waits of pods: half of the pods, or 95 of 100, waited no longer.
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
	Max    float64 `json:"max"`
}

// Waits collects waiting times of pods. The zero value is empty. Memory is 8 bytes for each pod.
type Waits struct {
	byPriority map[int32][]time.Duration
}

// Add records the waiting time of one pod.
func (w *Waits) Add(priority int32, wait time.Duration) {
	if w.byPriority == nil {
		w.byPriority = map[int32][]time.Duration{}
	}
	w.byPriority[priority] = append(w.byPriority[priority], wait)
}

// Each calls visit for all waiting times, in no particular order.
func (w *Waits) Each(visit func(priority int32, wait time.Duration)) {
	for priority, waits := range w.byPriority {
		for _, d := range waits {
			visit(priority, d)
		}
	}
}

// List sums up the waiting times by priority, the highest first. It does not depend on the order of the calls
// of Add.
func (w *Waits) List() []Wait {
	out := []Wait{}
	for priority, waits := range w.byPriority {
		out = append(out, waitOf(priority, slices.Sorted(slices.Values(waits))))
	}
	slices.SortFunc(out, func(a, b Wait) int { return cmp.Compare(b.Priority, a.Priority) })
	return out
}

// waitOf sums up sorted waiting times. There must be at least one.
func waitOf(priority int32, sorted []time.Duration) Wait {
	sum := 0.0
	for _, d := range sorted {
		sum += d.Seconds()
	}

	// rank returns the first waiting time, in order, that p of 100 do not exceed.
	rank := func(p int) float64 { return sorted[(len(sorted)*p+99)/100-1].Seconds() }
	return Wait{
		Priority: priority, Pods: len(sorted), Mean: sum / float64(len(sorted)),
		Median: rank(50), P95: rank(95), Max: rank(100),
	}
}
