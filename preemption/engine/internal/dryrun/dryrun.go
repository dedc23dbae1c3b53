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
// It returns the possible victims. w.Victim marks the actual ones; Candidate reads the other
// notes about them. The status is Success if and only if the node is a candidate. Its victims
// stay removed until RestoreVictims is called.
func (w *DryRunner) DryRun(n *state.NodeState) ([]*state.PodState, filters.Status) {
	w.Enter(n)
	possible := w.Possible()
	if len(possible) == 0 && !w.freeNow() {
		return nil, filters.NoVictims // rule 9.2
	}
	w.Victim = state.Fill(w.Victim, len(possible), false)

	// Where the caller gave the statuses, nothing has asked yet the filters that look at no pods.
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

// freeNow reports whether the node that was entered is a candidate though nobody may leave: the
// variant takes a node that takes the preemptor as it is (rule 13.2.11). A chooser has no victims to
// choose from there, so that with one the node is no candidate.
func (w *DryRunner) freeNow() bool {
	if w.terms.Chooser != nil || !w.terms.ByVariant().TakesFree {
		return false
	}
	if w.A.Elsewhere && w.plan.AskNode(&w.A.Asked, w.N).Code != filters.Success {
		return false
	}
	return w.Check().Code == filters.Success
}

// findVictims chooses victims among the possible ones, all of which are on the node.
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
		return s // not even all of them away are enough (rule 9.3)
	}

	// By a strict policy some pods go back for good before any is reprieved (rule 13.5.1).
	if w.terms.Strict {
		if s := w.addSpared(possible); s.Code != filters.Success {
			return s
		}
	} else {
		w.spared = state.Fill(w.spared, len(possible), false)
	}

	// Which pods violate a budget is settled before the first one returns, as if all that are away
	// stayed away (group 6.3). So a pod may count as violating though its budget would have
	// allowed for the victims that are left in the end.
	w.noteViolated(possible, func(i int) bool { return !w.spared[i] })
	if !w.reprieveAll(possible) && !w.terms.ByVariant().TakesFree {
		return w.contradiction()
	}

	// The count of the victims alone takes the place of that count (rule 13.5.5).
	if w.terms.ChargesVictims() {
		w.chargeVictims(possible)
	}
	return filters.Status{}
}

// ascend removes pods until the preemptor fits, the least important first and each with those that
// leave together with it (rule 13.3.1). It charges the budgets for them in that order (rule 13.3.5).
func (w *DryRunner) ascend(possible []*state.PodState) filters.Status {
	w.Victim = state.Fill(w.Victim, len(possible), false)
	strict := w.terms.Strict && w.spare(possible)

	// last is what the preemptor fails with so far, which is why the next unit leaves.
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

// dryRunGuarded finds victims among those of the possible victims that the guard lets go (rules
// 13.6.3 and 13.6.4). It returns the pods among which the victims are.
func (w *DryRunner) dryRunGuarded(possible []*state.PodState) ([]*state.PodState, filters.Status) {
	// Unless victims are taken in ascending order, the filters come first: where all possible
	// victims are not enough, the guard is not asked.
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
		among = possible // w.Victim is as long as these, and marks none
	}

	// The guard is the reason of the failure only if it kept somebody. A contradiction of the filters
	// is reported as it is.
	if s.Code == filters.Success || s.Code == filters.Contradiction || refusal.Code == filters.Success {
		return among, s
	}

	// In ascending order the filters have not been asked yet whether all possible victims would have
	// been enough. If not, they give the status.
	if ascending {
		if s = w.checkWithoutOthers(possible, admitted); s.Code != filters.Success {
			return among, s
		}
	}
	return among, refusal
}
