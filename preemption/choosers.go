package preemption

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// choosing lets a rule of the caller choose the victims (rules 12.8.10 and 13.5.4). Steps that depend on how
// a variant itself finds victims give way to the plain ones.
func (s steps) choosing(rule Chooser, config *Config) steps {
	s.takesFree = plain().takesFree
	s.readsTop, s.shows = plain().readsTop, plain().shows
	s.recharge = chargeAgain
	s.victims = func(a *attempt, s *site, possible []*unit) (*Candidate, Status, error) {
		c, status, err := a.choose(rule, s, possible)
		if c != nil && config.Budgets == NeverViolate && c.Score.Violations > 0 {
			return nil, budgetsForbid, nil // rule 13.5.4
		}
		return c, status, err
	}
	return s
}

// choose asks the rule about a node that takes the pod with all possible victims gone. The units of the
// pods that it names leave whole (rule 12.8.10). They have to make room, and the guard has to let them go
// together (rule 13.6.6): anything else is an error.
func (a *attempt) choose(rule Chooser, s *site, possible []*unit) (*Candidate, Status, error) {
	if status := a.withAllGone(s, possible); status.Code != Success {
		return nil, status, nil
	}

	chosen := rule.Choose(&viewedNode{a, s, possible})
	if len(chosen) == 0 {
		return nil, Status{Code: Unschedulable, Reasons: []string{"rule " + rule.Name + " chose no victims"}}, nil
	}

	units, problem := a.unitsOf(s, possible, chosen)
	d := a.dryRun(s).takeAway(units...)
	if problem == "" {
		// The room comes first: a guard is asked about victims that would do.
		if status := a.steps.fits(d); status.Code != Success {
			problem = fmt.Sprintf("without the victims pod %s does not fit: %s", a.pod.Key(), status)
		} else if status := a.guarding(units...).says(); status.Code != Success {
			problem = fmt.Sprintf("the victims may not leave together: %s", status)
		}
	}
	if problem != "" {
		return nil, Status{}, fmt.Errorf("rule %s: node %s: %w: %s", rule.Name, s.name(), outrank.ErrInvalid, problem)
	}

	return a.candidate(s, a.lossesOf(d, units), nil), Status{}, nil
}

// unitsOf lists the units of the pods that a rule has chosen, in order of importance. problem says what is
// wrong with the choice, empty for nothing.
func (a *attempt) unitsOf(s *site, possible []*unit, chosen []*outrank.Pod) (units []*unit, problem string) {
	// Where pods of the node leave in units, a rule may name several pods of one unit. Naming one pod twice
	// is then no fault either.
	grouped := slices.ContainsFunc(s.running, func(p *occupant) bool { return a.rules.VictimUnits && p.pod.Group != "" })

	taken := map[*unit]bool{}
	for _, p := range chosen {
		if p == nil {
			return nil, "a victim is missing"
		}

		u := unitWith(possible, p)
		switch {
		case u == nil && unitWith(s.units, p) == nil:
			return nil, fmt.Sprintf("victim %s does not run there", p.Key())
		case u == nil:
			return nil, fmt.Sprintf("victim %s must not be evicted", p.Key())
		case !grouped && taken[u]:
			return nil, fmt.Sprintf("victim %s is named twice", p.Key())
		}
		taken[u] = true
	}

	return slices.DeleteFunc(slices.Clone(possible), func(u *unit) bool { return !taken[u] }), ""
}

// unitWith returns the unit that a pod is part of, nil for none (rule 12.8.10).
func unitWith(units []*unit, p *outrank.Pod) *unit {
	for _, u := range units {
		for _, q := range u.pods {
			if samePod(q.pod, p) {
				return u
			}
		}
	}
	return nil
}

// lossesOf finds what each unit blocks: what the pod fails with if that unit alone is put back (rule 9.10).
// All of the units are away when it begins.
func (a *attempt) lossesOf(d *dryRun, units []*unit) []loss {
	var losses []loss
	for _, u := range units {
		blocks := a.steps.fits(d.putBack(u))
		d.takeAway(u)
		losses = append(losses, loss{u, blocks})
	}
	return losses
}

// viewedNode is a node as the caller's rule sees it ([NodeView]).
type viewedNode struct {
	attempt  *attempt
	site     *site
	possible []*unit
}

// Pod implements [NodeView].
func (v *viewedNode) Pod() *outrank.Pod { return v.attempt.pod }

// Node implements [NodeView].
func (v *viewedNode) Node() *outrank.Node { return v.site.node }

// Possible implements [NodeView]: the most important first (rule 9.4).
func (v *viewedNode) Possible() []*outrank.Pod {
	var pods []*outrank.Pod
	for _, p := range podsOf(v.possible) {
		pods = append(pods, p.pod)
	}
	return pods
}

// Check implements [NodeView]. A unit is gone as a whole if any of its pods is named. The filters are asked
// before the guard, as for victims that are chosen.
func (v *viewedNode) Check(without ...*outrank.Pod) Status {
	var gone []*unit
	for _, u := range v.possible {
		if slices.ContainsFunc(without, func(p *outrank.Pod) bool { return p != nil && unitWith([]*unit{u}, p) != nil }) {
			gone = append(gone, u)
		}
	}

	if status := v.attempt.withAllGone(v.site, gone); status.Code != Success {
		return status
	}
	return v.attempt.guarding(gone...).says()
}

// Violated implements [NodeView]. Budgets are charged for the victims alone, the most important first. A pod
// that is named twice is charged once, and only its first place in the result has budgets.
func (v *viewedNode) Violated(victims ...*outrank.Pod) [][]*outrank.PodDisruptionBudget {
	place := map[*occupant]int{}
	for i, victim := range victims {
		if p := v.attempt.runningAs(victim); p != nil {
			if _, again := place[p]; !again {
				place[p] = i
			}
		}
	}

	lost := slices.SortedFunc(maps.Keys(place), func(p, q *occupant) int {
		return cmp.Or(v.attempt.compareUnits(p.unit, q.unit), v.attempt.importance(p.pod, q.pod))
	})

	// The order of this map decides nothing, as each pod has a place of its own.
	out := make([][]*outrank.PodDisruptionBudget, len(victims))
	for p, violated := range v.attempt.steps.charge(v.attempt, lost) {
		out[place[p]] = violated
	}
	return out
}

// runningAs returns the occupant that is the caller's pod; nil if the pod runs on no node.
func (a *attempt) runningAs(pod *outrank.Pod) *occupant {
	if pod == nil {
		return nil
	}
	for _, s := range a.sites {
		for _, p := range s.running {
			if samePod(p.pod, pod) {
				return p
			}
		}
	}
	return nil
}

// Short implements [NodeView]. A resource that the pod does not ask for, or that the filter ignores, is
// never short (rules 7.7.2 and 7.18.5).
func (v *viewedNode) Short(name resource.Name) int64 {
	d := v.attempt.dryRun(v.site)
	whole := v.site.allocatable(name)
	if name == resource.Pods {
		return max(0, int64(len(d.pods))+1-whole)
	}

	for i, need := range v.attempt.resources {
		if need.name != name {
			continue
		}

		// free is below 0 on a node that holds too much, so that the difference may be more than an int64.
		free := d.free(i, whole)
		if free < 0 && need.amount > math.MaxInt64+free {
			return math.MaxInt64
		}
		return max(0, need.amount-free)
	}
	return 0
}
