package apis

// GroupKind has the differences between groups of pods and composite groups, in their JSON and in messages.
type GroupKind struct {
	// Composite is set for composite groups.
	Composite bool
	// Count is the field with the size of a gang. Modes ends a message about an unknown disruption mode.
	Count, Modes string
	// Scheduled are the types of the condition that says that the group has found its places. All of them are
	// read, and the first is written.
	Scheduled []string
}

// The two kinds. Messages about groups of pods name the disruption modes as v1.36 has them.
var (
	OfPods   = &GroupKind{false, "minCount", "neither Pod nor PodGroup", []string{"PodGroupInitiallyScheduled", "PodGroupScheduled"}}
	OfGroups = &GroupKind{true, "minGroupCount", "neither single nor all", []string{"CompositePodGroupInitiallyScheduled"}}
)
