package dryrun

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// If victims are units (rule 12.8.1), a dry run removes, charges and puts back all pods of a unit together,
// whatever node they are on. The possible victims are then these pods, unit by unit, and w.units says which
// of them belong to which unit. On a node without pods that name groups w.units is empty, and each pod is a
// unit by itself.

// findUnits lists the units that the preemptor may evict from the node, the most
// important first, and returns their pods.
func (w *DryRunner) findUnits() []*state.PodState {
	w.units, w.Unstarted = w.units[:0], false
	clear(w.seen)
	a, snap := w.A, w.snap
	for i, p := range w.N.Pods {
		u := dryUnit{UnitTerms: snap.Units.Of(p), Pods: w.N.Pods[i : i+1]}
		if u.Whole != nil {
			if w.seen[u.Whole] {
				continue // the unit was found with an earlier pod of the node
			}
			if w.seen == nil {
				w.seen = map[*state.WholeUnit]bool{}
			}
			w.seen[u.Whole], u.Pods = true, u.Whole.Pods
		}

		if a.MayEvictUnit(&u) {
			w.units = append(w.units, u)
		}
	}

	w.sortUnits()
	w.Far = len(w.units) > 0
	return w.sorted
}

// sortUnits sorts the units, and the pods of each, by importance, and lists all the pods in w.sorted.
func (w *DryRunner) sortUnits() {
	// The lists of pods belong to the snapshot or the node, and are copied before they are sorted. All are
	// copied before the first is sorted, because appending may move the list.
	w.gathered = w.gathered[:0]
	for i := range w.units {
		u, from := &w.units[i], len(w.gathered)
		w.gathered = append(w.gathered, u.Pods...)
		u.from, u.to = from, len(w.gathered)
	}
	for i := range w.units {
		u := &w.units[i]
		u.Pods = w.gathered[u.from:u.to]
		if len(u.Pods) > 1 {
			slices.SortFunc(u.Pods, w.A.MoreImportant)
		}
		u.start, w.Unstarted = w.A.earliest(u.Pods, w.Unstarted)
	}

	// Units are compared by their first pods and starts, so that their pods have to be sorted first. From
	// here on from and to are indexes among the possible victims.
	slices.SortFunc(w.units, func(u, v dryUnit) int { return w.A.compareUnits(&u, &v) })
	w.sorted = w.sorted[:0]
	for i := range w.units {
		u, from := &w.units[i], len(w.sorted)
		w.sorted = append(w.sorted, u.Pods...)
		u.from, u.to = from, len(w.sorted)
	}
}

// unitAt returns the unit of the possible victim with this index.
func (w *DryRunner) unitAt(i int) *dryUnit {
	at, found := slices.BinarySearchFunc(w.units, i, func(u dryUnit, i int) int { return cmp.Compare(u.from, i) })
	if !found {
		at--
	}
	return &w.units[at]
}

// unitStart returns the index of the first possible victim in the unit of the one at i, and unitEnd the index
// behind the last. The pods of a unit are consecutive. Without units each pod is its own.
func (w *DryRunner) unitStart(i int) int {
	if len(w.units) == 0 {
		return i
	}
	return w.unitAt(i).from
}

func (w *DryRunner) unitEnd(i int) int {
	if len(w.units) == 0 {
		return i + 1
	}
	return w.unitAt(i).to
}

// noteViolating marks the units with a pod that violates a budget (rule 12.8.4).
func (w *DryRunner) noteViolating() {
	for i := range w.units {
		u := &w.units[i]
		u.violates = slices.ContainsFunc(w.violated[u.from:u.to], func(n int) bool { return n > 0 })
	}
}

// markVictim marks a possible victim and all pods that leave together with it.
func (w *DryRunner) markVictim(i int) {
	for k, to := w.unitStart(i), w.unitEnd(i); k < to; k++ {
		w.Victim[k] = true
	}
}

// tellUnits fills in, for each victim, the priority of its unit, the group that it leaves with, and its node
// if that is another one. victims has the marked pods, in their order.
func (w *DryRunner) tellUnits(possible []*state.PodState, victims []preemption.Victim) {
	v := 0
	for i := range w.units {
		u := &w.units[i]
		if !w.Victim[u.from] {
			continue // a unit leaves or stays whole
		}

		for _, p := range possible[u.from:u.to] {
			victim := &victims[v]
			v++
			victim.Priority = u.Priority
			if u.Whole != nil {
				victim.Group, victim.Composite = u.Whole.Group, u.Whole.Composite
			}
			if p.At.Name != w.N.Name {
				victim.Node = p.At.Name
			}
		}
	}
}

// Possible lists the pods that the preemptor may evict from the entered node, the most important first. If
// they are units, it also sets w.units.
func (w *DryRunner) Possible() []*state.PodState {
	if w.A.HasUnits(w.N) {
		return w.findUnits()
	}

	// The node lists its pods by priority and start, so that the pods below the preemptor's priority are the
	// end of its list. If pods of any priority may leave, the whole list is needed.
	a, terms := w.A, w.terms
	variant := terms.ByVariant()
	pods := w.N.Possible(a.Asked.Priority, a.NowAt, &w.sorted)
	anywhere := variant.TakesUnprioritized || terms.Eligibility.AnyPriority
	if anywhere {
		pods = w.N.Pods
	}

	// The list is copied only if a rule removes pods from it or sorts them differently.
	ordered := terms.Importance == nil && !variant.IgnoresStart && !anywhere
	if terms.Eligibility.Take == nil && ordered && a.Resident == nil {
		return pods
	}
	w.sorted = slices.DeleteFunc(append(w.sorted[:0], pods...), func(p *state.PodState) bool { return !a.MayEvict(p) })
	if !ordered {
		slices.SortFunc(w.sorted, a.MoreImportant)
	}
	return w.sorted
}
