package dryrun

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
	Pods     []*state.PodState
	from, to int // in the possible victims
	violates bool
}

// HasUnits reports whether pods of the node may leave with others, or count with
// another priority than their own.
func (a *Attempt) HasUnits(n *state.NodeState) bool {
	return n.Grouped > 0 && a.Asked.Rules.VictimUnits
}

// findUnits lists the units that the preemptor may evict from the node, the most
// important first, and returns their pods.
func (w *DryRunner) findUnits() []*state.PodState {
	w.units, w.Unstarted = w.units[:0], false
	clear(w.seen)
	a := w.A
	for i, p := range w.N.Pods {
		u := dryUnit{UnitTerms: a.Asked.Snap.Units.Of(p), Pods: w.N.Pods[i : i+1]}
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

// earliest returns when the pod started that started first, and whether any of them has
// no start time.
func (a *Attempt) earliest(pods []*state.PodState, unstarted bool) (state.Importance, bool) {
	first := pods[0].Rank()
	for _, p := range pods {
		r := p.Rank()
		unstarted = unstarted || r.Sec == rank.NoStart
		if r.CompareStart(first, a.NowAt) < 0 {
			first = r
		}
	}
	return first, unstarted
}

// UnitOf returns the unit of a running pod, with its pods in order.
func (a *Attempt) UnitOf(p *state.PodState) *dryUnit {
	u := &dryUnit{UnitTerms: a.Asked.Snap.Units.Of(p), Pods: []*state.PodState{p}}
	if u.Whole != nil {
		u.Pods = slices.Clone(u.Whole.Pods)
		slices.SortFunc(u.Pods, a.MoreImportant)
	}
	u.start, _ = a.earliest(u.Pods, false)
	return u
}

// SortVictims puts victims on a node into the order of importance, unit by unit.
func (a *Attempt) SortVictims(n *state.NodeState, victims []*state.PodState) {
	if !a.HasUnits(n) {
		slices.SortFunc(victims, a.MoreImportant)
		return
	}
	units := make(map[*state.PodState]*dryUnit, len(victims))
	for _, p := range victims {
		units[p] = a.UnitOf(p)
	}
	slices.SortFunc(victims, func(p, q *state.PodState) int {
		return cmp.Or(a.compareUnits(units[p], units[q]), a.MoreImportant(p, q))
	})
}

// MayEvictUnit reports whether a unit could be a victim (rules 12.8.1, 12.8.9 and 12.8.10).
func (a *Attempt) MayEvictUnit(u *dryUnit) bool {
	if u.Priority >= a.Asked.Priority && !a.UnitOfAnyPriority(u) {
		return false
	}
	if a.Asked.Deferral.Resident != nil && slices.Contains(u.Pods, a.Asked.Deferral.Resident) {
		return false // never itself (rule 7.19.6)
	}
	return !slices.ContainsFunc(u.Pods, func(p *state.PodState) bool { return !a.Config.Allows(a.Asked.Pod, p.Pod) })
}

// UnitOfAnyPriority is OfAnyPriority for a unit.
func (a *Attempt) UnitOfAnyPriority(u *dryUnit) bool {
	return a.Config.unranked() || u.Rank == state.PodUnit && a.OfAnyPriority(u.Pods[0])
}

// compareUnits orders units by importance (group 12.7).
func (a *Attempt) compareUnits(u, v *dryUnit) int {
	if a.Config.Importance != nil {
		if c := a.Config.Importance(u.Pods[0].Pod, v.Pods[0].Pod); c != 0 {
			return c
		}
	}
	if c := cmp.Or(cmp.Compare(v.Priority, u.Priority), cmp.Compare(v.Rank, u.Rank), cmp.Compare(len(v.Pods), len(u.Pods))); c != 0 {
		return c
	}
	if !a.Config.ByVariant().IgnoresStart {
		if c := u.start.CompareStart(v.start, a.NowAt); c != 0 {
			return c
		}
	}
	un, vn := u.Pods[0].Pod.NamespaceName(), v.Pods[0].Pod.NamespaceName()
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
		return u.Pods[0].Pod.Name
	case u.Whole.Composite != nil:
		return u.Whole.Composite.Name
	}
	return u.Whole.Group.Name
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

// farFilter is a filter that follows pods on other nodes than the one that it is asked
// about.
type farFilter interface {
	filters.NodeFilter
	// ChangeFar follows a pod that is taken away from another node, or put back.
	ChangeFar(p *state.PodState, on *state.NodeState, by int)
}

// ChangeFar is change for a pod on another node, which leaves with one of the node, or keeps
// the preemptor away from afar (rules 12.8.2 and 23.6).
func (w *DryRunner) changeFar(p *state.PodState, by int) {
	on := w.A.Asked.Snap.NodeState(p.At.Name)
	for _, f := range w.Filters {
		if far, ok := f.(farFilter); ok {
			far.ChangeFar(p, on, by)
		}
	}
}

// markVictim marks a possible victim, and all that leave with it.
func (w *DryRunner) markVictim(i int) {
	for k, to := w.unitStart(i), w.unitEnd(i); k < to; k++ {
		w.Victim[k] = true
	}
}

// here lists the possible victims that are on the node itself.
func (w *DryRunner) here(possible []*state.PodState) []*state.PodState {
	if !w.Far {
		return possible
	}
	return slices.DeleteFunc(slices.Clone(possible), func(p *state.PodState) bool { return p.At.Name != w.N.Name })
}

// tellUnits says of the victims with whom they leave, and from which other node.
func (w *DryRunner) tellUnits(possible []*state.PodState, victims []decision.Victim) {
	v := 0
	for i := range w.units {
		u := &w.units[i]
		if !w.Victim[u.from] {
			continue
		}
		for _, p := range possible[u.from:u.to] {
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

// CheckAlone refuses a preemptor that does not preempt by itself (rule 12.8.8).
func CheckAlone(s *state.Snapshot, p *outrank.Pod) error {
	if s == nil || p == nil || !s.Rules.VictimUnits || p.Group == "" || filters.DeferralOf(s, p).Asked {
		return nil
	}
	return &outrank.InputError{Problems: []outrank.Problem{{
		Object: "pod " + string(p.Key()), Field: "spec.schedulingGroup.podGroupName",
		Text: "podgroup " + string(p.GroupKey()) + " preempts as a whole, and its pods do not by themselves: ask PreemptGroup",
	}}}
}
