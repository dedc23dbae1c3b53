package preemption

import (
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// v113 returns the steps of the scheduler of Kubernetes v1.13 (group 13.2).
func v113() steps {
	s := plain()
	s.ageOf = func(*attempt, *outrank.Pod) time.Time { return time.Time{} } // rule 13.2.1: priority alone
	s.charge = (*attempt).asBudgetsStand                                    // rule 13.2.2
	s.ranks = []Rank{ByViolations, ByTopPriority, ByPrioritySum, ByVictims} // rule 13.2.3
	s.readsTop = readsFirst                                                 // rule 13.2.3
	s.shows = violatingVictimsFirst                                         // rule 13.2.3
	s.eligible = (*attempt).eligibleInV113                                  // rules 13.2.4 and 13.2.5
	s.askedFirst = func(*attempt) *site { return nil }                      // rule 7.15.9
	s.unasked = Status{Code: Unschedulable, Reasons: neverFiltered.Reasons} // rule 13.2.10
	s.fits = (*dryRun).fitsInV113                                           // rule 13.2.15
	s.takesFree = (*attempt).fitsAsItIs                                     // rule 13.2.11
	s.compareFirst = freeFirst                                              // rule 13.2.11
	s.clears = func(*attempt, []Victim) bool { return true }                // rule 13.2.7
	return s
}

// asBudgetsStand says which budgets each pod violates without charging any: all that cover it and allow no
// disruption as they stand (rule 13.2.2).
func (a *attempt) asBudgetsStand(pods []*occupant) charges {
	violated := charges{}
	for _, p := range pods {
		for _, b := range a.budgets {
			if coversPod(b, p.pod) && b.DisruptionsAllowed <= 0 {
				violated[p] = append(violated[p], b.PodDisruptionBudget)
			}
		}
	}
	return violated
}

// readsFirst makes the priority of the victim that was found first the top priority. Pods that violate a budget
// are found first, so a later victim may have a higher priority (rule 13.2.3).
func readsFirst(found []loss, score *Score) {
	score.TopPriority = found[0].pods[0].pod.PriorityValue()
}

// eligibleInV113 makes a pod wait while any pod that it could take is being deleted, for whatever reason, on
// the node that it is nominated to (rule 13.2.5). In v1.13 there is no preemption policy (rule 13.2.4).
func (a *attempt) eligibleInV113(nominated *site, _ Status) Ineligibility {
	if nominated != nil && a.anyLeaves(nominated, (*outrank.Pod).Terminating) {
		return VictimsTerminating
	}
	return ""
}

// fitsInV113 is fits for v1.13, where no reason says that a node is too small for the pod even when empty
// (rule 13.2.15). What the other filters say of such a node decides whether preemption is tried there.
func (d *dryRun) fitsInV113() Status {
	status := d.fits()
	if status.Filter != NodeResourcesFit || status.Code != UnschedulableAndUnresolvable || d.attempt.off(NodeResourcesFit) {
		return status
	}
	others := d.copy()
	others.unasked = NodeResourcesFit
	if beyond := others.fits(); beyond.Code == UnschedulableAndUnresolvable {
		return beyond
	}
	status.Code = Unschedulable
	return status
}

// fitsAsItIs reports whether a node takes the pod with everybody there (rule 13.2.11).
func (a *attempt) fitsAsItIs(s *site) bool { return a.steps.fits(a.dryRun(s)).Code == Success }

// freeFirst orders a candidate without victims before all others (rule 13.2.11). Two of them tie, here and
// in every rank but the caller's with a Figure, so that the first in the order of the nodes wins.
func freeFirst(c, d *Candidate) (order int, by string) {
	free, otherFree := len(c.Victims) == 0, len(d.Victims) == 0
	switch {
	case free == otherFree:
		return 0, ""
	case free:
		return -1, ByVictims.Name
	}
	return 1, ByVictims.Name
}

// violatingVictimsFirst puts the victims in the order of v1.13: victims that violate a budget before the others
// (rule 13.2.3).
func violatingVictimsFirst(victims []Victim) []Victim {
	sorted := slices.Clone(victims)
	slices.SortStableFunc(sorted, func(v, w Victim) int {
		return min(1, len(w.Violated)) - min(1, len(v.Violated))
	})
	return sorted
}
