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

// mostRaises is the largest number of rounds in which budgets are raised for a drain.
const mostRaises = 8

// findAllowances looks for what budgets have to allow so that a stuck drain goes through. Round by round, the
// budgets that hold pods back allow more, and the drain is played again, until it ends. Nothing is found where
// several budgets cover a pod, which no allowance lets go.
func (d *Drain) findAllowances(change *drainage) error {
	stuck := d
	var raised []Allowance
	for round := range mostRaises {
		// The raises are 1, 1, 2, 4 and so on: small answers are exact, and few rounds reach large ones.
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
		played, err := retry.play(new(Aftermath))
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

// raise lets each budget that holds a pod allow more by an amount. A budget that was not raised before starts
// from what it allows in the scenario. It reports false if several budgets cover a held pod.
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

// allowance returns the number of disruptions that a budget allows; 0 for an unknown budget.
func (s *Scenario) allowance(key outrank.Key) int32 {
	for _, b := range s.allowed {
		if b.Key() == key {
			return max(0, b.DisruptionsAllowed)
		}
	}
	return 0
}

// allowMore sets what a budget allows, even if a change has decided about the budget.
func (s *Scenario) allowMore(a Allowance) error {
	delete(s.owner, "budget "+string(a.Budget))
	return s.Apply(&PutBudget{Of: "a budget", Key: a.Budget, Allowed: a.Allowed})
}

// freedText says which flags let the drain go through; empty where nothing was found.
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
