// Package bounded says by which ranks the best victims can be searched for.
package bounded

import "github.com/outrank-go/outrank/preemption"

// Ranks returns the ranks that compare sums over the victims, of which a search has bounds: those of
// kube-scheduler and the first of the caller's with a Cost. Where there are ranks and none of them is
// such, it returns nil, which means the default ones.
func Ranks(ranks []preemption.Rank) (bounded []preemption.Rank) {
	if len(ranks) == 0 {
		return ranks
	}
	costs := 0
	for _, r := range ranks {
		if r.Cost != nil {
			costs++
		}
		if r.Figure == nil && (r.Cost == nil || costs == 1) {
			bounded = append(bounded, r)
		}
	}
	return bounded
}
