package devices

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Filter makes the filter of a run: a pod may run on a node whose devices have room for it beside the other
// pods. Pods on the node have the devices recorded in the table. Pods nominated to the node choose theirs
// before the pod, the largest demands first. The filter only reads the table.
func Filter(t *Table) *preemption.Filter {
	uses := &preemption.Tally[use]{
		Concerns: func(p *outrank.Pod) bool { return DemandOf(p).Count > 0 }, // other pods hold no devices
		Change:   t.change,
	}
	return uses.Filter("GPUDevices", t.check)
}

// use says how much of a node's GPUs is in use. Its slices are never modified.
type use struct {
	// held has the used amount of each device. Devices after its end are free.
	held []int64
	// waiting has the demands of the pods that have no device yet, because they are nominated or came before
	// the run began.
	waiting []Demand
}

// change returns a node's use with one more pod or, with sign -1, with one pod less.
func (t *Table) change(u use, p *outrank.Pod, sign int) use {
	// A nominated pod has no NodeName, so that it waits even if it was on a node before.
	h := t.held[p.Key()]
	if h == nil || h.node != p.NodeName {
		return use{u.held, u.waitingAfter(DemandOf(p), sign)}
	}

	held := make([]int64, len(t.nodes[h.node]))
	copy(held, u.held)
	for _, i := range h.devices {
		held[i] += int64(sign) * h.demand.Milli
	}
	return use{held, u.waiting}
}

// waitingAfter returns the waiting demands after one was added or, with sign -1, removed.
func (u use) waitingAfter(d Demand, sign int) []Demand {
	i, found := slices.BinarySearchFunc(u.waiting, d, largestFirst)
	switch {
	case sign > 0:
		return slices.Insert(slices.Clone(u.waiting), i, d)
	case found:
		return slices.Delete(slices.Clone(u.waiting), i, i+1)
	}
	return u.waiting
}

// largestFirst orders demands by their total, and equal ones by the share of a device.
func largestFirst(a, b Demand) int {
	return cmp.Or(cmp.Compare(int64(b.Count)*b.Milli, int64(a.Count)*a.Milli), cmp.Compare(b.Milli, a.Milli))
}

var fewDevices, noRoom = []string{"node(s) had fewer GPUs than the pod asks for"}, []string{"node(s) had no GPUs with enough room each"}

// check places the waiting demands, and then the pod's own.
func (t *Table) check(u use, pod *outrank.Pod, n *outrank.Node) preemption.Status {
	// The array on the stack avoids an allocation for nodes of the usual size.
	want := DemandOf(pod)
	var buffer [16]int64
	free := append(room(buffer[:0]), t.nodes[n.Name]...)

	if len(free) < want.Count {
		return preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Reasons: fewDevices}
	}

	for i := range free {
		free[i] = Whole
		if i < len(u.held) {
			free[i] -= u.held[i]
		}
	}

	var chosen [16]int
	for _, d := range u.waiting {
		devices := free.choose(d, chosen[:0])
		if devices == nil {
			return preemption.Status{Code: preemption.Unschedulable, Reasons: noRoom}
		}
		free.take(d, devices, 1)
	}
	if free.choose(want, chosen[:0]) == nil {
		return preemption.Status{Code: preemption.Unschedulable, Reasons: noRoom}
	}
	return preemption.Status{}
}
