package question

import (
	"slices"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
)

// Allowance is what a disruption budget would allow.
type Allowance struct {
	Budget  outrank.Key `json:"budget"`
	Allowed int32       `json:"allowed"`
}

// mostRaises is the most rounds in which budgets are raised for a drain.
const mostRaises = 8

// free looks for what budgets have to allow so that a drain that is stuck goes through: those
// that hold pods back allow more, a little at first, until a drain played with that ends.
// Nothing is found where several budgets cover a pod, which no allowance lets go.
func (d *Drain) findAllowances(of *drainage) error {
	stuck := d
	var raised []Allowance
	for round := range mostRaises {
		for _, h := range stuck.Held {
			if len(h.Budgets) != 1 {
				return nil
			}
			if !slices.ContainsFunc(raised, func(a Allowance) bool { return a.Budget == h.Budgets[0] }) {
				raised = append(raised, Allowance{h.Budgets[0], of.before.allowance(h.Budgets[0])})
			}
		}
		for i := range raised {
			if slices.ContainsFunc(stuck.Held, func(h HeldPod) bool { return h.Budgets[0] == raised[i].Budget }) {
				raised[i].Allowed += 1 << max(0, round-1)
			}
		}
		other := drainage{of.before.Fork(), of.nodes}
		for _, a := range raised {
			if err := other.before.allowMore(a); err != nil {
				return err
			}
		}
		played, err := other.play(new(Aftermath))
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

// allowance is what a budget allows.
func (s *Scenario) allowance(key outrank.Key) int32 {
	for _, b := range s.allowed {
		if b.Key() == key {
			return max(0, b.DisruptionsAllowed)
		}
	}
	return 0
}

// allowMore sets what a budget allows, whatever changes decided.
func (s *Scenario) allowMore(a Allowance) error {
	delete(s.owner, "budget "+string(a.Budget))
	return s.Apply(&PutBudget{Of: "a budget", Key: a.Budget, Allowed: a.Allowed})
}

// freedText says what lets a drain go through; empty where nothing was found.
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
