package preemption

import (
	"slices"

	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/filters"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// dryRun finds the victims on one node (chapter 9; SelectVictimsOnNode):
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
// node is no candidate. The victims stay removed until restoreVictims is
// called.
func (w *dryRunner) dryRun(n *state.NodeState) ([]*state.PodState, filters.Status) {
	w.enter(n)
	possible := w.possible()
	if len(possible) == 0 && !w.freeNow() {
		return nil, filters.Status{Code: decision.UnschedulableAndUnresolvable, By: filters.ByNone, Text: filters.NoVictimsText}
	}
	w.victim = state.Fill(w.victim, len(possible), false)
	if w.a.elsewhere {
		if s := w.a.AskNode(&w.a.Question, n); s.Code != decision.Success {
			return possible, s
		}
	}
	if w.guard.state != nil && w.a.config.Chooser == nil {
		return w.dryRunGuarded(possible)
	}
	return possible, w.findVictims(possible)
}

// freeNow reports whether the node that was entered takes the preemptor as it is, for a
// variant that takes it then. A rule of the caller's that chooses victims has none to choose
// from there.
func (w *dryRunner) freeNow() bool {
	if w.a.config.Chooser != nil || !w.a.config.variant().takesFree || w.a.elsewhere && w.a.AskNode(&w.a.Question, w.n).Code != decision.Success {
		return false
	}
	return w.check().Code == decision.Success
}

// findVictims is a dry run from the possible victims on.
func (w *dryRunner) findVictims(possible []*state.PodState) filters.Status {
	w.blocks = state.Fill(w.blocks, len(possible), filters.Status{})
	w.violated = state.Fill(w.violated, len(possible), 0)
	switch {
	case w.a.config.Chooser != nil:
		return w.choose(possible)
	case w.a.config.Policy.Victims == Exact:
		return w.exact(possible)
	case w.a.config.ascending():
		return w.ascend(possible)
	}
	w.changeAll(possible, -1)
	w.victim = state.Fill(w.victim, len(possible), true)
	if s := w.check(); s.Code != decision.Success {
		return s
	}
	if w.a.config.Policy.Strict {
		if s := w.addSpared(possible); s.Code != decision.Success {
			return s
		}
	} else {
		w.spared = state.Fill(w.spared, len(possible), false)
	}
	w.noteViolated(possible, func(i int) bool { return !w.spared[i] })
	if !w.reprieveAll(possible) && !w.a.config.variant().takesFree {
		return w.contradiction()
	}
	if w.a.config.chargesVictims() {
		w.chargeVictims(possible)
	}
	return filters.Status{}
}

// reprieveAll puts back whom it can, and reports whether there are victims.
func (w *dryRunner) reprieveAll(possible []*state.PodState) (victims bool) {
	w.noteViolating()
	w.guardFollows(possible, false)
	victims = w.reprieve(possible, true)
	victims = w.reprieve(possible, false) || victims
	w.guardFollows(possible, true)
	return victims
}

// possible lists the pods that the preemptor may evict, the most important
// first. Where they are units, w.units has these.
func (w *dryRunner) possible() []*state.PodState {
	if w.a.hasUnits(w.n) {
		return w.findUnits()
	}
	pods := w.n.Possible(w.a.Priority, w.a.nowAt, &w.sorted)
	variant := w.a.config.variant()
	unordered := variant.takesUnprioritized || w.a.config.unranked()
	if unordered {
		pods = w.n.Pods
	}
	ordered := w.a.config.Importance == nil && !variant.ignoresStart && !unordered
	if w.a.config.MayEvict == nil && ordered && w.a.Deferral.Resident == nil {
		return pods
	}
	w.sorted = slices.DeleteFunc(append(w.sorted[:0], pods...), func(p *state.PodState) bool { return !w.a.mayEvict(p) })
	if !ordered {
		slices.SortFunc(w.sorted, w.a.moreImportant)
	}
	return w.sorted
}

// ascend removes pods, the least important first and each with those that leave with it,
// until the preemptor fits (rule 13.3.1), and charges the budgets for them.
func (w *dryRunner) ascend(possible []*state.PodState) filters.Status {
	w.victim = state.Fill(w.victim, len(possible), false)
	strict := w.a.config.Policy.Strict && w.spare(possible)
	s := w.check()
	for from, to := 0, len(possible); to > 0; to = from {
		from = w.unitStart(to - 1)
		if strict && w.spared[from] {
			continue
		}
		w.changeAll(possible[from:to], -1)
		for i := from; i < to; i++ {
			w.victim[i], w.blocks[i] = true, s
			w.violated[i] = len(w.budgets.charge(possible[i]))
		}
		if s = w.check(); s.Code == decision.Success {
			break
		}
	}
	w.budgets.reset()
	if strict {
		return w.strictEnd(possible, s)
	}
	return s
}

// restoreVictims adds the victims again, so that the state of the caller's
// filters is as before the dry run. The built-in filters start anew with each
// node.
func (w *dryRunner) restoreVictims(possible []*state.PodState) {
	if !w.a.Follows {
		return
	}
	w.changeMarked(possible, w.victim, 1)
}

// restoreAll adds pods again that were all removed, for the caller's filters.
func (w *dryRunner) restoreAll(possible []*state.PodState) {
	if !w.a.Follows {
		return
	}
	w.changeAll(possible, 1)
}

// reprieve puts back, the most important first and each with those that leave with it, those
// who violate a budget or those who do not, as far as the preemptor still fits. It reports
// whether any had to go again.
func (w *dryRunner) reprieve(possible []*state.PodState, violating bool) (victims bool) {
	for from, to := 0, 0; from < len(possible); from = to {
		to = w.unitEnd(from)
		if w.violates(from) != violating || w.spared[from] {
			continue
		}
		s := w.putBack(possible[from:to])
		victims = victims || s.Code != decision.Success
		for i := from; i < to; i++ {
			w.victim[i], w.blocks[i] = s.Code != decision.Success, s
		}
	}
	return victims
}

// noteViolated notes for each of the possible victims how many budgets its loss violates, if
// those leave for whom leaves is true, the most important first.
func (w *dryRunner) noteViolated(possible []*state.PodState, leaves func(i int) bool) {
	for i, p := range possible {
		w.violated[i] = 0
		if leaves(i) {
			w.violated[i] = len(w.budgets.charge(p))
		}
	}
	w.budgets.reset()
}

// chargeVictims charges the budgets for the victims alone, the most important first.
func (w *dryRunner) chargeVictims(possible []*state.PodState) {
	w.noteViolated(possible, func(i int) bool { return w.victim[i] })
}
