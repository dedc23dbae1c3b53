package state

import (
	"github.com/outrank-go/outrank"
)

// If the release has units of victims (rule 12.6.1), a pod leaves by itself, or together with all running
// pods of its group or of the groups below a composite group. The snapshot then keeps three things:
//
//   - the running pods of each group (GroupState);
//   - the fate of these pods: the unit and the priority that the group and those above it give them
//     (groupFate);
//   - the pods of each unit that is a whole group or composite group (WholeUnit).
//
// A change of a pod costs an insertion into two lists. A change of a group or a composite group takes time
// linear in its running pods and in all pods on their nodes. If the release has no units, or no pod names a
// group, nothing is kept. Running pods are those on nodes that exist (rule 12.6.7).
//
// Other packages call unitIndex.Of for a pod, Each for all units of whole groups, and Members for the running
// pods of a group.

// UnitRank is the kind of a unit. It decides between units of the same priority (rule 12.7.2).
type UnitRank uint8

// The kinds of units, the least important first.
const (
	PodUnit   UnitRank = 1 + iota
	GroupUnit          // a whole group, or a single pod that names a group
	CompositeUnit
)

// UnitTerms says by which priority and in which unit a running pod counts as a victim.
type UnitTerms struct {
	Priority int32
	Rank     UnitRank
	// Whole is the unit that the pod leaves with, nil if it leaves by itself.
	Whole *WholeUnit
}

// WholeUnit is the unit of all running pods of a group, or below a composite group, whose disruption mode is
// that all leave together (rules 12.6.3 and 12.6.4). There is none without running pods. Callers must not
// change it.
type WholeUnit struct {
	owner *Owner
	// Name is "podgroup NAMESPACE/NAME" or "compositepodgroup NAMESPACE/NAME". Either Group
	// or Composite is set.
	Name      string
	Group     *outrank.PodGroup
	Composite *outrank.CompositePodGroup
	// Priority is the priority of the topmost group above the unit (rule 12.6.5).
	Priority int32
	// Pods are sorted by importance, a missing start counting as later than any.
	Pods []*PodState
	// Groups has the keys of the groups that the pods name, sorted.
	Groups []string
}

// rank returns the kind of the unit.
func (u *WholeUnit) rank() UnitRank {
	if u.Composite != nil {
		return CompositeUnit
	}
	return GroupUnit
}

// unitIndex finds the running pods of groups and their units.
type unitIndex struct {
	Groups sharedIndex[*GroupState] // by key; only groups with running pods
	wholes sharedIndex[*WholeUnit]  // by name
	// Below lists, by the key of a composite group, the keys of the groups below it, sorted. The composite
	// group itself may be unknown.
	Below sharedIndex[[]string]
	// stale lists the units that have changed since followUnits ran last, and moved the pods whose unit or
	// priority has. The answers about the nodes of both may have changed.
	stale []*WholeUnit
	moved []*PodState
}

// groupObjects has the groups and composite groups of a snapshot.
type groupObjects struct {
	byKey      sharedIndex[*outrank.PodGroup]          // by key
	composites sharedIndex[*outrank.CompositePodGroup] // by key
	// leveled says that composite groups count (rule 12.6.4).
	leveled bool
}

// share returns a copy. From then on neither side writes a part that both have.
func (s *groupObjects) share() groupObjects {
	return groupObjects{s.byKey.Share(), s.composites.Share(), s.leveled}
}

// view returns a copy that writes nothing of the original; see sharedIndex.view.
func (s *groupObjects) view() groupObjects {
	return groupObjects{s.byKey.view(), s.composites.view(), s.leveled}
}

func newUnitIndex() unitIndex {
	return unitIndex{Groups: NewSharedIndex[*GroupState](0), wholes: NewSharedIndex[*WholeUnit](0), Below: NewSharedIndex[[]string](0)}
}

// share returns a copy. From then on neither side writes a part that both have.
func (x *unitIndex) share() unitIndex {
	return unitIndex{Groups: x.Groups.Share(), wholes: x.wholes.Share(), Below: x.Below.Share()}
}

// view returns a copy that writes nothing of the original; see sharedIndex.view.
func (x *unitIndex) view() unitIndex {
	return unitIndex{Groups: x.Groups.view(), wholes: x.wholes.view(), Below: x.Below.view()}
}

// Of returns how a pod on an existing node counts as a victim. Time is constant.
func (x *unitIndex) Of(p *PodState) UnitTerms {
	t := UnitTerms{Priority: p.Priority(), Rank: PodUnit}
	if p.Class.Group == "" {
		return t
	}

	// A pod that names an unknown group keeps its own priority (rule 12.6.2), but still ranks as a group
	// (rule 12.7.2).
	t.Rank = GroupUnit
	if g, ok := x.Groups.Get(p.Class.Group); ok && g.Fate.group != nil {
		t.Priority = g.Fate.priority
		if g.Fate.whole != "" {
			t.Whole, _ = x.wholes.Get(g.Fate.whole)
			t.Priority, t.Rank = t.Whole.Priority, t.Whole.rank()
		}
	}
	return t
}

// Each calls f for every WholeUnit, in no particular order.
func (x *unitIndex) Each(f func(u *WholeUnit)) {
	x.wholes.Each(func(_ string, u *WholeUnit) { f(u) })
}

// Members lists the running pods of a group by importance. Callers must not change the slice.
func (x *unitIndex) Members(group outrank.Key) []*PodState {
	if g, ok := x.Groups.Get(string(group)); ok {
		return g.Pods
	}
	return nil
}

// GroupState is a group with running pods.
type GroupState struct {
	owner *Owner
	Pods  []*PodState // by importance
	Fate  groupFate
}

// groupFate says how the pods of a group leave and by which priority. It follows from the group and those
// above it.
type groupFate struct {
	group     *outrank.PodGroup          // nil if the group is unknown
	composite *outrank.CompositePodGroup // the composite group that makes the unit; nil if the group does, or nothing
	priority  int32                      // priority of the topmost group above
	whole     string                     // name of the unit, empty if each pod leaves by itself
	// above has the keys of the composite groups above, the lowest first. The last one may be unknown.
	above [outrank.MaxGroupLevels - 1]outrank.Key
}

// fateOf works out the fate of a group by going up to the topmost group above it (rules 12.6.2 to 12.6.4).
func (s *groupObjects) fateOf(key string) groupFate {
	g, ok := s.byKey.Get(key)
	if !ok {
		return groupFate{}
	}

	f := groupFate{group: g, priority: OrZero(g.Priority)}
	if g.DisruptionMode == outrank.DisruptPodGroup {
		f.whole = "podgroup " + key
	}
	if !s.leveled {
		return f
	}

	// Each composite group overrides those below it: the topmost gives the priority, and the highest whose
	// pods all leave together makes the unit. The way up ends at an unknown parent, and at the largest number
	// of levels (rule 12.6.6).
	at := g.ParentKey()
	for i := range f.above {
		f.above[i] = at
		c, ok := s.composites.Get(string(at))
		if !ok {
			break
		}

		f.priority = OrZero(c.Priority)
		if c.DisruptionMode == outrank.DisruptPodGroup {
			f.whole, f.composite = "compositepodgroup "+string(at), c
		}
		at = c.ParentKey()
	}
	return f
}

// OrZero returns the priority of a group, 0 if it has none (rule 12.6.2).
func OrZero(priority *int32) int32 {
	if priority == nil {
		return 0
	}
	return *priority
}

// flagsOf returns the unit flags for the summary of a node with pods that name groups. Pods on a node that
// does not exist are in no unit.
func (x *unitIndex) flagsOf(n *NodeState) SummaryFlags {
	if n.Node == nil {
		return 0
	}
	flags := HasUnits
	for _, p := range n.Pods {
		if x.Of(p).Priority != p.Priority() {
			flags |= OtherPriorities
		}
	}
	return flags
}
