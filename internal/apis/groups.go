package apis

// GroupKind describes how groups of pods and composite groups differ in their JSON and in messages.
type GroupKind struct {
	// Composite is true for composite groups.
	Composite bool
	// Count is the name of the field with the size of a gang. Modes ends the message about an unknown
	// disruption mode.
	Count, Modes string
	// Scheduled are the types of the condition that the group has been scheduled. Reading accepts all of them,
	// and the first one is written.
	Scheduled []string
}

// OfPods describes groups of pods and OfGroups composite groups. Messages about groups of pods use v1.36's
// names of the disruption modes.
var (
	OfPods   = &GroupKind{false, "minCount", "neither Pod nor PodGroup", []string{"PodGroupInitiallyScheduled", "PodGroupScheduled"}}
	OfGroups = &GroupKind{true, "minGroupCount", "neither single nor all", []string{"CompositePodGroupInitiallyScheduled"}}
)
