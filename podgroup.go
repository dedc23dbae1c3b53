package outrank

import "github.com/outrank-go/outrank/internal/apis"

// PodGroup is a group of pods that belong together. Pods name it in
// [Pod.Group].
type PodGroup struct {
	// Name and Namespace identify the group; an empty Namespace is "default".
	Name, Namespace string
	// UID tells a group apart from earlier and later groups of the same name. It may
	// be empty.
	UID string
	// DisruptionMode says whether preemption may take single pods of the group, or
	// only all of them.
	DisruptionMode DisruptionMode
	// Policy says how many of the group's pods need a place before any may run.
	// If it is empty, all of them do.
	Policy GroupPolicy
	// MinCount is the number of pods that GangPolicy needs, those that run already
	// included. It is 0 under other policies.
	MinCount int32
	// Priority is the group's own; nil counts as 0. From v1.37 on, with the gate
	// GenericWorkload, the group preempts with this priority, and its pods count with it
	// as victims (rules 12.6.2 and 12.9.2). Otherwise it means nothing.
	Priority *int32
	// PriorityClassName names the class that the priority comes from.
	PriorityClassName string
	// PreemptionPolicy says whether the group may push others out. It may be
	// empty. Groups of v1.36 have no policy.
	PreemptionPolicy PreemptionPolicy
	// Parent names the composite group in the same namespace that the group is
	// part of; empty at the top of a tree. See CompositePodGroup.
	Parent string
	// Topology lists node labels: all nodes of the group's pods have to agree in
	// each. It counts from v1.37 on with the gate TopologyAwareWorkloadScheduling. No
	// decision follows it: where it counts, deciding about the group is an error (rule
	// 12.9.14).
	Topology []string
	// Workload and Template name the Workload that the group was made from and
	// its template there; empty for a group written by hand.
	Workload, Template string
	// Scheduled is set once the group has found its places for the first time
	// (rule 22.2.5).
	Scheduled bool
}

// Key returns the group's key, "namespace/name". A CompositePodGroup may have the same key.
func (g *PodGroup) Key() Key { return NewKey(g.Namespace, g.Name) }

// ParentKey returns the key of the composite group above this one; empty for a group at
// the top of a tree.
func (g *PodGroup) ParentKey() Key { return parentKey(g.Namespace, g.Parent) }

// NamespaceName returns the group's namespace, "default" if it names none.
func (g *PodGroup) NamespaceName() string { return namespaceOr(g.Namespace) }

// GroupKey returns the key of the pod's group, as [PodGroup.Key] does; empty for a pod
// without a group.
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
	// DisruptPod lets preemption take single pods of a group, or single groups below a
	// composite group.
	DisruptPod DisruptionMode = "Pod"
	// DisruptPodGroup lets preemption take all pods of the group or none.
	DisruptPodGroup DisruptionMode = "PodGroup"
)

// GroupPolicy says how the pods of a group are scheduled.
type GroupPolicy string

// The policies. The fields Policy say what an empty one means.
const (
	// BasicPolicy lets each pod run by itself, so that a place for one is enough.
	BasicPolicy GroupPolicy = "basic"
	// GangPolicy runs at least PodGroup.MinCount pods of the group, or none; in
	// a composite group, CompositePodGroup.MinGroupCount groups.
	GangPolicy GroupPolicy = "gang"
)

// MaxGroupLevels is the largest number of levels of a tree of groups, counting the
// [PodGroup] at the bottom.
const MaxGroupLevels = apis.MaxGroupLevels

// CompositePodGroup is a group of groups. Groups of pods and other composite
// groups name it as their Parent, so that they make a tree of at most
// [MaxGroupLevels] levels. A composite group and a group of pods may share a name.
type CompositePodGroup struct {
	// Name and Namespace identify the group; an empty Namespace is "default".
	Name, Namespace string
	// UID tells a group apart from earlier and later groups of the same name. It may
	// be empty.
	UID string
	// DisruptionMode says whether preemption may take the groups below one at a
	// time, or only all their pods.
	DisruptionMode DisruptionMode
	// Policy says how many of the groups below need their places. An empty one
	// means BasicPolicy.
	Policy GroupPolicy
	// MinGroupCount is the number of groups that GangPolicy needs. It is 0 under other
	// policies.
	MinGroupCount int32
	// Priority is the group's own; nil if it has none. PriorityClassName names
	// the class that it comes from.
	Priority          *int32
	PriorityClassName string
	// PreemptionPolicy says whether the group may push others out; it may be empty.
	PreemptionPolicy PreemptionPolicy
	// Parent names the composite group in the same namespace that this one is part
	// of; empty at the top of a tree.
	Parent string
	// Topology lists node labels: all nodes of the group's pods have to agree in
	// each. It counts from v1.37 on with the gate TopologyAwareWorkloadScheduling. No
	// decision follows it: where it counts, deciding about the group is an error (rule
	// 12.9.14).
	Topology []string
	// Workload and Template name the Workload that the group was made from and
	// its template there; empty for a group written by hand.
	Workload, Template string
	// Scheduled is set once the group has found its places for the first time
	// (rule 22.2.5).
	Scheduled bool
}

// Key returns the group's key, "namespace/name". A PodGroup may have the same key.
func (g *CompositePodGroup) Key() Key { return NewKey(g.Namespace, g.Name) }

// NamespaceName returns the group's namespace, "default" if it names none.
func (g *CompositePodGroup) NamespaceName() string { return namespaceOr(g.Namespace) }

// ParentKey returns the key of the composite group above this one; empty for a group at
// the top of a tree.
func (g *CompositePodGroup) ParentKey() Key { return parentKey(g.Namespace, g.Parent) }

// parentKey returns the key of a parent in the namespace, empty for no parent.
func parentKey(namespace, parent string) Key {
	if parent == "" {
		return ""
	}
	return NewKey(namespace, parent)
}

// Workload holds the templates from which a controller makes groups. A group names
// its template and has a copy of all that counts, so no decision looks at the
// workload.
type Workload struct {
	// Name and Namespace identify the workload; an empty Namespace is "default".
	Name, Namespace string
	// Owner is the object that the workload was made for, if it names one.
	Owner Owner
	// PodGroupTemplates are the templates of PodGroups, CompositePodGroupTemplates the
	// templates of CompositePodGroups. A workload has templates of only one kind.
	PodGroupTemplates          []PodGroupTemplate
	CompositePodGroupTemplates []CompositePodGroupTemplate
}

// Key returns the workload's key, "namespace/name".
func (w *Workload) Key() Key { return NewKey(w.Namespace, w.Name) }

// NamespaceName returns the workload's namespace, "default" if it names none.
func (w *Workload) NamespaceName() string { return namespaceOr(w.Namespace) }

// PodGroupTemplate is the template of a [PodGroup]. Its fields mean what the fields of
// the group mean. A group names its template in [PodGroup.Template].
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

// CompositePodGroupTemplate is the template of a [CompositePodGroup], with the
// templates of the groups below it. Its other fields mean what the fields of the group
// mean.
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
