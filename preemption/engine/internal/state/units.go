package state

import (
	"github.com/outrank-go/outrank"
)

// Where the release has units of victims (rule 12.6.1), a pod leaves by itself,
// or together with all running pods of its group, or of the groups below a composite
// group. The snapshot then keeps three things:
//
//   - the running pods of each group that any of them names (GroupState);
//   - the fate of these pods: the unit and the priority that the group and those above it
//     give them (groupFate);
//   - the pods of each unit of a whole group or composite group (WholeUnit).
//
// All of it follows the changes. A change of a pod costs a step in two lists. A change of
// a group or a composite group costs time for its running pods and for all pods on their nodes.
// Where the release has no units, or no pod names a group, nothing is kept. Running pods
// are those on nodes that exist (rule 12.6.7).
//
// The layers above ask unitIndex.Of about a pod, Each for all units of whole groups, and
// Members for the running pods of a group.

// UnitRank is the kind of a unit. It decides between units of one priority (rule 12.7.2).
type UnitRank uint8

// The kinds of units, the least important first.
const (
	PodUnit   UnitRank = 1 + iota
	GroupUnit          // also a single pod that names a group
	CompositeUnit
)

// UnitTerms says with which priority, and in which unit, a running pod may be a victim.
type UnitTerms struct {
	Priority int32
	Rank     UnitRank
	// Whole is the unit that the pod leaves with, nil where it leaves by itself.
	Whole *WholeUnit
}

// WholeUnit is the unit of all running pods below one group or composite group of the mode all
// (rules 12.6.3 and 12.6.4). A group without running pods has none. Callers must not change it.
type WholeUnit struct {
	owner *Owner
	// Name is "podgroup NAMESPACE/NAME" or "compositepodgroup NAMESPACE/NAME". Either Group
	// or Composite is set.
	Name      string
	Group     *outrank.PodGroup
	Composite *outrank.CompositePodGroup
	// Priority is the priority of the topmost group above (rule 12.6.5).
	Priority int32
	// Pods are sorted by importance, a missing start counting as later than any.
	Pods []*PodState
	// Groups are the keys of the groups that the pods name, sorted.
	Groups []string
}

// rank is the kind of the unit.
func (u *WholeUnit) rank() UnitRank {
	if u.Composite != nil {
		return CompositeUnit
	}
	return GroupUnit
}

// unitIndex finds the running pods of groups, and their units.
type unitIndex struct {
	Groups sharedIndex[*GroupState] // by the group's key; those with running pods
	wholes sharedIndex[*WholeUnit]  // by name
	// Below lists, by the key of a composite group, the keys of the groups whose way up asks for
	// it, sorted. The composite group itself may be unknown.
	Below sharedIndex[[]string]
	// stale lists the units that have changed since followUnits ran last, and moved the pods whose
	// unit or priority has. The answers of their nodes may have changed.
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

// share returns a copy. From then on neither side writes what both have.
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

// share returns a copy. From then on neither side writes what both have.
func (x *unitIndex) share() unitIndex {
	return unitIndex{Groups: x.Groups.Share(), wholes: x.wholes.Share(), Below: x.Below.Share()}
}

// view returns a copy that writes nothing of the original; see sharedIndex.view.
func (x *unitIndex) view() unitIndex {
	return unitIndex{Groups: x.Groups.view(), wholes: x.wholes.view(), Below: x.Below.view()}
}

// Of returns the terms on which a pod on a node that exists may be a victim. Time is constant.
func (x *unitIndex) Of(p *PodState) UnitTerms {
	t := UnitTerms{Priority: p.Priority(), Rank: PodUnit}
	if p.Class.Group == "" {
		return t
	}

	// A pod that names a group which is not known keeps its own priority (rule 12.6.2), and ranks as a
	// group all the same (rule 12.7.2).
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

// Each calls f for every unit of a whole group or composite group, in no particular order.
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

// groupFate says how the pods of a group may leave, by the group and those above it.
type groupFate struct {
	group     *outrank.PodGroup          // nil for one that is not known
	composite *outrank.CompositePodGroup // makes the unit; nil where the group does, or no one
	priority  int32                      // of the topmost group above
	whole     string                     // the name of the unit, empty where each pod leaves by itself
	// above has the keys of the composite groups that the way up asked for, the lowest first. The
	// last one may be unknown.
	above [outrank.MaxGroupLevels - 1]outrank.Key
}

// fateOf goes up from a group to the topmost one above it (rules 12.6.2 to 12.6.4).
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

	// Each composite group on the way up takes the place of those below it: the topmost decides on the
	// priority, and the highest of the mode all on the unit. A parent that is not there ends the way up,
	// and so does the number of levels (rule 12.6.6).
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

// OrZero returns the priority of a group, 0 where it has none (rule 12.6.2).
func OrZero(priority *int32) int32 {
	if priority == nil {
		return 0
	}
	return *priority
}

// flagsOf returns the flags about units for the summary of a node whose pods name groups. Pods on a
// node that does not exist are in no unit.
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
