package apis

// GroupKind has the differences between groups of pods and composite groups in
// JSON and in messages about it.
type GroupKind struct {
	Composite bool
	// Count is the field of a gang's size, Modes the text about a mode that is unknown.
	Count, Modes string
	// Scheduled are the types of the condition of a group that has found its places, the
	// one that is written first.
	Scheduled []string
}

// The two kinds. A group of pods has the modes of v1.36 in messages.
var (
	OfPods   = &GroupKind{false, "minCount", "neither Pod nor PodGroup", []string{"PodGroupInitiallyScheduled", "PodGroupScheduled"}}
	OfGroups = &GroupKind{true, "minGroupCount", "neither single nor all", []string{"CompositePodGroupInitiallyScheduled"}}
)
