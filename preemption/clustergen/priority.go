package clustergen

import (
	"math/rand/v2"

	"github.com/outrank-go/outrank"
)

// residentPriority draws one of the shape's priorities: 10 apart, the least of
// them negative. Nil is a priority that was never given, which counts as 0.
func (g *generator) residentPriority(r *rand.Rand) *int32 {
	step, missing := r.IntN(g.Priorities), oneIn(r, 8)
	if missing {
		return nil
	}
	if g.Priorities > 1 {
		step--
	}
	return outrank.Priority(int32(10 * step))
}

// preemptorPriority is mostly above all pods on nodes, sometimes among them.
func (g *generator) preemptorPriority(r *rand.Rand) *int32 {
	among, missing := int32(10*r.IntN(g.Priorities)-5), oneIn(r, 25)
	above := int32(1000 + 10*g.Priorities)
	value := pick(r, above, above, above, above, among, among, 2000001000)
	if missing {
		return nil
	}
	return outrank.Priority(value)
}

// nominatedPriority draws one of a pod on a node or one of a preemptor.
func (g *generator) nominatedPriority(r *rand.Rand) *int32 {
	if oneIn(r, 3) {
		return g.residentPriority(r)
	}
	return g.preemptorPriority(r)
}
