package reference

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
)

// unit is a set of pods that leave together: a single pod, or all running pods of
// a group or of a tree of groups (group 12.6).
type unit struct {
	// whole names the group that leaves whole, composite that it is a composite one;
	// empty for a single pod.
	whole     outrank.Key
	composite bool
	// pods are in order of importance.
	pods     []*outrank.Pod
	priority int32
	rank     int
}

// The ranks of units: the higher one is the more important, where the priorities are
// equal (rule 12.7.2).
const (
	rankPod = iota + 1
	rankGroup
	rankComposite
)

// units parts all pods on nodes that exist into units, in the order of the nodes and
// of the first pod of each. The pods of a unit agree in its priority, unless the tree has
// too many levels: then the highest counts (rule 12.6.6).
func (a *attempt) units() []*unit {
	var units []*unit
	for _, n := range a.cluster.Nodes {
		for _, p := range a.running[n.Name] {
			u := a.unitAlone(p)
			together := func(v *unit) bool { return v.whole == u.whole && v.composite == u.composite }
			with := -1
			if u.whole != "" {
				with = slices.IndexFunc(units, together)
			}
			if with < 0 {
				units = append(units, u)
			} else {
				units[with].pods = append(units[with].pods, p)
				units[with].priority = max(units[with].priority, u.priority)
			}
		}
	}
	for _, u := range units {
		a.sortByImportance(u.pods)
	}
	return units
}

// unitAlone is the unit that the pod leaves with, with no other pod in it yet. It is
// that of the highest group above the pod that leaves whole. Its priority is that of
// the top of the tree, whichever group leaves whole, and 0 where the top has none. A
// pod that names a group has the rank of a group also where it leaves alone, be there
// such a group or not (rules 12.6.2 to 12.6.5 and 12.7.2).
func (a *attempt) unitAlone(p *outrank.Pod) *unit {
	u := &unit{pods: []*outrank.Pod{p}, priority: p.PriorityValue(), rank: rankPod}
	if !a.rules.VictimUnits {
		return u
	}
	if p.Group != "" {
		u.rank = rankGroup
	}
	line := a.lineage(p)
	for _, g := range line {
		u.priority = 0
		if g.priority != nil {
			u.priority = *g.priority
		}
		if g.disruption == outrank.DisruptPodGroup {
			u.whole, u.composite = g.key, g.composite
		}
	}
	if u.composite {
		u.rank = rankComposite
	}
	return u
}

// sortUnits sorts by importance: the higher priority first, then the higher rank,
// then more pods, then the earlier start of the pod that started first, then the name (group 12.7).
// For single pods without groups that is sortByImportance.
func (a *attempt) sortUnits(units []*unit) {
	slices.SortStableFunc(units, func(u, v *unit) int {
		if own := a.variant.Importance; own != nil {
			if c := own(a.firstOf(u), a.firstOf(v)); c != 0 {
				return c
			}
		}
		start := 0
		if !a.variant.IgnoreStart {
			start = a.startOfUnit(u).Compare(a.startOfUnit(v))
		}
		return cmp.Or(
			cmp.Compare(v.priority, u.priority),
			cmp.Compare(v.rank, u.rank),
			cmp.Compare(len(v.pods), len(u.pods)),
			start,
			cmp.Compare(u.pods[0].NamespaceName(), v.pods[0].NamespaceName()),
			cmp.Compare(u.name(), v.name()),
			cmp.Compare(v.whole, u.whole), // a group before a pod
			cmp.Compare(u.pods[0].UID, v.pods[0].UID),
		)
	})
}

// firstOf is the pod that the caller's own order compares a unit by.
func (a *attempt) firstOf(u *unit) *outrank.Pod {
	first := u.pods[0]
	for _, p := range u.pods {
		if a.variant.Importance(p, first) < 0 {
			first = p
		}
	}
	return first
}

func (a *attempt) startOfUnit(u *unit) time.Time {
	earliest := startOf(u.pods[0], a.now)
	for _, p := range u.pods {
		if start := startOf(p, a.now); start.Before(earliest) {
			earliest = start
		}
	}
	return earliest
}

func (u *unit) name() string {
	if u.whole != "" {
		_, name, _ := strings.Cut(string(u.whole), "/")
		return name
	}
	return u.pods[0].Name
}

// podsOf lists the pods unit by unit.
func podsOf(units []*unit) []*outrank.Pod {
	var pods []*outrank.Pod
	for _, u := range units {
		pods = append(pods, u.pods...)
	}
	return pods
}
