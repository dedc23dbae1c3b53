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
// It returns the possible victims. w.victim marks the actual ones, and
// w.violated and w.blocks have the details. The status is not Success if the
// node is no candidate. The victims stay removed until RestoreVictims is
// called.
func (w *DryRunner) DryRun(n *state.NodeState) ([]*state.PodState, filters.Status) {
	w.Enter(n)
	possible := w.Possible()
	if len(possible) == 0 && !w.freeNow() {
		return nil, filters.NoVictims
	}
	w.Victim = state.Fill(w.Victim, len(possible), false)
	if w.A.Elsewhere {
		if s := w.plan.AskNode(&w.A.Asked, n); s.Code != filters.Success {
			return possible, s
		}
	}
	if w.guard.state != nil && w.terms.Chooser == nil {
		return w.dryRunGuarded(possible)
	}
	return possible, w.findVictims(possible)
}

// freeNow reports whether the node that was entered takes the preemptor as it is, for a
// variant that takes it then. A rule of the caller's that chooses victims has none to choose
// from there.
func (w *DryRunner) freeNow() bool {
	if w.terms.Chooser != nil || !w.terms.ByVariant().TakesFree || w.A.Elsewhere && w.plan.AskNode(&w.A.Asked, w.N).Code != filters.Success {
		return false
	}
	return w.Check().Code == filters.Success
}

// findVictims is a dry run from the possible victims on.
func (w *DryRunner) findVictims(possible []*state.PodState) filters.Status {
	w.blocks = state.Fill(w.blocks, len(possible), filters.Status{})
	w.violated = state.Fill(w.violated, len(possible), 0)
	switch {
	case w.terms.Chooser != nil:
		return w.choose(possible)
	case w.terms.Exact:
		return w.exact(possible)
	case w.terms.Ascending():
		return w.ascend(possible)
	}
	w.ChangeAll(possible, -1)
	w.Victim = state.Fill(w.Victim, len(possible), true)
	if s := w.Check(); s.Code != filters.Success {
		return s
	}
	if w.terms.Strict {
		if s := w.addSpared(possible); s.Code != filters.Success {
			return s
		}
	} else {
		w.spared = state.Fill(w.spared, len(possible), false)
	}
	w.noteViolated(possible, func(i int) bool { return !w.spared[i] })
	if !w.reprieveAll(possible) && !w.terms.ByVariant().TakesFree {
		return w.contradiction()
	}
	if w.terms.ChargesVictims() {
		w.chargeVictims(possible)
	}
	return filters.Status{}
}

// ascend removes pods, the least important first and each with those that leave with it,
// until the preemptor fits (rule 13.3.1), and charges the budgets for them.
func (w *DryRunner) ascend(possible []*state.PodState) filters.Status {
	w.Victim = state.Fill(w.Victim, len(possible), false)
	strict := w.terms.Strict && w.spare(possible)
	s := w.Check()
	for from, to := 0, len(possible); to > 0; to = from {
		from = w.unitStart(to - 1)
		if strict && w.spared[from] {
			continue
		}
		w.ChangeAll(possible[from:to], -1)
		for i := from; i < to; i++ {
			w.Victim[i], w.blocks[i] = true, s
			w.violated[i] = len(w.Budgets.Charge(possible[i]))
		}
		if s = w.Check(); s.Code == filters.Success {
			break
		}
	}
	w.Budgets.Reset()
	if strict {
		return w.strictEnd(possible, s)
	}
	return s
}

// dryRunGuarded finds victims among those of the possible victims that the guard lets go
// (group 13.6). With Reprieve, and as with a [preemption.Chooser], the node has to take the preemptor
// with all of them gone in the first place (rule 13.6.4).
func (w *DryRunner) dryRunGuarded(possible []*state.PodState) ([]*state.PodState, filters.Status) {
	ascending := w.terms.Ascending()
	if !ascending {
		if s := w.withAllGone(possible); s.Code != filters.Success {
			return possible, s
		}
	}
	admitted := w.admitted(possible)
	refusal := w.guard.refusal
	left, s := admitted, refusal
	if len(admitted) > 0 {
		w.Victim = state.Fill(w.Victim, len(admitted), false)
		s = w.findVictims(admitted)
	} else {
		left = possible // none of which leaves
	}
	if s.Code == filters.Success || s.Code == filters.Contradiction || refusal.Code == filters.Success {
		return left, s
	}
	if ascending {
		if s = w.withOthersGone(possible, admitted); s.Code != filters.Success {
			return left, s
		}
	}
	return left, refusal
}
