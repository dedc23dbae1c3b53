package dryrun

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Where victims are units (rule 12.8.1), a dry run takes away, charges and puts back all
// pods of a unit together, on whatever node they are. The possible victims are then
// those pods, unit by unit, and w.units says from where to where each unit goes. On a
// node without pods that name groups there are none of these, and each pod stands for
// itself.

// findUnits lists the units that the preemptor may evict from the node, the most
// important first, and returns their pods.
func (w *DryRunner) findUnits() []*state.PodState {
	w.units, w.Unstarted = w.units[:0], false
	clear(w.seen)
	a := w.A
	for i, p := range w.N.Pods {
		u := dryUnit{UnitTerms: a.Snap.Units.Of(p), Pods: w.N.Pods[i : i+1]}
		if u.Whole != nil {
			if w.seen[u.Whole] {
				continue
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

// sortUnits puts the units, and the pods of each, in order of importance, and lists the
// pods.
func (w *DryRunner) sortUnits() {
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

// unitStart returns the first of the possible victims that leave together with the one at i,
// and unitEnd the one behind the last of them: they stand one after the other. A pod that
// leaves by itself is a unit of one.
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

// markVictim marks a possible victim, and all that leave with it.
func (w *DryRunner) markVictim(i int) {
	for k, to := w.unitStart(i), w.unitEnd(i); k < to; k++ {
		w.Victim[k] = true
	}
}

// tellUnits notes for each victim the group that it leaves with, and its node if that is
// another one.
func (w *DryRunner) tellUnits(possible []*state.PodState, victims []preemption.Victim) {
	v := 0
	for i := range w.units {
		u := &w.units[i]
		if !w.Victim[u.from] {
			continue
		}
		for _, p := range possible[u.from:u.to] {
			victims[v].Priority = u.Priority
			if u.Whole != nil {
				victims[v].Group, victims[v].Composite = u.Whole.Group, u.Whole.Composite
			}
			if p.At.Name != w.N.Name {
				victims[v].Node = p.At.Name
			}
			v++
		}
	}
}

// Possible lists the pods that the preemptor may evict, the most important
// first. Where they are units, w.units has these.
func (w *DryRunner) Possible() []*state.PodState {
	if w.A.HasUnits(w.N) {
		return w.findUnits()
	}
	pods := w.N.Possible(w.A.Asked.Priority, w.A.NowAt, &w.sorted)
	variant := w.terms.ByVariant()
	unordered := variant.TakesUnprioritized || w.terms.Eligibility.AnyPriority
	if unordered {
		pods = w.N.Pods
	}
	ordered := w.terms.Importance == nil && !variant.IgnoresStart && !unordered
	if w.terms.Eligibility.Take == nil && ordered && w.A.Resident == nil {
		return pods
	}
	w.sorted = slices.DeleteFunc(append(w.sorted[:0], pods...), func(p *state.PodState) bool { return !w.A.MayEvict(p) })
	if !ordered {
		slices.SortFunc(w.sorted, w.A.MoreImportant)
	}
	return w.sorted
}
