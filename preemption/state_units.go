package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Where the release has it (rule 12.6.1), victims are units: a pod leaves by itself,
// or together with all running pods of its group, or of the groups below a composite
// group. The snapshot then knows the running pods of each group that any of them
// names, what the group and those above it make of them (groupFate), and the pods of
// each unit of several groups or pods (wholeUnit). All of it follows the changes: that
// of a pod costs a step in two lists, that of a group or a composite group its running
// pods and those on their nodes. Where the release has no units, or no pod names a
// group, nothing is kept. Running pods are those on nodes that exist.
//
// The layers above ask unitIndex.of about a pod, each for all units that are more than a
// pod by itself, and members for the running pods of a group.

// unitRank is the kind of a unit, which tells in importance (rule 12.7.2).
type unitRank uint8

const (
	podUnit   unitRank = 1 + iota
	groupUnit          // also a single pod that names a group
	compositeUnit
)

// unitTerms is what a running pod counts as where it may be a victim.
type unitTerms struct {
	priority int32
	rank     unitRank
	// whole is the unit that the pod leaves with, nil where it leaves by itself.
	whole *wholeUnit
}

// wholeUnit is all running pods below a group of pods or a composite group of the mode
// all. There is one for each that has any. It is not to be changed.
type wholeUnit struct {
	owner *owner
	// name is "podgroup NAMESPACE/NAME" or "compositepodgroup NAMESPACE/NAME". One of
	// group and composite is set.
	name      string
	group     *outrank.PodGroup
	composite *outrank.CompositePodGroup
	// priority is that of the topmost group above.
	priority int32
	// pods are sorted by importance, a missing start counting as later than any.
	pods []*podState
	// groups are the keys of the groups that the pods name, sorted.
	groups []string
}

// rank is the kind of the unit.
func (u *wholeUnit) rank() unitRank {
	if u.composite != nil {
		return compositeUnit
	}
	return groupUnit
}

// unitIndex is what a snapshot knows of units.
type unitIndex struct {
	groups sharedIndex[*groupState] // by the group's key; those with running pods
	wholes sharedIndex[*wholeUnit]  // by name
	// below has the keys of the groups, sorted, that asked for a composite group on
	// their way up, by its key, whether it is there or not.
	below sharedIndex[[]string]
	// stale are the units that have changed, and moved the pods that count otherwise,
	// since the snapshot looked last: their nodes may answer otherwise.
	stale []*wholeUnit
	moved []*podState
}

// groupObjects are the groups of a snapshot.
type groupObjects struct {
	groups     sharedIndex[*outrank.PodGroup]          // by key
	composites sharedIndex[*outrank.CompositePodGroup] // by key
	// leveled: composite groups count.
	leveled bool
}

func newUnitIndex() unitIndex {
	return unitIndex{groups: newSharedIndex[*groupState](0), wholes: newSharedIndex[*wholeUnit](0), below: newSharedIndex[[]string](0)}
}

func (x *unitIndex) share() unitIndex {
	return unitIndex{groups: x.groups.share(), wholes: x.wholes.share(), below: x.below.share()}
}

func (x *unitIndex) view() unitIndex {
	return unitIndex{groups: x.groups.view(), wholes: x.wholes.view(), below: x.below.view()}
}

// of says what a pod on a node that exists counts as. Time is constant.
func (x *unitIndex) of(p *podState) unitTerms {
	t := unitTerms{priority: p.priority(), rank: podUnit}
	if p.class.group == "" {
		return t
	}
	t.rank = groupUnit
	if g, ok := x.groups.get(p.class.group); ok && g.fate.group != nil {
		t.priority = g.fate.priority
		if g.fate.whole != "" {
			t.whole, _ = x.wholes.get(g.fate.whole)
			t.priority, t.rank = t.whole.priority, t.whole.rank()
		}
	}
	return t
}

// each goes through the units of whole groups, in no particular order.
func (x *unitIndex) each(f func(u *wholeUnit)) {
	x.wholes.each(func(_ string, u *wholeUnit) { f(u) })
}

// members lists the running pods of a group by importance. The slice is not to be
// changed.
func (x *unitIndex) members(group outrank.Key) []*podState {
	if g, ok := x.groups.get(string(group)); ok {
		return g.pods
	}
	return nil
}

// groupState is a group with running pods.
type groupState struct {
	owner *owner
	pods  []*podState // by importance
	fate  groupFate
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
	g, ok := s.groups.get(key)
	if !ok {
		return groupFate{}
	}
	f := groupFate{group: g, priority: orZero(g.Priority)}
	if g.Disruption == outrank.DisruptPodGroup {
		f.whole = "podgroup " + key
	}
	if !s.leveled {
		return f
	}
	at := g.ParentKey()
	for i := range f.above {
		f.above[i] = at
		c, ok := s.composites.get(string(at))
		if !ok {
			break
		}
		f.priority = orZero(c.Priority)
		if c.Disruption == outrank.DisruptPodGroup {
			f.whole, f.composite = "compositepodgroup "+string(at), c
		}
		at = c.ParentKey()
	}
	return f
}

func orZero(priority *int32) int32 {
	if priority == nil {
		return 0
	}
	return *priority
}

// load finds the units of pods that run, all at once.
func (x *unitIndex) load(pods []*podState, all *groupObjects, o *owner) {
	for _, p := range pods {
		g := x.writableGroup(p.class.group, o)
		g.pods = append(g.pods, p)
	}
	x.groups.each(func(key string, g *groupState) {
		slices.SortFunc(g.pods, func(p, q *podState) int { return p.compare(q, rank.Never) })
		if u := x.tie(key, g, all.fateOf(key), o); u != nil {
			u.pods = append(u.pods, g.pods...)
		}
	})
	x.each(func(u *wholeUnit) {
		slices.SortFunc(u.pods, func(p, q *podState) int { return p.compare(q, rank.Never) })
	})
	x.stale, x.moved = nil, nil
}

// flagsOf tells what units make of a node with pods that name groups.
func (x *unitIndex) flagsOf(n *nodeState) summaryFlags {
	if n.node == nil {
		return 0
	}
	flags := hasUnits
	for _, p := range n.pods {
		if x.of(p).priority != p.priority() {
			flags |= otherPriorities
		}
	}
	return flags
}
