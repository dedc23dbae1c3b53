// Package devices answers on which GPUs of a node a pod can be, and how much of the free GPUs is of no use. To
// Kubernetes the shared GPUs of a node are one amount, so that eight free halves have room for a pod that needs
// four whole GPUs. Here each GPU is a device of its own.
//
//	table := devices.New(nodes)        the devices of a run, all free
//	table.Bind(key, pod, node)         a pod comes to a node, and gets its devices
//	table.Leave(key)                   it has left
//	devices.Filter(table)              a filter for decisions
//	devices.NewFragments(table, ...)   fragmentation, as FGD defines it
package devices

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/workload"
	"github.com/outrank-go/outrank/resource"
)

// Whole is the amount of one device, in thousandths.
const Whole = 1000

// Demand is a pod's demand for GPUs: Milli thousandths of each of Count devices.
type Demand struct {
	Count int
	Milli int64
}

// DemandOf reads the amount of [workload.GPU] that a pod's containers request. Up to one GPU it is a share of
// one device. A larger amount takes as few devices as possible, and an equal share of each: 8000 is eight whole
// devices, and 1500 is two with 750 each.
func DemandOf(pod *outrank.Pod) Demand {
	amount := int64(0)
	for i := range pod.Containers {
		amount = resource.AddSat(amount, pod.Containers[i].Requests.Amount(workload.GPU))
	}
	if amount <= 0 {
		return Demand{}
	}

	count := (amount-1)/Whole + 1
	return Demand{int(count), (amount-1)/count + 1}
}

// room has the free amount of each device of a node. It is negative if a pod was bound to a device without
// room.
type room []int64

// choose picks the devices for a demand: the fullest devices that have room for it, among equals the first. It
// returns nil if there are not enough. The result is appended to into, which is empty, and uses its memory.
func (r room) choose(d Demand, into []int) []int {
	for range d.Count {
		best := -1
		for i, free := range r {
			if free >= d.Milli && (best < 0 || free < r[best]) && !slices.Contains(into, i) {
				best = i
			}
		}
		if best < 0 {
			return nil
		}
		into = append(into, best)
	}
	return into
}

// take takes a demand from devices. With sign -1 it gives it back.
func (r room) take(d Demand, from []int, sign int64) {
	for _, i := range from {
		r[i] -= sign * d.Milli
	}
}

// free returns the free amount of all devices. An overcommitted device counts as full.
func (r room) free() int64 {
	sum := int64(0)
	for _, v := range r {
		sum += max(v, 0)
	}
	return sum
}

// holding says which devices a pod has.
type holding struct {
	node    string
	demand  Demand
	devices []int
	left    bool // set once the pod has left
}

// Table has the devices of a run's nodes, and the pods that hold them. It serves only one run.
type Table struct {
	nodes map[string]room
	held  map[outrank.Key]*holding
}

// New returns a table of the nodes' devices, all of them free.
func New(nodes []*outrank.Node) *Table {
	t := &Table{nodes: map[string]room{}, held: map[outrank.Key]*holding{}}
	for _, n := range nodes {
		t.nodes[n.Name] = roomOf(n)
	}
	return t
}

// roomOf returns the devices of a node, all of them free.
func roomOf(n *outrank.Node) room {
	r := make(room, n.Allocatable.Amount(workload.GPU)/Whole)
	for i := range r {
		r[i] = Whole
	}
	return r
}

// Bind gives a pod its devices on a node: the fullest devices that have room for it. A scheduler that counts
// GPUs as one amount may bind it to a node without such devices. Then it gets the emptiest devices, and Bind
// returns false.
func (t *Table) Bind(key outrank.Key, d Demand, node string) (fits bool) {
	if d.Count == 0 {
		return true
	}

	r := t.nodes[node]
	h := &holding{node: node, demand: d, devices: r.choose(d, nil)}
	fits = h.devices != nil
	if !fits {
		order := make([]int, len(r))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return int(r[b] - r[a]) })
		h.devices = order[:min(d.Count, len(order))]
	}

	t.held[key] = h
	r.take(d, h.devices, 1)
	return fits
}

// Leave frees the devices of a pod. The table remembers which devices they were, because a snapshot may contain
// the pod for a moment longer.
func (t *Table) Leave(key outrank.Key) {
	if h := t.held[key]; h != nil && !h.left {
		h.left = true
		t.nodes[h.node].take(h.demand, h.devices, -1)
	}
}
