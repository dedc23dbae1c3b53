package preemption

import "math"

// A node with pods that name groups, where victims are units (rule 9.12), is bounded and
// evaluated in one of three ways:
//
//   - Its pods count with their own priorities, the default rules are asked for, and no
//     filter looks at other pods: the bounds of single pods hold (ENGINE.md has the
//     proof), and only the evaluation is a dry run of units.
//   - By the default rules otherwise, the possible victims are taken away for the node's
//     status, and the bound is a weak one (byUnits).
//   - By other rules, and where a filter may contradict itself in the end, the node is
//     evaluated at once.

// boundUnits bounds a node in the second or third way.
func (w *searchWorker) boundUnits(b *nodeBound, position int, slot int32, sum *nodeSummary, plain bool) {
	n, dry := w.snap.nodes[slot], &w.dry
	dry.enter(n)
	st := dry.check()
	if st.code == Success {
		return
	}
	b.before = w.before.intern(st)
	if st.code != Unschedulable && !w.given {
		return
	}
	if st.by != resourcesFilter.index || !plain || w.light == 0 {
		w.settleUnits(b, position, n)
		return
	}
	possible := dry.possible()
	if len(possible) == 0 {
		b.after = noVictims
		return
	}
	for _, p := range possible {
		dry.remove(p)
	}
	st = dry.check()
	dry.restoreAll(possible)
	if st.code != Success {
		b.after = w.after.intern(st)
		return
	}
	b.kind, b.bound, b.exact = byUnits, sum.lowest, true
	b.fewest = uint16(min(w.snap.summaries.extremesAt(slot).fewest(sum, &w.asks), math.MaxUint16))
	b.fewest = max(b.fewest, 1)
	if b.bound < w.leastBound || b.bound == w.leastBound && b.fewest < w.leastVictims {
		w.leastBound, w.leastVictims = b.bound, b.fewest
	}
}

// settleUnits evaluates a node at once.
func (w *searchWorker) settleUnits(b *nodeBound, position int, n *nodeState) {
	possible, st := w.dry.dryRun(n)
	switch {
	case st.code == Success:
		w.keep(w.dryScore(position, possible))
	case len(possible) == 0:
		b.after = noVictims
	default:
		b.after = w.after.intern(st)
	}
	w.dry.restoreVictims(possible)
}

// dryScore is the score of the dry run that just ended.
func (w *searchWorker) dryScore(position int, possible []*podState) nodeScore {
	sc := w.dry.score(possible)
	return nodeScore{
		position: position, violations: sc.Violations, top: sc.TopPriority,
		victims: int32(sc.Victims), sum: sc.PrioritySum, start: instantOf(sc.Start),
		cost: sc.Cost,
	}
}
