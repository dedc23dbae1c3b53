package invariants

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Rules are how the caller has it decided, in plain numbers.
type Rules struct {
	// Policy is one of the words below, empty for none of them.
	Policy string
	// ByCPU is set if a pod that asks for more cpu is the more important one, whatever the priorities.
	ByCPU bool
	// MostOfA is a filter of the caller's: no more pods of the app a on a node than this, -1 without the filter.
	MostOfA int
	// Concerns is set if the filter says that it concerns no other pods.
	Concerns bool
	// Spared is an app whose pods a rule of the caller's protects, and Taken one whose pods may be taken whatever their
	// priority. At most one of the two is set.
	Spared, Taken string
	// MostAway is a guard of the caller's: of the app b at most so many more pods may be away than of the app a, -1
	// without the guard.
	MostAway int
	// Refuses is set if a rule of the caller's lets nobody preempt whose nominated node is unschedulable.
	Refuses bool
	// Ranks compare the candidates; empty for the usual ones.
	Ranks []Rank
}

// The policies, by their words in the scenario language.
const (
	v113         = "v1.13"
	simplified   = "simplified"
	disabled     = "disabled"
	exact        = "exact"
	strict       = "strict"
	victimsAlone = "victims-alone"
)

// Rank is a rank: a usual one by its name alone, or one of the caller's.
type Rank struct {
	Name string
	// Each is what the loss of a pod of the app Of costs, if Of is set.
	Each int64
	Of   string
	// Prefers is a node that is better than all others, if it is set.
	Prefers string
}

// The names of the usual ranks.
const (
	rankViolations = "budget-violations"
	rankTop        = "top-priority"
	rankSum        = "priority-sum"
	rankVictims    = "victim-count"
	rankStart      = "start-time"
)

// given reports whether the caller's scheduler has asked the nodes, so that the filters are asked in dry runs alone.
func (w *World) given() bool { return len(w.Nodes) > 0 && w.Nodes[0].Found != "" }

// Config returns the rules as a configuration of the library.
func (r *Rules) Config() preemption.Config {
	var config preemption.Config
	switch r.Policy {
	case v113:
		config.Variant = outrank.VariantV1_13
	case simplified:
		config.Variant = outrank.VariantSimplified
	case disabled:
		config.Profile.Off = []string{preemption.DefaultPreemption}
	case exact:
		config.Victims = preemption.Exact{}
	case strict:
		config.Budgets = preemption.NeverViolate
	case victimsAlone:
		config.Budgets = preemption.ChargeVictims
	}

	config.Eligibility = r.eligibility()
	if r.ByCPU {
		config.Importance = func(a, b *outrank.Pod) int { return coresOf(b) - coresOf(a) }
	}
	if r.MostOfA >= 0 {
		config.Filters = []*preemption.Filter{atMost(r.MostOfA, r.Concerns)}
	}
	if r.MostAway >= 0 {
		config.Guard = mostAway(r.MostAway)
	}
	for i := range r.Ranks {
		config.Ranks = append(config.Ranks, r.Ranks[i].rank())
	}
	return config
}

func coresOf(p *outrank.Pod) int {
	cores := p.Containers[0].Requests["cpu"]
	return int(cores.MilliValue())
}

// eligibility returns who may preempt and who may be taken.
func (r *Rules) eligibility() (e preemption.Eligibility) {
	switch spared, taken := r.Spared, r.Taken; {
	case spared != "":
		e.Take = func(_, victim *outrank.Pod) (string, bool) { return "", victim.Labels["app"] != spared }
	case taken != "":
		e.AnyPriority = true
		e.Take = func(preemptor, victim *outrank.Pod) (string, bool) {
			return takenRule, victim.Labels["app"] == taken || victim.PriorityValue() < preemptor.PriorityValue()
		}
	}

	if r.Refuses {
		e.Refuse = func(_ *outrank.Pod, by preemption.Ineligibility, nominated preemption.Status) preemption.Ineligibility {
			if nominated.Code == preemption.Unschedulable {
				return ownRefusal
			}
			return by
		}
	}
	return e
}

// takenRule is the name of the rule by which pods are taken whatever their priority.
const takenRule = "taken"

// ownRefusal is what the caller's rule says of a pod that may not preempt.
const ownRefusal = "its node may have room soon"

// rank returns the rank as one of the library.
func (r *Rank) rank() preemption.Rank {
	out := preemption.Rank{Name: r.Name}
	switch each, of, prefers := r.Each, r.Of, r.Prefers; {
	case of != "":
		out.Cost = func(victim *outrank.Pod) int64 {
			if victim.Labels["app"] == of {
				return each
			}
			return 0
		}
	case prefers != "":
		out.Figure = func(c *preemption.Candidate) int64 {
			if c.Node == prefers {
				return -1
			}
			return 0
		}
	}
	return out
}

// found returns what the caller's scheduler has found about the nodes, nil if it was not asked.
func (w *World) found() func(position int, node *outrank.Node) (preemption.Status, bool) {
	if !w.given() {
		return nil
	}
	return func(position int, _ *outrank.Node) (preemption.Status, bool) {
		switch w.Nodes[position].Found {
		case "fits":
			return preemption.Status{}, true
		case "unschedulable":
			return preemption.Unschedulable.Because(foundSo), true
		case "unresolvable":
			return preemption.UnschedulableAndUnresolvable.Because(foundSo), true
		}
		return preemption.Status{}, false
	}
}

// foundSo is the reason that the caller's scheduler gives.
const foundSo = "found so"
