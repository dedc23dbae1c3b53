package clusters

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// budget draws the budget with index i. Budgets overlap and allow little. They list some pods that run on
// nodes as disrupted already; other pods do not matter to a budget.
func (g *generator) budget(i int, running []*outrank.Pod) *outrank.PodDisruptionBudget {
	s := g.numbers.Of("budget", i)
	return &outrank.PodDisruptionBudget{
		Name:               fmt.Sprintf("budget-%d", i),
		Namespace:          draw.Namespace(s),
		Selector:           budgetSelector(s),
		DisruptionsAllowed: draw.Pick[int32](s, "allowed", 0, 1, 0, 2),
		DisruptedPods:      disrupted(s, running),
	}
}

func budgetSelector(s draw.Source) *outrank.LabelSelector {
	if draw.OneIn(s, "broken selector", 8) {
		return draw.BrokenSelector(s)
	}
	return draw.Selector(s)
}

func disrupted(s draw.Source, running []*outrank.Pod) map[string]time.Time {
	if !draw.OneIn(s, "has disrupted pods", 3) || len(running) == 0 {
		return nil
	}
	names := map[string]time.Time{}
	for _, p := range draw.Of(s, "disrupted", draw.Between(1, 3), running...) {
		names[p.Name] = draw.Now().Add(-time.Minute)
	}
	return names
}
