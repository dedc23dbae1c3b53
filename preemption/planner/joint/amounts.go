package joint

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/packing"
)

// patience returns the number of rounds without improvement after which the search by amounts ends.
func patience(members int) int { return 20 * (members + 5) }

// byAmounts searches for a plan by amounts (rule 25.4.2). package packing places the members and chooses leavers, and
// then the filters are asked whether that placement holds. byAmounts returns the better of the resulting plan and
// the best one known.
func (r *run) byAmounts(x *relaxed, best *solution) *solution {
	if x.Prices == nil { // the amounts were too large for the relaxation
		return best
	}

	// No placement weighs less than the bound, so one that reaches it need not be improved.
	goal, _ := x.atLeast(x.Bound)
	enough := func(p *packing.Placement) bool {
		return p.Violations == 0 && p.Weight <= goal
	}

	meter := r.meter()
	meter.Limit -= meter.Limit / 4 // a quarter is left for the filters and for improve
	rounds := patience(len(r.members))
	// With moves the weights are only the least possible costs. The lightest placement need not be the best then, so
	// less time is spent on finding it.
	if r.totals.lossCosts != nil {
		rounds /= 4
	}
	p := packing.Place(&x.Problem, x.Relaxed, packing.Aim{Rounds: rounds, Enough: enough}, meter)
	r.steps += meter.Steps
	r.fail(r.ctx.Err())
	if p == nil || r.err != nil {
		return best
	}

	// The filters have the last word.
	s := r.carried(x.model, p, best.total)
	if s == nil || !r.beats(s, best.total) {
		return best
	}
	return s
}

// carried returns the plan that follows from a placement by amounts, checked by the filters. It returns nil if some
// member finds no place, or none that keeps the total better than beat.
func (r *run) carried(m *model, p *packing.Placement, beat total) *solution {
	assigned := make([]int, len(r.members))
	prefer := map[*outrank.Pod]bool{}
	next := make([]int, len(m.membersOf)) // by kind, the next member without a node
	for node := range p.Fillings {
		for k, n := range p.Fillings[node].Counts {
			for range n {
				assigned[m.membersOf[k][next[k]]] = node
				next[k]++
			}
		}
		for v, leaves := range p.Fillings[node].Leaves {
			if leaves {
				prefer[m.pods[node][v]] = true
			}
		}
	}
	return r.rebuild(assigned, prefer, r.elsewhere(assigned, beat))
}

// elsewhere returns a function that finds another place for a member if the filters reject the node assigned to it:
// on another node of the plan, or on a promising one.
func (r *run) elsewhere(assigned []int, beat total) func(i int, victims []*outrank.Pod) (spot, bool) {
	var places []int // found once a member needs them
	return func(i int, victims []*outrank.Pod) (spot, bool) {
		if places == nil {
			places = append(r.promising(r.plain), assigned...)
			slices.Sort(places)
			places = slices.Compact(places)
		}
		return r.cheapest(i, places, standing{victims, beat, beat.Top})
	}
}
