package dryrun

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

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

// UnitOf returns the unit of a running pod, with its pods in order.
func (a *Attempt) UnitOf(p *state.PodState) *dryUnit {
	u := &dryUnit{UnitTerms: a.Snap.Units.Of(p), Pods: []*state.PodState{p}}
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
	if u.Priority >= a.Asked.Priority && !a.Config.UnitOfAnyPriority(u) {
		return false
	}
	if a.Resident != nil && slices.Contains(u.Pods, a.Resident) {
		return false // never itself (rule 7.19.6)
	}
	return !slices.ContainsFunc(u.Pods, func(p *state.PodState) bool { return !a.Config.Allows(a.Pod, p.Pod) })
}

// UnitOfAnyPriority is OfAnyPriority for a unit.
func (c *Terms) UnitOfAnyPriority(u *dryUnit) bool {
	return c.Eligibility.AnyPriority || u.Rank == state.PodUnit && c.OfAnyPriority(u.Pods[0])
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
