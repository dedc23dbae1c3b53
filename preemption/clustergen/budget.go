package clustergen

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/outrank-go/outrank"
)

// budget generates budget i. They overlap, allow little, and name some of the
// pods of the first node as disrupted already.
func (g *generator) budget(i int) *outrank.PodDisruptionBudget {
	r := g.stream(ofBudgets, i)
	return &outrank.PodDisruptionBudget{
		Name:               fmt.Sprintf("budget-%d", i),
		Namespace:          namespace(r),
		Selector:           budgetSelector(r),
		DisruptionsAllowed: pick[int32](r, 0, 1, 0, 2),
		DisruptedPods:      g.disrupted(r),
	}
}

func budgetSelector(r *rand.Rand) *outrank.LabelSelector {
	if oneIn(r, 8) {
		return brokenSelector(r)
	}
	return selector(r)
}

func (g *generator) disrupted(r *rand.Rand) map[string]time.Time {
	if !oneIn(r, 3) {
		return nil
	}
	names := map[string]time.Time{}
	for range between(r, 1, 3) {
		names[fmt.Sprintf("p0-%d", r.IntN(g.PodsPerNode))] = Now().Add(-time.Minute)
	}
	return names
}
