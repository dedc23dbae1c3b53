package outrank

// groupTerms are the fields that groups of pods, composite groups and the templates
// of both have in common, so that there is one way to read, write and check them.
type groupTerms struct {
	disruption DisruptionMode
	policy     GroupPolicy
	count      int32 // MinCount or MinGroups
	priority   *int32
	class      string
	preemption PreemptionPolicy
	topology   []string
}

func (g *PodGroup) terms() groupTerms {
	return groupTerms{g.Disruption, g.Policy, g.MinCount, g.Priority, g.PriorityClass, g.PreemptionPolicy, g.Topology}
}

func (g *CompositePodGroup) terms() groupTerms {
	return groupTerms{g.Disruption, g.Policy, g.MinGroups, g.Priority, g.PriorityClass, g.PreemptionPolicy, g.Topology}
}

func (t *PodGroupTemplate) terms() groupTerms {
	return groupTerms{t.Disruption, t.Policy, t.MinCount, t.Priority, t.PriorityClass, t.PreemptionPolicy, t.Topology}
}

func (t *CompositePodGroupTemplate) terms() groupTerms {
	return groupTerms{t.Disruption, t.Policy, t.MinGroups, t.Priority, t.PriorityClass, t.PreemptionPolicy, t.Topology}
}

// groupKind is what differs between groups of pods and composite groups in JSON.
type groupKind struct {
	composite    bool
	count, modes string
	scheduled    []string // types of the condition, the one that is written first
}

// The two kinds. A group of pods has the modes of v1.36 in messages.
var (
	ofPods   = &groupKind{false, "minCount", "neither Pod nor PodGroup", []string{"PodGroupInitiallyScheduled", "PodGroupScheduled"}}
	ofGroups = &groupKind{true, "minGroupCount", "neither single nor all", []string{"CompositePodGroupInitiallyScheduled"}}
)
