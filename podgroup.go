package outrank

// PodGroup is a group of pods that belong together. Pods name it in
// [Pod.Group].
type PodGroup struct {
	// Name and Namespace identify the group; an empty Namespace is "default".
	Name, Namespace string
	// Disruption says whether preemption may take single pods of the group, or
	// all of them only.
	Disruption DisruptionMode
	// Policy says how many of the group's pods have to find a place so that they
	// may run. Where it is empty, all of them have to.
	Policy GroupPolicy
	// MinCount is how many under [GangPolicy], those that run already included;
	// else 0.
	MinCount int32
	// Priority is that of the group; where it is not nil it counts for each of
	// its pods in place of the pod's own, but only in preemption by a group of
	// pods (rules 12.1.3 and 12.2.3). Nil leaves every pod its own.
	Priority *int32
}

// Key names the group.
func (g *PodGroup) Key() Key { return NewKey(g.Namespace, g.Name) }

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

// The modes. An empty one is DisruptPod.
const (
	// DisruptPod: each pod by itself.
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
	// GangPolicy: at least [PodGroup.MinCount] pods of the group run, or none.
	GangPolicy GroupPolicy = "gang"
)

// groupWarnings are about pods that name a group that is not there.
func (c *Cluster) groupWarnings() []Problem {
	groups := make(map[Key]bool, len(c.Groups))
	for _, g := range c.Groups {
		if g != nil {
			groups[g.Key()] = true
		}
	}
	var ws []Problem
	for _, p := range c.Pods {
		if p != nil && p.Group != "" && !groups[p.GroupKey()] {
			ws = append(ws, Problem{"pod " + string(p.Key()), "spec.schedulingGroup.podGroupName", "no pod group " + quote(p.Group) + "; the pod counts by itself"})
		}
	}
	return ws
}
