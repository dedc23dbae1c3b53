package preemption

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/filters"
	"github.com/outrank-go/outrank/preemption/internal/rank"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// Where victims are units (rule 12.8.1), a dry run takes away, charges and puts back all
// pods of a unit together, on whatever node they are. The possible victims are then
// those pods, unit by unit, and w.units says from where to where each unit goes. On a
// node without pods that name groups there are none of these, and each pod stands for
// itself.

// dryUnit is a unit that could leave.
type dryUnit struct {
	state.UnitTerms
	start    state.Importance // of the pod that started first
	pods     []*state.PodState
	from, to int // in the possible victims
	violates bool
}

// HasUnits reports whether pods of the node may leave with others, or count with
// another priority than their own.
func (a *attempt) hasUnits(n *state.NodeState) bool { return n.Grouped > 0 && a.Rules.VictimUnits }

// findUnits lists the units that the preemptor may evict from the node, the most
// important first, and returns their pods.
func (w *dryRunner) findUnits() []*state.PodState {
	w.units, w.unstarted = w.units[:0], false
	clear(w.seen)
	a := w.a
	for i, p := range w.n.Pods {
		u := dryUnit{UnitTerms: a.Snap.Units.Of(p), pods: w.n.Pods[i : i+1]}
		if u.Whole != nil {
			if w.seen[u.Whole] {
				continue
			}
			if w.seen == nil {
				w.seen = map[*state.WholeUnit]bool{}
			}
			w.seen[u.Whole], u.pods = true, u.Whole.Pods
		}
		if a.mayEvictUnit(&u) {
			w.units = append(w.units, u)
		}
	}
	w.sortUnits()
	w.far = len(w.units) > 0
	return w.sorted
}

// sortUnits puts the units, and the pods of each, in order of importance, and lists the
// pods.
func (w *dryRunner) sortUnits() {
	w.gathered = w.gathered[:0]
	for i := range w.units {
		u, from := &w.units[i], len(w.gathered)
		w.gathered = append(w.gathered, u.pods...)
		u.from, u.to = from, len(w.gathered)
	}
	for i := range w.units {
		u := &w.units[i]
		u.pods = w.gathered[u.from:u.to]
		if len(u.pods) > 1 {
			slices.SortFunc(u.pods, w.a.moreImportant)
		}
		u.start, w.unstarted = w.a.earliest(u.pods, w.unstarted)
	}
	slices.SortFunc(w.units, func(u, v dryUnit) int { return w.a.compareUnits(&u, &v) })
	w.sorted = w.sorted[:0]
	for i := range w.units {
		u, from := &w.units[i], len(w.sorted)
		w.sorted = append(w.sorted, u.pods...)
		u.from, u.to = from, len(w.sorted)
	}
}

// earliest returns when the pod started that started first, and whether any of them has
// no start time.
func (a *attempt) earliest(pods []*state.PodState, unstarted bool) (state.Importance, bool) {
	first := pods[0].Rank()
	for _, p := range pods {
		r := p.Rank()
		unstarted = unstarted || r.Sec == rank.NoStart
		if r.CompareStart(first, a.nowAt) < 0 {
			first = r
		}
	}
	return first, unstarted
}

// unitOf returns the unit of a running pod, with its pods in order.
func (a *attempt) unitOf(p *state.PodState) *dryUnit {
	u := &dryUnit{UnitTerms: a.Snap.Units.Of(p), pods: []*state.PodState{p}}
	if u.Whole != nil {
		u.pods = slices.Clone(u.Whole.Pods)
		slices.SortFunc(u.pods, a.moreImportant)
	}
	u.start, _ = a.earliest(u.pods, false)
	return u
}

// sortVictims puts victims on a node into the order of importance, unit by unit.
func (a *attempt) sortVictims(n *state.NodeState, victims []*state.PodState) {
	if !a.hasUnits(n) {
		slices.SortFunc(victims, a.moreImportant)
		return
	}
	units := make(map[*state.PodState]*dryUnit, len(victims))
	for _, p := range victims {
		units[p] = a.unitOf(p)
	}
	slices.SortFunc(victims, func(p, q *state.PodState) int {
		return cmp.Or(a.compareUnits(units[p], units[q]), a.moreImportant(p, q))
	})
}

// mayEvictUnit reports whether a unit could be a victim (rules 12.8.1, 12.8.9 and 12.8.10).
func (a *attempt) mayEvictUnit(u *dryUnit) bool {
	if u.Priority >= a.Priority && !a.unitOfAnyPriority(u) {
		return false
	}
	if a.Deferral.Resident != nil && slices.Contains(u.pods, a.Deferral.Resident) {
		return false // never itself (rule 7.19.6)
	}
	return !slices.ContainsFunc(u.pods, func(p *state.PodState) bool { return !a.config.allows(a.Pod, p.Pod) })
}

// unitOfAnyPriority is ofAnyPriority for a unit.
func (a *attempt) unitOfAnyPriority(u *dryUnit) bool {
	return a.config.unranked() || u.Rank == state.PodUnit && a.ofAnyPriority(u.pods[0])
}

// compareUnits orders units by importance (group 12.7).
func (a *attempt) compareUnits(u, v *dryUnit) int {
	if a.config.Importance != nil {
		if c := a.config.Importance(u.pods[0].Pod, v.pods[0].Pod); c != 0 {
			return c
		}
	}
	if c := cmp.Or(cmp.Compare(v.Priority, u.Priority), cmp.Compare(v.Rank, u.Rank), cmp.Compare(len(v.pods), len(u.pods))); c != 0 {
		return c
	}
	if !a.config.variant().ignoresStart {
		if c := u.start.CompareStart(v.start, a.nowAt); c != 0 {
			return c
		}
	}
	un, vn := u.pods[0].Pod.NamespaceName(), v.pods[0].Pod.NamespaceName()
	if c := cmp.Or(cmp.Compare(un, vn), cmp.Compare(u.name(), v.name())); c != 0 || u.Whole == v.Whole {
		return c
	}
	if u.Whole != nil {
		return -1
	}
	return 1
}

// name is that of the group that leaves whole, or of the pod.
func (u *dryUnit) name() string {
	switch {
	case u.Whole == nil:
		return u.pods[0].Pod.Name
	case u.Whole.Composite != nil:
		return u.Whole.Composite.Name
	}
	return u.Whole.Group.Name
}

// unitAt returns the unit of the possible victim with this index.
func (w *dryRunner) unitAt(i int) *dryUnit {
	at, found := slices.BinarySearchFunc(w.units, i, func(u dryUnit, i int) int { return cmp.Compare(u.from, i) })
	if !found {
		at--
	}
	return &w.units[at]
}

// unitStart returns the first of the possible victims that leave together with the one at i,
// and unitEnd the one behind the last of them: they stand one after the other. A pod that
// leaves by itself is a unit of one.
func (w *dryRunner) unitStart(i int) int {
	if len(w.units) == 0 {
		return i
	}
	return w.unitAt(i).from
}

func (w *dryRunner) unitEnd(i int) int {
	if len(w.units) == 0 {
		return i + 1
	}
	return w.unitAt(i).to
}

// noteViolating marks the units with a pod that violates a budget (rule 12.8.4).
func (w *dryRunner) noteViolating() {
	for i := range w.units {
		u := &w.units[i]
		u.violates = slices.ContainsFunc(w.violated[u.from:u.to], func(n int) bool { return n > 0 })
	}
}

// farFilter is a filter that follows pods on other nodes than the one that it is asked
// about.
type farFilter interface {
	filters.NodeFilter
	// ChangeFar follows a pod that is taken away from another node, or put back.
	ChangeFar(p *state.PodState, on *state.NodeState, by int)
}

// ChangeFar is change for a pod on another node, which leaves with one of the node, or keeps
// the preemptor away from afar (rules 12.8.2 and 23.6).
func (w *dryRunner) changeFar(p *state.PodState, by int) {
	on := w.a.Snap.NodeState(p.At.Name)
	for _, f := range w.filters {
		if far, ok := f.(farFilter); ok {
			far.ChangeFar(p, on, by)
		}
	}
}

// markVictim marks a possible victim, and all that leave with it.
func (w *dryRunner) markVictim(i int) {
	for k, to := w.unitStart(i), w.unitEnd(i); k < to; k++ {
		w.victim[k] = true
	}
}

// here lists the possible victims that are on the node itself.
func (w *dryRunner) here(possible []*state.PodState) []*state.PodState {
	if !w.far {
		return possible
	}
	return slices.DeleteFunc(slices.Clone(possible), func(p *state.PodState) bool { return p.At.Name != w.n.Name })
}

// tellUnits says of the victims with whom they leave, and from which other node.
func (w *dryRunner) tellUnits(possible []*state.PodState, victims []decision.Victim) {
	v := 0
	for i := range w.units {
		u := &w.units[i]
		if !w.victim[u.from] {
			continue
		}
		for _, p := range possible[u.from:u.to] {
			if u.Whole != nil {
				victims[v].Group, victims[v].Composite = u.Whole.Group, u.Whole.Composite
			}
			if p.At.Name != w.n.Name {
				victims[v].Node = p.At.Name
			}
			v++
		}
	}
}

// checkAlone refuses a preemptor that does not preempt by itself (rule 12.8.8).
func checkAlone(s *state.Snapshot, p *outrank.Pod) error {
	if s == nil || p == nil || !s.Rules.VictimUnits || p.Group == "" || filters.DeferralOf(s, p).Asked {
		return nil
	}
	return &outrank.InputError{Problems: []outrank.Problem{{
		Object: "pod " + string(p.Key()), Field: "spec.schedulingGroup.podGroupName",
		Text: "podgroup " + string(p.GroupKey()) + " preempts as a whole, and its pods do not by themselves: ask PreemptGroup",
	}}}
}
