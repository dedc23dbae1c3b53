package sim

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// view is the state of the cluster in which a node is chosen.
type view struct {
	snap *engine.Snapshot
	dice *rand.Rand // chooses among ties; nil chooses the first node
	// used returns the usage of a node by column. Only cpu and memory are always set.
	used func(*host) []int64
}

// pick chooses the feasible node with the highest score. Of several it takes the first in the order of the
// cluster or, with a seed, any. There must be at least one node; if the nominated node is feasible, it is the
// only one.
func (s *scheduling) pick(ctx context.Context, p *pod, nodes []*outrank.Node) (*host, error) {
	return s.pickBy(ctx, p, nodes, view{s.cluster.snap, s.dice, func(h *host) []int64 { return h.used }})
}

// pickBy is pick for a view of the cluster.
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
			// The n-th of the tied nodes replaces the chosen one with a probability of 1/n. So in the end
			// each has the same probability.
			if ties++; v.dice.IntN(ties) == 0 {
				best = h
			}
		}
	}
	return best, nil
}

// scores returns a function that gives the score of the i-th node. It asks a Scorer about all nodes at once;
// a Score is asked about each node when the function is called.
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

// consider sets the choice to the pod on a node.
func (c *Choice) consider(h *host, p *pod, used []int64) {
	c.Node = h.node
	c.CPU = Level{used[cpuColumn] + p.asks[cpuColumn], h.has[cpuColumn]}
	c.Memory = Level{used[memoryColumn] + p.asks[memoryColumn], h.has[memoryColumn]}
}

// pickIn is pick for the pods that a snapshot has on the nodes. Of several nodes it takes the first, so that
// an attempt with a gang has the same result as long as nothing changes.
func (s *scheduling) pickIn(ctx context.Context, snap *engine.Snapshot, p *pod, nodes []*outrank.Node) (*host, error) {
	used := make([]int64, len(p.asks))
	return s.pickBy(ctx, p, nodes, view{snap, nil, func(h *host) []int64 {
		used[cpuColumn] = snap.Used(h.name(), resource.CPU)
		used[memoryColumn] = snap.Used(h.name(), resource.Memory)
		return used
	}})
}

// newDice returns the dice that decide among ties, or nil for seed 0.
func newDice(seed uint64) *rand.Rand {
	if seed == 0 {
		return nil
	}
	return rand.New(rand.NewPCG(seed, 0))
}
