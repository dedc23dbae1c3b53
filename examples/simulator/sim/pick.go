package sim

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// view is the cluster as a choice among nodes looks at it.
type view struct {
	snap *engine.Snapshot
	dice *rand.Rand // nil where ties go to the first node
	// used returns the usage of a node by column. Only cpu and memory are always filled in.
	used func(*host) []int64
}

// pick chooses the node with the highest score among the nodes that take the pod. Ties go to the first in the
// cluster's order or, with a seed, to any. There is at least one node; where the nominated node takes the pod
// it is the only one.
func (s *scheduling) pick(ctx context.Context, p *pod, nodes []*outrank.Node) (*host, error) {
	return s.pickBy(ctx, p, nodes, view{s.cluster.snap, s.dice, func(h *host) []int64 { return h.used }})
}

// pickBy is pick by a view of the cluster.
func (s *scheduling) pickBy(ctx context.Context, p *pod, nodes []*outrank.Node, v view) (*host, error) {
	scoreOf, err := s.scores(ctx, p, nodes, v)
	if err != nil {
		return nil, err
	}

	var best *host
	var most int64
	ties := 0
	for i, n := range nodes {
		h := s.cluster.byNode[n]
		score := scoreOf(i, h)
		switch {
		case best == nil || score > most:
			best, most, ties = h, score, 1
		case score == most && v.dice != nil:
			// The n-th of n equal nodes takes the place with a chance of 1 in n, so in the end each has the
			// same chance.
			if ties++; v.dice.IntN(ties) == 0 {
				best = h
			}
		}
	}
	return best, nil
}

// scores returns a function that gives the score of the i-th node. A Score is asked about each node when that
// is called, a Scorer about all of them here.
func (s *scheduling) scores(ctx context.Context, p *pod, nodes []*outrank.Node, v view) (func(i int, h *host) int64, error) {
	if p.scheduler.scorer == nil {
		c := &Choice{Pod: p.obj, Snapshot: v.snap}
		return func(_ int, h *host) int64 {
			c.consider(h, p, v.used(h))
			return p.scheduler.score(c)
		}, nil
	}

	ranking, err := p.scheduler.rank(ctx, v.snap, p.obj, nodes)
	switch {
	case err != nil:
		return nil, fmt.Errorf("pod %s: scorer: %w", p.obj.Key(), err)
	case ranking == nil || len(ranking.Totals) != len(nodes):
		return nil, fmt.Errorf("pod %s: scorer: %w: it has to give each of %d nodes a total", p.obj.Key(), outrank.ErrInvalid, len(nodes))
	}
	return func(i int, _ *host) int64 { return ranking.Totals[i] }, nil
}

// consider describes the pod on a node.
func (c *Choice) consider(h *host, p *pod, used []int64) {
	c.Node = h.node
	c.CPU = Level{used[cpuColumn] + p.asks[cpuColumn], h.has[cpuColumn]}
	c.Memory = Level{used[memoryColumn] + p.asks[memoryColumn], h.has[memoryColumn]}
}

// pickIn chooses as pick does, with the pods that a snapshot has on the nodes. Ties go to the first
// node, so that an attempt with a gang has the same result as long as nothing changes.
func (s *scheduling) pickIn(ctx context.Context, snap *engine.Snapshot, p *pod, nodes []*outrank.Node) (*host, error) {
	used := make([]int64, len(p.asks))
	return s.pickBy(ctx, p, nodes, view{snap, nil, func(h *host) []int64 {
		used[cpuColumn] = snap.Used(h.name(), resource.CPU)
		used[memoryColumn] = snap.Used(h.name(), resource.Memory)
		return used
	}})
}

// newDice returns the dice for ties, nil where ties go to the first node.
func newDice(seed uint64) *rand.Rand {
	if seed == 0 {
		return nil
	}
	return rand.New(rand.NewPCG(seed, 0))
}
