package outrank

import "github.com/outrank-go/outrank/internal/fields"

// PodGroup is a group of pods that belong together. Pods name it in
// [Pod.Group].
type PodGroup struct {
	// Name and Namespace identify the group; an empty Namespace is "default".
	Name, Namespace string
	// UID tells apart groups that had the same name one after the other. It may
	// be empty.
	UID string
	// DisruptionMode says whether preemption may take single pods of the group, or
	// all of them only.
	DisruptionMode DisruptionMode
	// Policy says how many of the group's pods have to find a place so that they
	// may run. Where it is empty, all of them have to.
	Policy GroupPolicy
	// MinCount is how many under [GangPolicy], those that run already included;
	// else 0.
	MinCount int32
	// Priority is that of the group. From v1.37 on, with the gate GenericWorkload, the
	// group preempts with it, and it counts for its pods as victims in place of their own;
	// nil counts as 0 (rules 12.6.2 and 12.9.2). It means nothing otherwise.
	Priority *int32
	// PriorityClassName names the class that the priority comes from.
	PriorityClassName string
	// PreemptionPolicy says whether the group may push others out; empty where it
	// does not say. v1.36 knows none.
	PreemptionPolicy PreemptionPolicy
	// Parent names the composite group in the same namespace that the group is
	// part of; empty at the top of a tree. See [CompositePodGroup].
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

// Key names the group.
func (g *PodGroup) Key() Key { return NewKey(g.Namespace, g.Name) }

// ParentKey names the group's parent, as [CompositePodGroup.Key] does; empty for a
// group at the top.
func (g *PodGroup) ParentKey() Key { return parentKey(g.Namespace, g.Parent) }

// NamespaceName is the group's namespace, "default" if it names none.
func (g *PodGroup) NamespaceName() string { return namespaceOr(g.Namespace) }

// GroupKey names the pod's group, as [PodGroup.Key] does; empty for a pod that
// belongs to none.
func (p *Pod) GroupKey() Key {
	if p.Group == "" {
		return ""
	}
	return NewKey(p.Namespace, p.Group)
}

// DisruptionMode is the unit in which pods of a group may be pushed out.
type DisruptionMode string

// The modes, in the words of v1.36; later versions say single and all (rule
// 22.2.2). An empty one is DisruptPod.
const (
	// DisruptPod: each pod by itself, or each group of a composite group.
	DisruptPod DisruptionMode = "Pod"
	// DisruptPodGroup: all pods of the group or none.
	DisruptPodGroup DisruptionMode = "PodGroup"
)

// GroupPolicy is how the pods of a group are scheduled.
type GroupPolicy string

// The policies.
const (
	// BasicPolicy: each pod may run by itself, so that a place for one is enough.
	BasicPolicy GroupPolicy = "basic"
	// GangPolicy: at least [PodGroup.MinCount] pods of the group run, or none; or
	// as many groups as [CompositePodGroup.MinGroupCount] says.
	GangPolicy GroupPolicy = "gang"
)

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
	// DisruptionMode says whether preemption may take the groups below one at a time,
	// or all their pods only.
	DisruptionMode DisruptionMode
	// Policy says how many of the groups below have to find their places; where it
	// is empty, it is as under [BasicPolicy].
	Policy GroupPolicy
	// MinGroupCount is how many under [GangPolicy]; else 0.
	MinGroupCount int32
	// Priority is that of the group, nil where it has none; PriorityClassName names
	// the class that it comes from.
	Priority          *int32
	PriorityClassName string
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

// Workload is what a controller makes groups from: templates, of which groups name
// the one that they were made from. Nothing else looks at it; a group has a copy of
// all that counts.
type Workload struct {
	// Name and Namespace identify the workload; an empty Namespace is "default".
	Name, Namespace string
	// Owner is what the workload was made for, if it says so.
	Owner Owner
	// PodGroupTemplates are templates of groups of pods, CompositePodGroupTemplates those
	// of composite groups.
	// A workload has one of the two.
	PodGroupTemplates          []PodGroupTemplate
	CompositePodGroupTemplates []CompositePodGroupTemplate
}

// Key names the workload.
func (w *Workload) Key() Key { return NewKey(w.Namespace, w.Name) }

// NamespaceName is the workload's namespace, "default" if it names none.
func (w *Workload) NamespaceName() string { return namespaceOr(w.Namespace) }

// PodGroupTemplate is what a [PodGroup] is made from. The fields are those of the
// group; Name is what [PodGroup.Template] names.
type PodGroupTemplate struct {
	Name              string
	DisruptionMode    DisruptionMode
	Policy            GroupPolicy
	MinCount          int32
	Priority          *int32
	PriorityClassName string
	PreemptionPolicy  PreemptionPolicy
	Topology          []string
}

// CompositePodGroupTemplate is what a [CompositePodGroup] is made from, with the
// templates of the groups below it. The fields are those of the group.
type CompositePodGroupTemplate struct {
	Name                       string
	DisruptionMode             DisruptionMode
	Policy                     GroupPolicy
	MinGroupCount              int32
	Priority                   *int32
	PriorityClassName          string
	PreemptionPolicy           PreemptionPolicy
	Topology                   []string
	PodGroupTemplates          []PodGroupTemplate
	CompositePodGroupTemplates []CompositePodGroupTemplate
}
