// Package bounded answers: by which of a caller's ranks can the best victims be searched for?
package bounded

import "github.com/outrank-go/outrank/preemption"

// Ranks returns the ranks that a search can bound before all victims are known: the ranks of kube-scheduler
// and the first rank with a Cost. It leaves out every rank with a Figure and every further Cost. If that
// leaves none it returns nil, which means the default ranks.
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
