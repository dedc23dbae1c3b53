package devices

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Filter makes the filter of a run: a pod may run where its devices have room for it, beside the
// pods there, each on the devices that the table has for it, and beside those that are
// nominated there, the largest demands first. It only reads the table.
func Filter(t *Table) *preemption.Filter {
	uses := &preemption.Tally[use]{
		Concerns: func(p *outrank.Pod) bool { return DemandOf(p).Count > 0 }, // the others hold no devices
		Change:   t.change,
	}
	return uses.Filter("GPUDevices", t.check)
}

// use is a node's use: by device, and of the pods that have no device yet, because they are
// nominated or came before the run began. Its slices are never written to.
type use struct {
	of      []int64
	waiting []Demand
}

// change is a node's use with a pod more, or less.
func (t *Table) change(u use, p *outrank.Pod, sign int) use {
	h := t.held[p.Key()]
	if h == nil || h.node != p.NodeName { // which is empty for a nominated pod
		return use{u.of, u.waitingWith(DemandOf(p), sign)}
	}
	of := make([]int64, len(t.nodes[h.node]))
	copy(of, u.of)
	for _, i := range h.at {
		of[i] += int64(sign) * h.demand.Milli
	}
	return use{of, u.waiting}
}

func (u use) waitingWith(d Demand, sign int) []Demand {
	at, found := slices.BinarySearchFunc(u.waiting, d, largestFirst)
	switch {
	case sign > 0:
		return slices.Insert(slices.Clone(u.waiting), at, d)
	case found:
		return slices.Delete(slices.Clone(u.waiting), at, at+1)
	}
	return u.waiting
}

// largestFirst orders demands by their sum, of equals by the share of a device.
func largestFirst(a, b Demand) int {
	return cmp.Or(cmp.Compare(int64(b.Count)*b.Milli, int64(a.Count)*a.Milli), cmp.Compare(b.Milli, a.Milli))
}

var fewDevices, noRoom = []string{"node(s) had fewer GPUs than the pod asks for"}, []string{"node(s) had no GPUs with enough room each"}

// check tries the demands that wait, and then the pod's own.
func (t *Table) check(u use, pod *outrank.Pod, n *outrank.Node) preemption.Status {
	want := DemandOf(pod)
	var buffer [16]int64
	free := append(room(buffer[:0]), t.nodes[n.Name]...)
	if len(free) < want.Count {
		return preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Reasons: fewDevices}
	}
	for i := range free {
		if free[i] = Whole; i < len(u.of) {
			free[i] -= u.of[i]
		}
	}
	var chosen [16]int
	for _, d := range u.waiting {
		at := free.choose(d, chosen[:0])
		if at == nil {
			return preemption.Status{Code: preemption.Unschedulable, Reasons: noRoom}
		}
		free.take(d, at, 1)
	}
	if free.choose(want, chosen[:0]) == nil {
		return preemption.Status{Code: preemption.Unschedulable, Reasons: noRoom}
	}
	return preemption.Status{}
}
