package sim

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// The columns that every run has; those of other resources follow.
const (
	cpuColumn = iota
	memoryColumn
)

// host is a node with what is in use of it.
type host struct {
	node *outrank.Node
	// has and used are amounts by column.
	has, used []int64
	// slots is how many pods it takes, tiers what is in use by level, the lowest
	// first.
	slots int64
	tiers []tier
	// rooms is what was worked out since these changed.
	rooms []room
	// nominated are the pods that wait for room on it.
	nominated []*pod
	kubelet
}

// columnsOf are cpu, memory, and whatever else the nodes offer but slots for
// pods, by name.
func columnsOf(nodes []*outrank.Node) []resource.Name {
	var others []resource.Name
	for _, n := range nodes {
		for name := range n.Allocatable {
			if name != resource.CPU && name != resource.Memory && name != resource.Pods {
				others = append(others, name)
			}
		}
	}
	slices.Sort(others)
	return append([]resource.Name{resource.CPU, resource.Memory}, slices.Compact(others)...)
}

func (s *Simulation) amounts(l resource.List) []int64 {
	row := make([]int64, len(s.columns))
	for i, name := range s.columns {
		row[i] = l.Amount(name)
	}
	return row
}

// addHost takes note of a node; a node of that name is replaced, and what is in
// use of it stays so.
func (s *Simulation) addHost(n *outrank.Node) {
	h := s.hosts[n.Name]
	if h == nil {
		h = &host{used: make([]int64, len(s.columns))}
		s.hosts[n.Name] = h
	} else {
		delete(s.byNode, h.node)
		addTo(s.capacity, h.has, -1)
	}
	h.rooms = h.rooms[:0]
	h.node, h.has, h.slots = n, s.amounts(n.Allocatable), n.Allocatable.Amount(resource.Pods)
	s.byNode[n] = h
	addTo(s.capacity, h.has, 1)
}

func (s *Simulation) removeHost(h *host) {
	h.removed = true
	delete(s.hosts, h.node.Name)
	delete(s.byNode, h.node)
	addTo(s.capacity, h.has, -1)
}

// take counts a pod on its host, or no more.
func (s *Simulation) take(p *pod, sign int64) {
	addTo(p.host.used, p.asks, sign)
	addTo(s.used, p.asks, sign)
	p.host.count(p, sign)
	s.unsampled = true
}

// addTo adds or subtracts a row; sums saturate.
func addTo(sum, row []int64, sign int64) {
	for i, v := range row {
		if sign < 0 {
			sum[i] = resource.SubSat(sum[i], v)
		} else {
			sum[i] = resource.AddSat(sum[i], v)
		}
	}
}
