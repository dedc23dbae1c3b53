package sim

import (
	"math/rand/v2"

	"github.com/outrank-go/outrank"
)

// Score says how good a node is for a pod that fits there; the highest wins.
type Score func(c *Choice) int64

// Choice is a node that takes a pod. It lasts for one call of a [Score].
type Choice struct {
	Pod  *outrank.Pod
	Node *outrank.Node
	// CPU is in thousandths of a core, Memory in bytes.
	CPU, Memory Level
}

// Level is how much of something the pods on a node ask for, with the pod to be
// placed among them, of how much there is.
type Level struct {
	Used, Allocatable int64
}

// mostScore is the score of an empty node by [LeastAllocated].
const mostScore = 100

// LeastAllocated spreads pods out: the mean share of cpu and memory that is left
// free, in whole percent of each (NodeResourcesFit's scoring by default).
func LeastAllocated(c *Choice) int64 {
	return (free(c.CPU) + free(c.Memory)) / 2
}

// MostAllocated packs pods together: the opposite.
func MostAllocated(c *Choice) int64 {
	return (mostScore - free(c.CPU) + mostScore - free(c.Memory)) / 2
}

// free is the share left, in percent; nothing is left of nothing.
func free(l Level) int64 {
	if l.Allocatable <= 0 || l.Used >= l.Allocatable {
		return 0
	}
	return int64(float64(l.Allocatable-l.Used) / float64(l.Allocatable) * mostScore)
}

// pick chooses among nodes that take the pod, of which there is at least one:
// the one it is nominated to before all others (evaluateNominatedNode), else the
// highest score. Ties go to the first in the cluster's order or, with a seed,
// to any.
func (s *Simulation) pick(p *pod, nodes []*outrank.Node) *host {
	return s.pickBy(p, nodes, s.dice, func(h *host) []int64 { return h.used })
}

// pickBy is pick with what decides ties, nil for the first, and what is used on nodes.
func (s *Simulation) pickBy(p *pod, nodes []*outrank.Node, dice *rand.Rand, used func(*host) []int64) *host {
	if nominated := s.nominator.NodeOf(p.obj.Key()); nominated != "" {
		for _, n := range nodes {
			if n.Name == nominated {
				return s.hosts[nominated]
			}
		}
	}
	var best *host
	var most int64
	ties, c := 0, &Choice{Pod: p.obj}
	for _, n := range nodes {
		h := s.byNode[n]
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

func newDice(seed uint64) *rand.Rand {
	if seed == 0 {
		return nil
	}
	return rand.New(rand.NewPCG(seed, 0))
}
