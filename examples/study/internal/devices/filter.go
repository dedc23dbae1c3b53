package devices

import (
	"cmp"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// ofTable turns nodes down whose devices have no room. It is comparable, so that a snapshot
// knows the one that is attached.
type ofTable struct{ table *Table }

// Filter is the filter of a run: a pod may run where its devices have room for it, beside the
// pods there, each on the devices that the table has for it, and beside those that are
// nominated there, the largest demands first. It only reads the table.
func Filter(t *Table) engine.StatefulFilter { return ofTable{t} }

// Name stands in statuses.
func (ofTable) Name() string { return "GPUDevices" }

// Concerns: the others hold no devices.
func (ofTable) Concerns(p *outrank.Pod) bool { return DemandOf(p).Count > 0 }

// NewState is that of no pods.
func (f ofTable) NewState() preemption.ClusterState { return &state{f.table, map[string]use{}} }

// Start has nothing to say about pods that want no GPU.
func (f ofTable) Start(pod *outrank.Pod, snap *engine.Snapshot) (preemption.FilterState, error) {
	d := DemandOf(pod)
	if d.Count == 0 {
		return nil, nil
	}
	return &attempt{want: d, cluster: snap.StateOf(f).(*state), changed: map[string]use{}}, nil
}

// use is a node's use: by device, and of the pods that have no device yet, because they are
// nominated or came before the run began. Its slices are never written to.
type use struct {
	of      []int64
	waiting []Demand
}

// with is the use with a pod more, or less.
func (u use) with(t *Table, p *outrank.Pod, node *outrank.Node, sign int64) use {
	h := t.held[p.Key()]
	if h == nil || h.node != node.Name || p.NodeName == "" {
		return use{u.of, u.waitingWith(DemandOf(p), sign)}
	}
	of := make([]int64, len(t.nodes[node.Name]))
	copy(of, u.of)
	for _, i := range h.at {
		of[i] += sign * h.demand.Milli
	}
	return use{of, u.waiting}
}

func (u use) waitingWith(d Demand, sign int64) []Demand {
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

// state is the use of all nodes that have any.
type state struct {
	table *Table
	by    map[string]use
}

func (s *state) Add(p *outrank.Pod, n *outrank.Node) {
	s.by[n.Name] = s.by[n.Name].with(s.table, p, n, 1)
}
func (s *state) Remove(p *outrank.Pod, n *outrank.Node) {
	s.by[n.Name] = s.by[n.Name].with(s.table, p, n, -1)
}
func (s *state) Clone() preemption.ClusterState { return &state{s.table, maps.Clone(s.by)} }

// attempt looks for a place. The snapshot's own state is only read; changed has the nodes
// where something was removed or added.
type attempt struct {
	want    Demand
	cluster *state
	changed map[string]use
}

func (a *attempt) at(n *outrank.Node) use {
	if u, ok := a.changed[n.Name]; ok {
		return u
	}
	return a.cluster.by[n.Name]
}

var fewDevices, noRoom = []string{"node(s) had fewer GPUs than the pod asks for"}, []string{"node(s) had no GPUs with enough room each"}

// Check tries the demands that wait, and then the pod's own.
func (a *attempt) Check(n *outrank.Node) preemption.Status {
	var buffer [16]int64
	free := append(room(buffer[:0]), a.cluster.table.nodes[n.Name]...)
	if len(free) < a.want.Count {
		return preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Reasons: fewDevices}
	}
	u := a.at(n)
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
	if free.choose(a.want, chosen[:0]) == nil {
		return preemption.Status{Code: preemption.Unschedulable, Reasons: noRoom}
	}
	return preemption.Status{}
}

func (a *attempt) Add(p *outrank.Pod, n *outrank.Node) {
	a.changed[n.Name] = a.at(n).with(a.cluster.table, p, n, 1)
}
func (a *attempt) Remove(p *outrank.Pod, n *outrank.Node) {
	a.changed[n.Name] = a.at(n).with(a.cluster.table, p, n, -1)
}
func (a *attempt) Clone() preemption.FilterState {
	return &attempt{a.want, a.cluster, maps.Clone(a.changed)}
}
