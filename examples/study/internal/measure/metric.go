package measure

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Metric is a figure that runs have.
type Metric struct {
	// Name is for programs and columns, Title for people, with Unit behind it.
	Name, Title, Unit string
}

// The metrics that every run may have. Waits have one of each kind for every priority
// besides (see waitMetrics).
var metrics = []Metric{
	{"arrived", "pods that came", "pods"},
	{"finished", "pods that came to their end", "pods"},
	{"waiting", "pods without a node at the end", "pods"},
	{"preemptions", "preemptions", ""},
	{"evictions", "evictions", ""},
	{"evictedPods", "pods evicted at least once", "pods"},
	{"evictedAgain", "pods evicted more than once", "pods"},
	{"lostPodHours", "work lost", "pod hours"},
	{"lostCPUHours", "work lost", "CPU hours"},
	{"cascades", "cascades", ""},
	{"cycles", "cycles of pods that evict one another", ""},
	{"repeats", "pods evicted again and again", "pods"},
	{"useCPU", "use of cpu, mean", "%"},
	{"useMemory", "use of memory, mean", "%"},
	{"useGPU", "use of GPUs, mean", "%"},
	{"hours", "length of the run", "h"},
	{"waitMean", "wait for a node, mean", "s"},
}

// waitMetrics are what is told of the waits of each priority.
var waitMetrics = []Metric{
	{"waitMean", "wait at priority %d, mean", "s"},
	{"waitMedian", "wait at priority %d, median", "s"},
	{"waitP95", "wait at priority %d, 95th percentile", "s"},
	{"waitMax", "wait at priority %d, longest", "s"},
}

// waitName is the name of a metric for a priority.
func waitName(name string, priority int32) string { return fmt.Sprintf("%s/%d", name, priority) }

// Of describes the metric of a name.
func Of(name string) Metric {
	kind, number, split := strings.Cut(name, "/")
	if priority, err := strconv.ParseInt(number, 10, 32); split && err == nil {
		for _, m := range waitMetrics {
			if m.Name == kind {
				return Metric{name, fmt.Sprintf(m.Title, priority), m.Unit}
			}
		}
	}
	for _, m := range metrics {
		if m.Name == name {
			return m
		}
	}
	return Metric{name, name, ""}
}

// Sort orders names of metrics as tables have them: waits by priority last, the highest
// first.
func Sort(names []string) {
	slices.SortFunc(names, func(a, b string) int {
		x, y := placeOf(a), placeOf(b)
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(y[1], x[1]), cmp.Compare(x[2], y[2]), cmp.Compare(a, b))
	})
}

// placeOf is the place of a metric: in the list, of its priority, and in the list of waits.
func placeOf(name string) [3]int64 {
	kind, number, split := strings.Cut(name, "/")
	if !split {
		i := slices.IndexFunc(metrics, func(m Metric) bool { return m.Name == name })
		if i < 0 {
			i = len(metrics)
		}
		return [3]int64{int64(i)}
	}
	priority, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		return [3]int64{int64(len(metrics))}
	}
	i := slices.IndexFunc(waitMetrics, func(m Metric) bool { return m.Name == kind })
	return [3]int64{int64(len(metrics)) + 1, priority, int64(i)}
}
