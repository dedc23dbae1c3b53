package reference

import (
	"cmp"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// selectVictims finds the pods that have to leave the node (chapter 9).
func (a *attempt) selectVictims(n *outrank.Node) (Candidate, Status) {
	// Step 1: the possible victims.
	possible := a.possibleVictims(n)
	if len(possible) == 0 {
		return Candidate{}, unresolvable("", "No preemption victims found for incoming pod")
	}
	if a.rules.Ascending {
		a.sortByImportance(possible)
		victims, status := a.removeAscending(a.scene(n), possible)
		if status.Code != Success {
			return Candidate{}, status
		}
		return a.candidate(n, a.rules.broken(victims, a.cluster.Budgets), victims), Status{}
	}
	// Step 2: does it help to remove all of them?
	empty := a.scene(n)
	for _, p := range possible {
		empty = empty.remove(p)
	}
	if status := empty.fitsBesideNominated(); status.Code != Success {
		return Candidate{}, status
	}
	// Step 3: sort them by importance.
	a.sortByImportance(possible)
	// Step 4: put back the pods beside which the preemptor fits.
	broken := a.rules.broken(possible, a.cluster.Budgets)
	violating, others := split(possible, broken)
	victims := empty.reprieve(slices.Concat(violating, others))
	// Step 5: the others are the victims.
	if len(victims) == 0 {
		// With all of them back the node is as it was when it failed, unless that was
		// found elsewhere.
		return Candidate{}, Status{Code: Contradiction, Reasons: []string{"expected at least one victim pod on node " + n.Name}}
	}
	return a.candidate(n, broken, victims), Status{}
}

func (a *attempt) possibleVictims(n *outrank.Node) []*outrank.Pod {
	var possible []*outrank.Pod
	for _, p := range a.running[n.Name] {
		if a.mayPreempt(p) {
			possible = append(possible, p)
		}
	}
	return possible
}

// reprieve puts the pods back one by one, and leaves those in place beside
// which the preemptor fits. It returns the others.
func (s *scene) reprieve(pods []*outrank.Pod) []*outrank.Pod {
	var victims []*outrank.Pod
	for _, p := range pods {
		with := s.add(occupant{pod: p})
		if with.fitsBesideNominated().Code == Success {
			s = with
		} else {
			s = with.remove(p)
			victims = append(victims, p)
		}
	}
	return victims
}

// candidate lists the victims by importance and counts those that break a
// budget.
func (a *attempt) candidate(n *outrank.Node, broken map[*outrank.Pod]int, victims []*outrank.Pod) Candidate {
	c := Candidate{Node: n.Name, Victims: slices.Clone(victims), Violations: a.rules.violationsOf(broken, victims)}
	a.sortByImportance(c.Victims)
	for _, p := range c.Victims {
		c.Details = append(c.Details, Victim{Pod: p, Violates: broken[p] > 0})
	}
	return c
}

// sortByImportance: the higher priority first, then the earlier start, then
// namespace/name and UID, so that no two pods are equal.
func (a *attempt) sortByImportance(pods []*outrank.Pod) {
	slices.SortStableFunc(pods, func(p, q *outrank.Pod) int {
		if a.rules.Importance != nil && a.rules.Importance(p, q) != 0 {
			return a.rules.Importance(p, q)
		}
		if a.rules.IgnoreStart {
			return cmp.Or(
				cmp.Compare(q.PriorityValue(), p.PriorityValue()),
				cmp.Compare(p.NamespaceName(), q.NamespaceName()),
				cmp.Compare(p.Name, q.Name),
			)
		}
		return cmp.Or(
			cmp.Compare(q.PriorityValue(), p.PriorityValue()),
			startOf(p, a.now).Compare(startOf(q, a.now)),
			cmp.Compare(p.Key(), q.Key()),
			cmp.Compare(p.UID, q.UID),
		)
	})
}

// startOf: a pod without a start time counts as started now.
func startOf(p *outrank.Pod, now time.Time) time.Time {
	if p.StartTime.IsZero() {
		return now
	}
	return p.StartTime
}
