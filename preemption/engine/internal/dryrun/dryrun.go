package dryrun

import (
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// DryRun finds the victims on one node (chapter 9; SelectVictimsOnNode):
//
//  1. remove every pod of lower priority;
//  2. if the preemptor still does not fit, the node is no candidate;
//  3. charge the budgets for these pods, in order of importance;
//  4. put back the pods with which the preemptor still fits: first those that
//     violate a budget, then the others, each time the most important first;
//  5. the pods that could not be put back are the victims.
//
// It returns the possible victims. w.Victim marks the actual ones, and Candidate describes them. The status
// is Success if and only if the node is a candidate. The victims stay removed until RestoreVictims is called.
func (w *DryRunner) DryRun(n *state.NodeState) ([]*state.PodState, filters.Status) {
	w.Enter(n)
	possible := w.Possible()
	if len(possible) == 0 && !w.freeNow() {
		return nil, filters.NoVictims // rule 9.2
	}
	w.Victim = state.Fill(w.Victim, len(possible), false)

	// If the caller gave the statuses, the first node filters have not been asked yet.
	if w.A.Elsewhere {
		if s := w.plan.AskNode(&w.A.Asked, n); s.Code != filters.Success {
			return possible, s
		}
	}

	// A chooser asks the guard itself, about the set that it chose (rule 13.6.6).
	if w.guard.state != nil && w.terms.Chooser == nil {
		return w.dryRunGuarded(possible)
	}
	return possible, w.findVictims(possible)
}

// freeNow reports whether the entered node is a candidate although no pod may leave: by the variant a node
// that takes the preemptor without victims is one (rule 13.2.11). With a chooser it is not, because there are
// no victims to choose from.
func (w *DryRunner) freeNow() bool {
	if w.terms.Chooser != nil || !w.terms.ByVariant().TakesFree {
		return false
	}
	if w.A.Elsewhere && w.plan.AskNode(&w.A.Asked, w.N).Code != filters.Success {
		return false
	}
	return w.Check().Code == filters.Success
}

// findVictims chooses victims among the possible ones by the configured rule. All of them are on the node.
func (w *DryRunner) findVictims(possible []*state.PodState) filters.Status {
	w.blocks = state.Fill(w.blocks, len(possible), filters.Status{})
	w.violated = state.Fill(w.violated, len(possible), 0)

	switch {
	case w.terms.Chooser != nil:
		return w.choose(w.terms.Chooser, possible)
	case w.terms.Exact:
		return w.exact(possible)
	case w.terms.Ascending():
		return w.ascend(possible)
	}
	return w.removeAndReprieve(possible)
}

// removeAndReprieve removes all possible victims, and puts back those with which the preemptor still
// fits (rules 9.3 to 9.6).
func (w *DryRunner) removeAndReprieve(possible []*state.PodState) filters.Status {
	w.ChangeAll(possible, -1)
	w.Victim = state.Fill(w.Victim, len(possible), true)
	if s := w.Check(); s.Code != filters.Success {
		return s // even removing all of them is not enough (rule 9.3)
	}

	// By a strict policy some pods are put back for good before the reprieve (rule 13.5.1).
	if w.terms.Strict {
		if s := w.addSpared(possible); s.Code != filters.Success {
			return s
		}
	} else {
		w.spared = state.Fill(w.spared, len(possible), false)
	}

	// Which pods violate a budget is decided before the first one returns, as if all removed pods stayed away
	// (group 6.3). So a pod may count as violating although its budget would have allowed the actual victims.
	w.noteViolated(possible, func(i int) bool { return !w.spared[i] })
	if !w.reprieveAll(possible) && !w.terms.ByVariant().TakesFree {
		return w.contradiction()
	}

	// The violations are counted anew for the victims alone (rule 13.5.5).
	if w.terms.ChargesVictims() {
		w.chargeVictims(possible)
	}
	return filters.Status{}
}

// ascend removes pods until the preemptor fits, the least important first, each with the pods of its unit
// (rule 13.3.1). It charges the budgets for them in that order (rule 13.3.5).
func (w *DryRunner) ascend(possible []*state.PodState) filters.Status {
	w.Victim = state.Fill(w.Victim, len(possible), false)
	strict := w.terms.Strict && w.spare(possible)

	// last is the preemptor's present failure, which is the reason that the next unit leaves.
	last := w.Check()
	for from, to := 0, len(possible); to > 0; to = from {
		from = w.unitStart(to - 1)
		if strict && w.spared[from] {
			continue
		}

		w.ChangeAll(possible[from:to], -1)
		for i := from; i < to; i++ {
			w.Victim[i], w.blocks[i] = true, last
			w.violated[i] = len(w.Budgets.Charge(possible[i]))
		}
		if last = w.Check(); last.Code == filters.Success {
			break
		}
	}
	w.Budgets.Reset()

	if strict {
		return w.strictEnd(possible, last)
	}
	return last
}

// dryRunGuarded finds victims among the possible victims that the guard lets go (rules 13.6.3 and 13.6.4). It
// returns the pods to which w.Victim refers.
func (w *DryRunner) dryRunGuarded(possible []*state.PodState) ([]*state.PodState, filters.Status) {
	// Unless victims are taken in ascending order, the filters come first: if all possible victims are not
	// enough, the guard is not asked.
	ascending := w.terms.Ascending()
	if !ascending {
		if s := w.checkWithout(possible); s.Code != filters.Success {
			return possible, s
		}
	}

	admitted, refusal := w.admitted(possible)
	among, s := admitted, refusal
	if len(admitted) > 0 {
		w.Victim = state.Fill(w.Victim, len(admitted), false)
		s = w.findVictims(admitted)
	} else {
		among = possible // w.Victim has their length, and marks none
	}

	// The guard is a reason for the failure only if it kept some pod. A contradiction of the filters is
	// always reported.
	if s.Code == filters.Success || s.Code == filters.Contradiction || refusal.Code == filters.Success {
		return among, s
	}

	// In ascending order the filters have not been asked yet whether all possible victims would be enough. If
	// they would not, the status is the filters'.
	if ascending {
		if s = w.checkWithoutOthers(possible, admitted); s.Code != filters.Success {
			return among, s
		}
	}
	return among, refusal
}
