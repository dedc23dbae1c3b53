package state

import (
	"github.com/outrank-go/outrank"
)

// Where the release has it (rule 12.6.1), victims are units: a pod leaves by itself,
// or together with all running pods of its group, or of the groups below a composite
// group. The snapshot then knows the running pods of each group that any of them
// names, what the group and those above it make of them (groupFate), and the pods of
// each unit of several groups or pods (WholeUnit). All of it follows the changes: that
// of a pod costs a step in two lists, that of a group or a composite group its running
// pods and those on their nodes. Where the release has no units, or no pod names a
// group, nothing is kept. Running pods are those on nodes that exist.
//
// The layers above ask unitIndex.of about a pod, each for all units that are more than a
// pod by itself, and members for the running pods of a group.

// UnitRank is the kind of a unit, which tells in importance (rule 12.7.2).
type UnitRank uint8

// The kinds, the least important first.
const (
	PodUnit   UnitRank = 1 + iota
	GroupUnit          // also a single pod that names a group
	CompositeUnit
)

// UnitTerms is what a running pod counts as where it may be a victim.
type UnitTerms struct {
	Priority int32
	Rank     UnitRank
	// Whole is the unit that the pod leaves with, nil where it leaves by itself.
	Whole *WholeUnit
}

// WholeUnit is all running pods below a group of pods or a composite group of the mode
// all. There is one for each that has any. It is not to be changed.
type WholeUnit struct {
	owner *Owner
	// Name is "podgroup NAMESPACE/NAME" or "compositepodgroup NAMESPACE/NAME". One of
	// group and composite is set.
	Name      string
	Group     *outrank.PodGroup
	Composite *outrank.CompositePodGroup
	// Priority is that of the topmost group above.
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

// unitIndex is what a snapshot knows of units.
type unitIndex struct {
	Groups sharedIndex[*GroupState] // by the group's key; those with running pods
	wholes sharedIndex[*WholeUnit]  // by name
	// Below has the keys of the groups, sorted, that asked for a composite group on
	// their way up, by its key, whether it is there or not.
	Below sharedIndex[[]string]
	// stale lists the units that have changed since the snapshot looked last, and moved the
	// pods that count in another way since then. The answers of their nodes may have changed.
	stale []*WholeUnit
	moved []*PodState
}

// groupObjects are the groups of a snapshot.
type groupObjects struct {
	byKey      sharedIndex[*outrank.PodGroup]          // by key
	composites sharedIndex[*outrank.CompositePodGroup] // by key
	// leveled is set if composite groups count.
	leveled bool
}

func (s *groupObjects) share() groupObjects {
	return groupObjects{s.byKey.Share(), s.composites.Share(), s.leveled}
}

func (s *groupObjects) view() groupObjects {
	return groupObjects{s.byKey.view(), s.composites.view(), s.leveled}
}

func newUnitIndex() unitIndex {
	return unitIndex{Groups: NewSharedIndex[*GroupState](0), wholes: NewSharedIndex[*WholeUnit](0), Below: NewSharedIndex[[]string](0)}
}

func (x *unitIndex) share() unitIndex {
	return unitIndex{Groups: x.Groups.Share(), wholes: x.wholes.Share(), Below: x.Below.Share()}
}

func (x *unitIndex) view() unitIndex {
	return unitIndex{Groups: x.Groups.view(), wholes: x.wholes.view(), Below: x.Below.view()}
}

// Of says what a pod on a node that exists counts as. Time is constant.
func (x *unitIndex) Of(p *PodState) UnitTerms {
	t := UnitTerms{Priority: p.Priority(), Rank: PodUnit}
	if p.Class.Group == "" {
		return t
	}
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

// Each goes through the units of whole groups, in no particular order.
func (x *unitIndex) Each(f func(u *WholeUnit)) {
	x.wholes.Each(func(_ string, u *WholeUnit) { f(u) })
}

// Members lists the running pods of a group by importance. The slice is not to be
// changed.
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

// groupFate is what a group and those above it make of its pods.
type groupFate struct {
	group     *outrank.PodGroup          // nil for one that is not known
	composite *outrank.CompositePodGroup // the unit, where it is not the group
	priority  int32                      // of the topmost group above
	whole     string                     // the name of the unit, empty for single pods
	above     [outrank.MaxGroupLevels - 1]outrank.Key
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

// OrZero returns a priority, 0 where there is none.
func OrZero(priority *int32) int32 {
	if priority == nil {
		return 0
	}
	return *priority
}

// flagsOf tells what units make of a node with pods that name groups.
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
