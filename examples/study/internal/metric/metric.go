// Package metric answers which figures runs have, what they are called, and in which order tables show them.
package metric

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Metric is a figure that runs have.
type Metric struct {
	// Name is for programs and columns. Title is for people, and followed by Unit.
	Name, Title, Unit string
}

// all lists the metrics that a run may have, except those by priority (see [ByPriority]), in the order of the
// tables.
var all = []Metric{
	{"arrived", "pods that came", "pods"},
	{"finished", "pods that came to their end", "pods"},
	{"waiting", "pods without a node at the end", "pods"},
	{"preemptions", "preemptions", ""},
	{"evictions", "evictions", ""},
	{"evictedPods", "pods evicted at least once", "pods"},
	{"evictedAgain", "pods evicted more than once", "pods"},
	{"lostPodHours", "work lost", "pod hours"},
	{"lostCPUHours", "work lost", "CPU hours"},
	{"violations", "violations of budgets", ""},
	{"regretPlans", "preemptions for which there was a better plan", "%"},
	{"regretViolations", "violations beyond the best plan, per 100 preemptions", ""},
	{"regretVictims", "victims beyond the best plan, per 100 preemptions", "pods"},
	{"regretUnproven", "preemptions whose best plan is not proven to be it", "%"},
	{"kubeletEvictions", "evictions by kubelets", ""},
	{"kubeletRejections", "pods that kubelets turned away", ""},
	{"cascades", "cascades", ""},
	{"cycles", "cycles of pods that evict one another", ""},
	{"repeats", "pods evicted again and again", "pods"},
	{"useCPU", "use of cpu, mean", "%"},
	{"useMemory", "use of memory, mean", "%"},
	{"useGPU", "use of GPUs, mean", "%"},
	{"hours", "length of the run", "h"},
	{"waitMean", "wait for a node, mean", "s"},
	{"completionMean", "time from coming to the end, mean of pods that ended", "s"},
	{"slowdownMean", "slowdown, mean of pods that ended", ""},
	{"fairness", "fairness of slowdowns, Jain's index", ""},
	{"goodputCPU", "goodput of cpu", "%"},
	{"goodputGPU", "goodput of GPUs", "%"},
	{"fragmentation", "fragments of free GPUs, mean", "%"},
	{"gpuMisfits", "GPU pods bound to nodes whose GPUs had no room", "%"},
}

// ByPriority are the metrics that a run has for each priority, the waits first. Do not modify them.
var ByPriority = []Metric{
	{"waitMean", "wait at priority %d, mean", "s"},
	{"waitMedian", "wait at priority %d, median", "s"},
	{"waitP95", "wait at priority %d, 95th percentile", "s"},
	{"waitMax", "wait at priority %d, longest", "s"},
	{"completionMean", "time from coming to the end at priority %d, mean of pods that ended", "s"},
	{"slowdownMean", "slowdown at priority %d, mean of pods that ended", ""},
	{"fairness", "fairness of slowdowns at priority %d, Jain's index", ""},
	{"useCPU", "use of cpu by priority %d, mean", "%"},
	{"useGPU", "use of GPUs by priority %d, mean", "%"},
}

// NameAt returns the name of a metric for a priority.
func NameAt(name string, priority int32) string { return fmt.Sprintf("%s/%d", name, priority) }

// Of returns the metric with a name. A name that is not known becomes its own title.
func Of(name string) Metric {
	if m, ok := find(name); ok {
		return m
	}
	return Metric{name, name, ""}
}

// Names lists all metrics. Metrics by priority are listed with priority 0.
func Names() []string {
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	for _, m := range ByPriority {
		names = append(names, NameAt(m.Name, 0))
	}
	return names
}

// Known reports whether runs may have a metric with the name.
func Known(name string) bool {
	_, ok := find(name)
	return ok
}

// find finds a metric by its name. The name of a metric by priority ends with the priority.
func find(name string) (Metric, bool) {
	kind, number, split := strings.Cut(name, "/")
	if priority, err := strconv.ParseInt(number, 10, 32); split && err == nil {
		i := slices.IndexFunc(ByPriority, func(m Metric) bool { return m.Name == kind })
		if i < 0 {
			return Metric{}, false
		}
		return Metric{name, fmt.Sprintf(ByPriority[i].Title, priority), ByPriority[i].Unit}, true
	}
	i := slices.IndexFunc(all, func(m Metric) bool { return m.Name == name })
	if i < 0 {
		return Metric{}, false
	}
	return all[i], true
}

// Sort sorts names of metrics into the order of tables: metrics by priority last, the highest priority first.
func Sort(names []string) {
	slices.SortFunc(names, func(a, b string) int {
		x, y := placeOf(a), placeOf(b)
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(y[1], x[1]), cmp.Compare(x[2], y[2]), cmp.Compare(a, b))
	})
}

// placeOf returns three numbers that order metrics: the index among all, the priority, and the index among the
// metrics by priority. An unknown name comes after all others without a priority.
func placeOf(name string) [3]int64 {
	kind, number, split := strings.Cut(name, "/")
	if !split {
		i := slices.IndexFunc(all, func(m Metric) bool { return m.Name == name })
		if i < 0 {
			i = len(all)
		}
		return [3]int64{int64(i)}
	}
	priority, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		return [3]int64{int64(len(all))}
	}
	i := slices.IndexFunc(ByPriority, func(m Metric) bool { return m.Name == kind })
	return [3]int64{int64(len(all)) + 1, priority, int64(i)}
}
