package gen

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"pgregory.net/rapid"
)

// budgets draws budgets that overlap, allow little, and name some of the pods
// as disrupted already.
func budgets(t *rapid.T, s Shape, pods []*outrank.Pod) []*outrank.PodDisruptionBudget {
	i := 0
	return drawList(t, "budgets", s.Budgets, func(t *rapid.T) *outrank.PodDisruptionBudget {
		i++
		return &outrank.PodDisruptionBudget{
			Name:               fmt.Sprintf("budget-%d", i),
			Namespace:          namespace(t),
			Selector:           budgetSelector(t),
			DisruptionsAllowed: pick[int32](t, "allowed", 0, 1, 0, 2),
			DisruptedPods:      disrupted(t, pods),
		}
	})
}

func budgetSelector(t *rapid.T) *outrank.LabelSelector {
	if oneIn(t, "broken selector", 8) {
		return pick(t, "broken", brokenSelectors()...)
	}
	return selector(t)
}

func disrupted(t *rapid.T, pods []*outrank.Pod) map[string]time.Time {
	if len(pods) == 0 || !oneIn(t, "has disrupted pods", 3) {
		return nil
	}
	names := map[string]time.Time{}
	for _, p := range rapid.SliceOfN(rapid.SampledFrom(pods), 1, 3).Draw(t, "disrupted") {
		names[p.Name] = Now.Add(-time.Minute)
	}
	return names
}
