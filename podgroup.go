package outrank

// PodGroup is a group of pods that belong together. Pods name it in
// [Pod.Group].
type PodGroup struct {
	// Name and Namespace identify the group; an empty Namespace is "default".
	Name, Namespace string
	// UID tells apart groups that had the same name one after the other. It may
	// be empty.
	UID string
	// Disruption says whether preemption may take single pods of the group, or
	// all of them only.
	Disruption DisruptionMode
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
	// PriorityClass names the class that the priority comes from.
	PriorityClass string
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
	// as many groups as [CompositePodGroup.MinGroups] says.
	GangPolicy GroupPolicy = "gang"
)
