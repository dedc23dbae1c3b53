package question

import (
	"slices"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
)

// Allowance is the number of disruptions that a budget would have to allow.
type Allowance struct {
	Budget  outrank.Key `json:"budget"`
	Allowed int32       `json:"allowed"`
}

// mostRaises is the largest number of rounds in which the allowances of budgets are raised for a drain.
const mostRaises = 8

// findAllowances looks for allowances with which a stuck drain goes through. In each round it raises the
// allowance of the budgets that hold pods back and plays the drain again, until the drain ends. It finds
// nothing if several budgets cover a held pod, because no allowance lets such a pod go.
func (d *Drain) findAllowances(change *drainage, show func(done, total int)) error {
	stuck := d
	var raised []Allowance
	for round := range mostRaises {
		// The raises are 1, 1, 2, 4 and so on, so that small answers are exact and large ones need few rounds.
		var possible bool
		if raised, possible = raise(raised, stuck.Held, 1<<max(0, round-1), change.before); !possible {
			return nil
		}

		retry := drainage{change.before.Fork(), change.nodes}
		for _, a := range raised {
			if err := retry.before.allowMore(a); err != nil {
				return err
			}
		}
		played, err := retry.play(new(Aftermath), show)
		if err != nil {
			return err
		}

		if stuck = played.out; !stuck.Stuck {
			d.Freed = raised
			return nil
		}
	}
	return nil
}

// raise raises the allowance of each budget that holds a pod. A budget that was not raised before starts from
// its allowance in the scenario. It reports false if several budgets cover a held pod.
func raise(raised []Allowance, held []HeldPod, by int32, s *Scenario) ([]Allowance, bool) {
	for _, h := range held {
		if len(h.Budgets) != 1 {
			return nil, false
		}
		if !slices.ContainsFunc(raised, func(a Allowance) bool { return a.Budget == h.Budgets[0] }) {
			raised = append(raised, Allowance{h.Budgets[0], s.allowance(h.Budgets[0])})
		}
	}
	for i := range raised {
		if slices.ContainsFunc(held, func(h HeldPod) bool { return h.Budgets[0] == raised[i].Budget }) {
			raised[i].Allowed += by
		}
	}
	return raised, true
}

// allowance returns the number of disruptions that a budget allows. It is 0 for an unknown budget.
func (s *Scenario) allowance(key outrank.Key) int32 {
	for _, b := range s.allowed {
		if b.Key() == key {
			return max(0, b.DisruptionsAllowed)
		}
	}
	return 0
}

// allowMore sets the allowance of a budget, even if a change has set it already.
func (s *Scenario) allowMore(a Allowance) error {
	delete(s.owner, "budget "+string(a.Budget))
	return s.Apply(&PutBudget{Of: "a budget", Key: a.Budget, Allowed: a.Allowed})
}

// freedText says which flags let the drain go through. It is empty if nothing was found.
func (d *Drain) freedText() string {
	if len(d.Freed) == 0 {
		return ""
	}
	texts := make([]string, len(d.Freed))
	for i, a := range d.Freed {
		texts[i] = "--set-budget " + string(a.Budget) + "=" + strconv.Itoa(int(a.Allowed))
	}
	return "With " + strings.Join(texts, " ") + " before it the drain ends."
}
