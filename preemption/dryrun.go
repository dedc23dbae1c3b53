package preemption

import "slices"

// dryRun finds the victims on one node (chapter 9; SelectVictimsOnNode):
//
//  1. take away every pod of lower priority;
//  2. if the preemptor still does not fit, the node is out;
//  3. go through them in order of importance and charge the budgets;
//  4. put back whom the preemptor can do with, those that violate a budget
//     first;
//  5. who is left is a victim.
//
// It returns the possible victims, of which w.victim marks the actual ones,
// and w.broken and w.blocks say why; the status is not Success where the node
// is no candidate. Until leave is called the victims are away.
func (w *dryRunner) dryRun(n *nodeState) ([]*podState, filterStatus) {
	w.enter(n)
	possible := w.possible()
	if len(possible) == 0 {
		return nil, filterStatus{code: UnschedulableAndUnresolvable, by: byNone, text: noVictimsText}
	}
	w.blocks = fill(w.blocks, len(possible), filterStatus{})
	w.violated = fill(w.violated, len(possible), 0)
	if w.a.config.Policy.Victims == Ascending {
		return possible, w.ascend(possible)
	}
	for _, p := range possible {
		w.remove(p)
	}
	w.victim = fill(w.victim, len(possible), true)
	if s := w.check(); s.code != Success {
		return possible, s
	}
	for i, p := range possible {
		w.violated[i] = w.charge(p)
	}
	w.ledger.Reset()
	found := w.reprieve(possible, true)
	if w.reprieve(possible, false) || found {
		return possible, filterStatus{}
	}
	return possible, filterStatus{code: Contradiction, by: byNone, text: []string{reasonContradicts + " " + n.name}}
}

// possible lists whom the preemptor may push out, the most important first.
func (w *dryRunner) possible() []*podState {
	pods := w.n.possible(w.a.priority, w.a.nowAt, &w.sorted)
	if w.a.config.MayEvict == nil && w.a.config.Importance == nil {
		return pods
	}
	w.sorted = slices.DeleteFunc(append(w.sorted[:0], pods...), func(p *podState) bool { return !w.a.mayEvict(p) })
	if w.a.config.Importance != nil {
		slices.SortFunc(w.sorted, w.a.moreImportant)
	}
	return w.sorted
}

// ascend takes pods away, the least important first, until the preemptor fits
// (Policy Ascending), and charges the budgets for them.
func (w *dryRunner) ascend(possible []*podState) filterStatus {
	w.victim = fill(w.victim, len(possible), false)
	s := w.check()
	for i := len(possible) - 1; i >= 0; i-- {
		p := possible[i]
		w.remove(p)
		w.victim[i], w.blocks[i] = true, s
		w.violated[i] = w.charge(p)
		if s = w.check(); s.code == Success {
			break
		}
	}
	w.ledger.Reset()
	return s
}

// leave puts the victims back, so that filters with a memory of their own are
// as before.
func (w *dryRunner) restoreVictims(possible []*podState) {
	if len(w.a.callers) == 0 {
		return
	}
	for i, p := range possible {
		if w.victim[i] {
			w.add(p)
		}
	}
}

// putBack puts pods back that were all taken away, for filters with a memory
// of their own.
func (w *dryRunner) restoreAll(possible []*podState) {
	if len(w.a.callers) == 0 {
		return
	}
	for _, p := range possible {
		w.add(p)
	}
}

// charge takes a pod from the budgets that cover it, and counts those that
// this violates (group 6.3; filterPodsWithPDBViolation).
func (w *dryRunner) charge(p *podState) int {
	if len(p.class.covering) == 0 {
		return 0
	}
	return len(w.ledger.Charge(p.pod, p.class.covering))
}

// reprieve puts back, the most important first, those who violate a budget or
// those who do not, as far as the preemptor still fits. It reports whether any
// had to go again.
func (w *dryRunner) reprieve(possible []*podState, violating bool) (victims bool) {
	for i, p := range possible {
		if (w.violated[i] > 0) != violating {
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
