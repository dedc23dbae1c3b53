package outrank

// PodGroup is a group of pods that belong together. Pods name it in
// [Pod.Group].
type PodGroup struct {
	// Name and Namespace identify the group; an empty Namespace is "default".
	Name, Namespace string
	// Disruption says whether preemption may take single pods of the group, or
	// all of them only.
	Disruption DisruptionMode
}

// Key names the group as namespace/name.
func (g *PodGroup) Key() string { return namespaceOr(g.Namespace) + "/" + g.Name }

// DisruptionMode is the unit in which pods of a group may be pushed out.
type DisruptionMode string

// The modes. An empty one is DisruptPod.
const (
	// DisruptPod: each pod by itself.
	DisruptPod DisruptionMode = "Pod"
	// DisruptPodGroup: all pods of the group or none.
	DisruptPodGroup DisruptionMode = "PodGroup"
)
