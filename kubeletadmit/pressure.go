package kubeletadmit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Pressure says what a node runs short of.
type Pressure string

// The resources that a node may run short of.
const (
	MemoryPressure Pressure = "memory"
	DiskPressure   Pressure = "disk"
	InodePressure  Pressure = "inodes"
	PIDPressure    Pressure = "pids"
)

// Usage is the measured usage of a pod. Disk and inodes should be sums over the file
// systems that are under pressure; the caller decides which these are.
type Usage struct {
	// Memory is the working set and Disk the space taken, both in bytes.
	Memory, Disk int64
	// Inodes and Processes are counts.
	Inodes, Processes int64
}

// RankedPod is a pod in the order of eviction, with the figures that decide.
type RankedPod struct {
	// Pod is the caller's pod.
	Pod *outrank.Pod
	// Measured is false for a pod without statistics.
	Measured bool
	// Priority is the pod's, 0 if it has none.
	Priority int32
	// Usage is what the pod uses of the resource that runs short: bytes of memory
	// and disk, numbers of inodes and processes. 0 if Measured is false.
	Usage int64
	// Request is what the pod requested of memory or disk, possibly with a fraction of
	// a byte. It is 0 if Measured is false, and under other pressures, because no pod
	// can request inodes or processes.
	Request resource.Quantity
}

// Above returns how much the pod uses beyond its request, exactly; it is negative
// if the pod uses less.
func (r RankedPod) Above() resource.Quantity { return resource.NewBinary(r.Usage).Sub(r.Request) }

// RankForEviction sorts pods in the order in which they are evicted when the
// node runs short of a resource (chapter 18; rankMemoryPressure,
// rankDiskPressureFunc, rankPIDPressure). For memory, disk and inodes these
// come first:
//
//  1. pods without statistics;
//  2. pods that use more than they requested;
//  3. lower priority;
//  4. larger usage above the request.
//
// For PIDs: lower priority, then pods without statistics, then more processes.
// Ties are broken by namespace, name and UID, and finally by the index in pods.
//
// Critical pods are ranked like all others. The kubelet does not evict them; a
// caller leaves out those that are [Critical].
//
// usage returns the statistics of a pod, or false if there are none. A nil
// usage means that no pod has statistics. It is called once per pod in the
// order of pods. The slice pods is not changed: the result is new. The error is
// an *[outrank.InputError] with every problem found: a nil pod, a negative
// usage or request, an unknown pressure. Time is n log n.
func RankForEviction(pods []*outrank.Pod, pressure Pressure, usage func(*outrank.Pod) (Usage, bool)) ([]RankedPod, error) {
	problems := nilPods("pods", pods)
	compare := compareAbove
	switch pressure {
	case PIDPressure:
		compare = compareProcesses
	case MemoryPressure, DiskPressure, InodePressure:
	default:
		problems = append(problems, outrank.Problem{Object: "pressure", Text: fmt.Sprintf("%.40q is none of memory, disk, inodes, pids", pressure)})
	}
	if len(problems) > 0 {
		return nil, inputError(problems)
	}

	ranked := make([]RankedPod, len(pods))
	for i, p := range pods {
		ranked[i] = measure(p, pressure, usage)
		problems = append(problems, ranked[i].problems()...)
	}
	if len(problems) > 0 {
		return nil, inputError(problems)
	}

	// The sort is stable, so that pods that tie in everything stay in the order of pods.
	slices.SortStableFunc(ranked, func(a, b RankedPod) int {
		return cmp.Or(compare(a, b), compareNames(a.Pod, b.Pod))
	})
	return ranked, nil
}

// measure returns the figures of the pod that matter under this pressure. Without statistics
// only its priority is set.
func measure(pod *outrank.Pod, pressure Pressure, usage func(*outrank.Pod) (Usage, bool)) RankedPod {
	r := RankedPod{Pod: pod, Priority: pod.PriorityValue()}
	if usage == nil {
		return r
	}
	u, ok := usage(pod)
	if !ok {
		return r
	}

	r.Measured = true
	switch pressure {
	case MemoryPressure:
		r.Usage, r.Request = u.Memory, pod.KubeletRequestOf(resource.Memory)
	case DiskPressure:
		r.Usage, r.Request = u.Disk, pod.KubeletRequestOf(resource.EphemeralStorage)
	case InodePressure:
		r.Usage = u.Inodes
	case PIDPressure:
		r.Usage = u.Processes
	}
	return r
}

// problems returns what is wrong with the figures.
func (r RankedPod) problems() []outrank.Problem {
	var ps []outrank.Problem
	if r.Usage < 0 {
		ps = append(ps, outrank.Problem{Object: "pod " + string(r.Pod.Key()), Field: "usage", Text: fmt.Sprintf("%d is negative", r.Usage)})
	}
	if r.Request.Sign() < 0 {
		ps = append(ps, problemsIn(r.Pod.Validate())...)
	}
	return ps
}

// compareAbove compares pods under pressure on memory, disk and inodes (rules 18.1 to 18.4).
func compareAbove(a, b RankedPod) int {
	x, y := a.Above(), b.Above()
	return cmp.Or(
		trueFirst(!a.Measured, !b.Measured),
		trueFirst(x.Sign() > 0, y.Sign() > 0),
		cmp.Compare(a.Priority, b.Priority),
		y.Cmp(x),
	)
}

// compareProcesses compares pods under pressure on PIDs (rule 18.6).
func compareProcesses(a, b RankedPod) int {
	return cmp.Or(
		cmp.Compare(a.Priority, b.Priority),
		trueFirst(!a.Measured, !b.Measured),
		cmp.Compare(b.Usage, a.Usage),
	)
}

// compareNames orders pods by what identifies them (rule 18.7).
func compareNames(a, b *outrank.Pod) int {
	return cmp.Or(
		cmp.Compare(a.NamespaceName(), b.NamespaceName()),
		cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.UID, b.UID),
	)
}

// trueFirst puts true before false.
func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
