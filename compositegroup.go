package outrank

import "github.com/outrank-go/outrank/internal/fields"

// MaxGroupLevels is how many levels a tree of groups has at most, the [PodGroup] at
// the bottom among them.
const MaxGroupLevels = fields.MaxGroupLevels

// CompositePodGroup is a group of groups. Groups of pods and other composite
// groups name it as their Parent, so that they make a tree of at most
// [MaxGroupLevels] levels. A composite group and a group of pods may share a name.
type CompositePodGroup struct {
	// Name and Namespace identify the group; an empty Namespace is "default".
	Name, Namespace string
	// UID tells apart groups that had the same name one after the other. It may
	// be empty.
	UID string
	// Disruption says whether preemption may take the groups below one at a time,
	// or all their pods only.
	Disruption DisruptionMode
	// Policy says how many of the groups below have to find their places; where it
	// is empty, it is as under [BasicPolicy].
	Policy GroupPolicy
	// MinGroups is how many under [GangPolicy]; else 0.
	MinGroups int32
	// Priority is that of the group, nil where it has none; PriorityClass names
	// the class that it comes from.
	Priority      *int32
	PriorityClass string
	// PreemptionPolicy says whether the group may push others out; empty where it
	// does not say.
	PreemptionPolicy PreemptionPolicy
	// Parent names the composite group in the same namespace that this one is part
	// of; empty at the top of a tree.
	Parent string
	// Topology are the keys of the node labels that all nodes of the group's pods
	// have to agree in. No decision looks at them.
	Topology []string
	// Workload and Template name the [Workload] that the group was made from and
	// its template there; empty for a group that somebody wrote by hand.
	Workload, Template string
	// Scheduled is set once the group has found its places for the first time
	// (rule 22.2.5).
	Scheduled bool
}

// Key names the group among composite groups.
func (g *CompositePodGroup) Key() Key { return NewKey(g.Namespace, g.Name) }

// NamespaceName is the group's namespace, "default" if it names none.
func (g *CompositePodGroup) NamespaceName() string { return namespaceOr(g.Namespace) }

// ParentKey names the group's parent, as Key does; empty for a group at the top.
func (g *CompositePodGroup) ParentKey() Key { return parentKey(g.Namespace, g.Parent) }

func parentKey(namespace, parent string) Key {
	if parent == "" {
		return ""
	}
	return NewKey(namespace, parent)
}
