// Package devices answers on which of a node's GPUs a pod can be, and how much of the free
// GPUs is of no use. Kubernetes knows GPUs that are shared as one amount a node: eight halves
// make room for a whole one. Here each is a device of its own.
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

// Demand is a pod's demand of GPUs: Milli of each of Count devices.
type Demand struct {
	Count int
	Milli int64
}

// DemandOf reads the amount of [workload.GPU] of a pod's containers. Up to one GPU it is a share of one device.
// More are as few devices as can have it, each with an equal share: 8000 are eight whole
// ones, and 1500 are two with 750 each.
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

// room is what is free of each of a node's devices. It is below 0 where a pod was put
// without room.
type room []int64

// choose picks the devices for a demand, the fullest that have room for it, of equals the
// first; nil where there are not enough. The result is appended to the one given, empty.
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

// take takes a demand from devices, or gives it back.
func (r room) take(d Demand, at []int, sign int64) {
	for _, i := range at {
		r[i] -= sign * d.Milli
	}
}

// free is the sum of the devices, those without room counting as full.
func (r room) free() int64 {
	sum := int64(0)
	for _, v := range r {
		sum += max(v, 0)
	}
	return sum
}

// holding is what a pod has.
type holding struct {
	node   string
	demand Demand
	at     []int
	left   bool
}

// Table has the devices of a run's nodes and who holds them. It is for one run.
type Table struct {
	nodes map[string]room
	held  map[outrank.Key]*holding
}

// New is a table of the nodes' devices, all free.
func New(nodes []*outrank.Node) *Table {
	t := &Table{nodes: map[string]room{}, held: map[outrank.Key]*holding{}}
	for _, n := range nodes {
		t.nodes[n.Name] = roomOf(n)
	}
	return t
}

// roomOf has all devices of a node, free.
func roomOf(n *outrank.Node) room {
	r := make(room, n.Allocatable.Amount(workload.GPU)/Whole)
	for i := range r {
		r[i] = Whole
	}
	return r
}

// Bind gives a pod its devices on a node, the fullest that have room for it. Where there is
// no room, which happens to those who count GPUs as one amount, it gets the emptiest, and
// Bind returns false.
func (t *Table) Bind(key outrank.Key, d Demand, node string) (fits bool) {
	if d.Count == 0 {
		return true
	}
	r := t.nodes[node]
	h := &holding{node: node, demand: d, at: r.choose(d, nil)}
	if fits = h.at != nil; !fits {
		order := make([]int, len(r))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return int(r[b] - r[a]) })
		h.at = order[:min(d.Count, len(order))]
	}
	t.held[key] = h
	r.take(d, h.at, 1)
	return fits
}

// Leave frees the devices of a pod. The table remembers which they were, since a snapshot
// may have the pod for a moment longer.
func (t *Table) Leave(key outrank.Key) {
	if h := t.held[key]; h != nil && !h.left {
		h.left = true
		t.nodes[h.node].take(h.demand, h.at, -1)
	}
}
