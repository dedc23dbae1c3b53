package joint

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/packing"
)

// patience is how many rounds of the search by amounts may bring nothing before it ends.
func patience(members int) int { return 20 * (members + 5) }

// byAmounts makes a plan of its own (rule 25.4.2). The search by amounts says which node each
// member goes to and who leaves, and the filters say what becomes of that. It returns the better of
// this plan and the best one known.
func (r *run) byAmounts(x *relaxed, best *solution) *solution {
	if x.Prices == nil { // the amounts were too large to reckon with
		return best
	}

	// A placement that weighs no more than any must is not improved.
	goal, _ := x.atLeast(x.Bound)
	enough := func(p *packing.Placement) bool {
		return p.Violations == 0 && p.Weight <= goal
	}

	meter := r.meter()
	meter.Limit -= meter.Limit / 4 // the rest is for the filters, and for doing without nodes
	rounds := patience(len(r.members))
	// Weights do not know yet what replacements find, so that the lightest placement need not be the best.
	if r.totals.lossCosts != nil {
		rounds /= 4
	}
	p := packing.Place(&x.Problem, x.Relaxed, packing.Aim{Rounds: rounds, Enough: enough}, meter)
	r.steps += meter.Steps
	r.fail(r.ctx.Err())
	if p == nil || r.err != nil {
		return best
	}

	s := r.carried(x.model, p, best.total)
	if s == nil || !r.beats(s, best.total) {
		return best
	}
	return s
}

// carried returns the plan that the filters make of a placement, nil where some member finds no place. Its
// total stays better than beat.
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

// elsewhere returns a function that finds another place for a member that filters keep away from the node
// where it has room: on another node of the plan, or on a promising one.
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
