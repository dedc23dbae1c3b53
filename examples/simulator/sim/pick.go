package sim

import (
	"math/rand/v2"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// pick chooses among nodes that take the pod, of which there is at least one:
// the one it is nominated to before all others (evaluateNominatedNode), else the
// highest score. Ties go to the first in the cluster's order or, with a seed,
// to any.
func (s *scheduling) pick(p *pod, nodes []*outrank.Node) *host {
	return s.pickBy(p, nodes, s.dice, func(h *host) []int64 { return h.used })
}

// pickBy is pick with the dice for ties, nil for the first, and the usage of nodes.
func (s *scheduling) pickBy(p *pod, nodes []*outrank.Node, dice *rand.Rand, used func(*host) []int64) *host {
	if nominated := s.cluster.nominator.NodeOf(p.obj.Key()); nominated != "" {
		for _, n := range nodes {
			if n.Name == nominated {
				return s.cluster.hosts[nominated]
			}
		}
	}
	var best *host
	var most int64
	ties, c := 0, &Choice{Pod: p.obj}
	for _, n := range nodes {
		h := s.cluster.byNode[n]
		c.consider(h, p, used(h))
		score := p.scheduler.score(c)
		switch {
		case best == nil || score > most:
			best, most, ties = h, score, 1
		case score == most && dice != nil:
			// The n-th of those equal takes the place with a chance of 1 in n.
			if ties++; dice.IntN(ties) == 0 {
				best = h
			}
		}
	}
	return best
}

// consider describes the pod on a node.
func (c *Choice) consider(h *host, p *pod, used []int64) {
	c.Node = h.node
	c.CPU = Level{used[cpuColumn] + p.asks[cpuColumn], h.has[cpuColumn]}
	c.Memory = Level{used[memoryColumn] + p.asks[memoryColumn], h.has[memoryColumn]}
}

// pickIn is pick where the pods on nodes are those of a snapshot. Ties go to the first
// node, so that an attempt with a gang has the same result as long as nothing changes.
func (s *scheduling) pickIn(snap *preemption.Snapshot, p *pod, nodes []*outrank.Node) *host {
	used := make([]int64, len(s.cluster.meter.columns))
	return s.pickBy(p, nodes, nil, func(h *host) []int64 {
		used[cpuColumn], used[memoryColumn] = snap.Used(h.node.Name, resource.CPU), snap.Used(h.node.Name, resource.Memory)
		return used
	})
}

// newDice returns the dice for ties, nil for the first.
func newDice(seed uint64) *rand.Rand {
	if seed == 0 {
		return nil
	}
	return rand.New(rand.NewPCG(seed, 0))
}
