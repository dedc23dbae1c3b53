package preemption

import "slices"

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
func (w *dryRunner) dryRun(n *nodeState) ([]*podState, filterStatus) {
	w.enter(n)
	possible := w.possible()
	if len(possible) == 0 {
		return nil, filterStatus{code: UnschedulableAndUnresolvable, by: byNone, text: noVictimsText}
	}
	w.blocks = fill(w.blocks, len(possible), filterStatus{})
	w.violated = fill(w.violated, len(possible), 0)
	if w.a.elsewhere {
		if s := w.a.askNode(&w.a.question, n); s.code != Success {
			w.victim = fill(w.victim, len(possible), false)
			return possible, s
		}
	}
	if w.a.config.Chooser != nil {
		return possible, w.choose(possible)
	}
	switch w.a.config.Policy.Victims {
	case Exact:
		return possible, w.exact(possible)
	case Ascending:
		if len(w.units) > 0 {
			return possible, w.ascendUnits(possible)
		}
		return possible, w.ascend(possible)
	}
	for _, p := range possible {
		w.remove(p)
	}
	w.victim = fill(w.victim, len(possible), true)
	if s := w.check(); s.code != Success {
		return possible, s
	}
	if w.a.config.Policy.Strict {
		if s := w.addSpared(possible); s.code != Success {
			return possible, s
		}
	} else {
		w.spared = fill(w.spared, len(possible), false)
	}
	for i, p := range possible {
		if !w.spared[i] {
			w.violated[i] = len(w.charge(p))
		}
	}
	w.ledger.Reset()
	reprieve := w.reprieve
	if len(w.units) > 0 {
		w.noteViolating()
		reprieve = w.reprieveUnits
	}
	found := reprieve(possible, true)
	if reprieve(possible, false) || found {
		if w.a.config.chargesVictims() {
			w.chargeVictims(possible)
		}
		return possible, filterStatus{}
	}
	return possible, w.contradiction()
}

// possible lists the pods that the preemptor may evict, the most important
// first. Where they are units, w.units has these.
func (w *dryRunner) possible() []*podState {
	if w.a.hasUnits(w.n) {
		return w.findUnits()
	}
	pods := w.n.possible(w.a.priority, w.a.nowAt, &w.sorted)
	policy := &w.a.config.Policy
	unordered := policy.EvictUnprioritized || w.a.config.anyPriority()
	if unordered {
		pods = w.n.pods
	}
	ordered := w.a.config.Importance == nil && !policy.IgnoreStart && !unordered
	if w.a.config.MayEvict == nil && ordered && w.a.deferral.resident == nil {
		return pods
	}
	w.sorted = slices.DeleteFunc(append(w.sorted[:0], pods...), func(p *podState) bool { return !w.a.mayEvict(p) })
	if !ordered {
		slices.SortFunc(w.sorted, w.a.moreImportant)
	}
	return w.sorted
}

// ascend removes pods, the least important first, until the preemptor fits
// (Policy Ascending), and charges the budgets for them.
func (w *dryRunner) ascend(possible []*podState) filterStatus {
	w.victim = fill(w.victim, len(possible), false)
	strict := w.a.config.Policy.Strict && w.spare(possible)
	s := w.check()
	for i := len(possible) - 1; i >= 0; i-- {
		p := possible[i]
		if strict && w.spared[i] {
			continue
		}
		w.remove(p)
		w.victim[i], w.blocks[i] = true, s
		w.violated[i] = len(w.charge(p))
		if s = w.check(); s.code == Success {
			break
		}
	}
	w.ledger.Reset()
	if strict {
		return w.strictEnd(possible, s)
	}
	return s
}

// restoreVictims adds the victims again, so that the state of the caller's
// filters is as before the dry run. The built-in filters start anew with each
// node.
func (w *dryRunner) restoreVictims(possible []*podState) {
	if !w.a.follows {
		return
	}
	for i, p := range possible {
		if w.victim[i] {
			w.add(p)
		}
	}
}

// restoreAll adds pods again that were all removed, for the caller's filters.
func (w *dryRunner) restoreAll(possible []*podState) {
	if !w.a.follows {
		return
	}
	for _, p := range possible {
		w.add(p)
	}
}

// reprieve puts back, the most important first, those who violate a budget or
// those who do not, as far as the preemptor still fits. It reports whether any
// had to go again.
func (w *dryRunner) reprieve(possible []*podState, violating bool) (victims bool) {
	for i, p := range possible {
		if (w.violated[i] > 0) != violating || w.spared[i] {
			continue
		}
		w.add(p)
		s := w.check()
		if s.code == Success {
			w.victim[i] = false
			continue
		}
		w.remove(p)
		w.blocks[i] = s
		victims = true
	}
	return victims
}
