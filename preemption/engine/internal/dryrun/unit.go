package dryrun

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// dryUnit is a unit of victims in a dry run (rule 12.8.1).
type dryUnit struct {
	state.UnitTerms
	// start is the sort key of the pod that started first.
	start state.Importance
	Pods  []*state.PodState
	// from and to delimit its pods among the possible victims.
	from, to int
	// violates is set if any of its pods violates a budget (rule 12.8.4).
	violates bool
}

// HasUnits reports whether pods of the node may have to leave with others, or count by another priority than
// their own.
func (a *Attempt) HasUnits(n *state.NodeState) bool {
	asked := &a.Asked
	return n.Grouped > 0 && asked.Rules.VictimUnits
}

// UnitOf returns the unit of a running pod, with the unit's pods in order of importance.
func (a *Attempt) UnitOf(p *state.PodState) *dryUnit {
	snap := a.Snap
	u := &dryUnit{UnitTerms: snap.Units.Of(p), Pods: []*state.PodState{p}}
	if u.Whole != nil {
		u.Pods = slices.Clone(u.Whole.Pods)
		slices.SortFunc(u.Pods, a.MoreImportant)
	}
	u.start, _ = a.earliest(u.Pods, false)
	return u
}

// SortVictims sorts the victims on a node by importance: units by the importance of units, and pods within
// each unit.
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

// MayEvictUnit reports whether a unit may be a victim (rules 12.8.1, 12.8.9 and 12.8.10).
func (a *Attempt) MayEvictUnit(u *dryUnit) bool {
	if u.Priority >= a.Asked.Priority && !a.Config.UnitOfAnyPriority(u) {
		return false
	}
	if a.Resident != nil && slices.Contains(u.Pods, a.Resident) {
		return false // a pod is never its own victim, and neither is its unit (rule 7.19.6)
	}
	return !slices.ContainsFunc(u.Pods, func(p *state.PodState) bool { return !a.Config.Allows(a.Pod, p.Pod) })
}

// UnitOfAnyPriority reports whether a unit may be a victim regardless of its priority. The rule about pods
// without a priority applies only to pods that name no group (rule 12.8.10).
func (c *Terms) UnitOfAnyPriority(u *dryUnit) bool {
	return c.Eligibility.AnyPriority || u.Rank == state.PodUnit && c.OfAnyPriority(u.Pods[0])
}

// compareUnits orders units by importance (group 12.7): negative if u is more important. The pods of both
// must be sorted.
func (a *Attempt) compareUnits(u, v *dryUnit) int {
	up, vp := u.Pods[0].Pod, v.Pods[0].Pod
	if a.Config.Importance != nil {
		if c := a.Config.Importance(up, vp); c != 0 {
			return c // rule 12.7.6
		}
	}

	// Rules 12.7.1 to 12.7.4, without the start if the variant ignores it.
	if c := cmp.Or(cmp.Compare(v.Priority, u.Priority), cmp.Compare(v.Rank, u.Rank), cmp.Compare(len(v.Pods), len(u.Pods))); c != 0 {
		return c
	}
	if !a.Config.ByVariant().IgnoresStart {
		if c := u.start.CompareStart(v.start, a.NowAt); c != 0 {
			return c
		}
	}

	// Rule 12.7.5: names settle the rest. If a group and a pod have the same name, the group comes first.
	if c := cmp.Or(cmp.Compare(up.NamespaceName(), vp.NamespaceName()), cmp.Compare(u.name(), v.name())); c != 0 || u.Whole == v.Whole {
		return c
	}
	if u.Whole != nil {
		return -1
	}
	return 1
}

// earliest returns the sort key of the pod that started first. The second result is unstarted, or true if a
// pod has no start time.
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

// name returns the name of the group or composite group that leaves whole, or of the single pod.
func (u *dryUnit) name() string {
	whole := u.Whole
	switch {
	case whole == nil:
		return u.Pods[0].Pod.Name
	case whole.Composite != nil:
		return whole.Composite.Name
	}
	return whole.Group.Name
}

// CheckAlone returns an error for a pod of a group, because groups preempt only as a whole (rule 12.8.8). A
// pod that asks for room for its resize is allowed (rule 7.19.8).
func CheckAlone(s *state.Snapshot, p *outrank.Pod) error {
	if p == nil || !s.Rules.VictimUnits || p.Group == "" || filters.DeferralOf(s, p).Asked {
		return nil
	}
	return &outrank.InputError{Problems: []outrank.Problem{{
		Object: "pod " + string(p.Key()), Field: "spec.schedulingGroup.podGroupName",
		Text: "podgroup " + string(p.GroupKey()) + " preempts as a whole, and its pods do not by themselves: ask PreemptGroup",
	}}}
}
