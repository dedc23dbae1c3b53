package outrank

// Affinity holds a pod's required demands on its node and its neighbours.
// Preferred ones are [Preferences].
type Affinity struct {
	// NodeAffinity is nil if the pod has no required node affinity. A selector
	// without terms matches no node.
	NodeAffinity *NodeSelector
	// PodAffinity lists terms: for each, some pod in the same topology domain must
	// match it. PodAntiAffinity lists terms that no pod there may match.
	PodAffinity, PodAntiAffinity []PodAffinityTerm
}

// NodeSelector matches a node if any of its terms does.
type NodeSelector struct {
	NodeSelectorTerms []NodeSelectorTerm `json:"nodeSelectorTerms"`
}

// NodeSelectorTerm matches a node if all its requirements hold. An empty term
// matches nothing.
type NodeSelectorTerm struct {
	// MatchExpressions are demands on the node's labels.
	MatchExpressions []NodeRequirement `json:"matchExpressions,omitempty"`
	// MatchFields are demands on fields of the node. The only field is
	// metadata.name, and the only operators are In and NotIn with one value.
	MatchFields []NodeRequirement `json:"matchFields,omitempty"`
}

// FieldName is the field of a node that NodeSelectorTerm.MatchFields may name.
const FieldName = "metadata.name"

// NodeRequirement is one demand on a label or field of a node.
type NodeRequirement struct {
	Key      string   `json:"key"`
	Operator Operator `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

// PodAffinityTerm selects pods by their labels and namespaces, and says which
// nodes count as the same place.
type PodAffinityTerm struct {
	// LabelSelector picks pods by label. A nil one picks none, an empty one all.
	LabelSelector *LabelSelector `json:"labelSelector,omitempty"`
	// Namespaces and NamespaceSelector pick the namespaces of the pods: their union
	// if both are given, and the namespace of the pod that carries the term if
	// neither is. An empty NamespaceSelector picks all namespaces.
	Namespaces        []string       `json:"namespaces,omitempty"`
	NamespaceSelector *LabelSelector `json:"namespaceSelector,omitempty"`
	// TopologyKey is the node label whose values are the topology domains.
	TopologyKey string `json:"topologyKey"`
	// MatchLabelKeys are labels of the pod whose values a selected pod must share,
	// MismatchLabelKeys labels whose values it must not share. The API server adds
	// them to LabelSelector when it creates a pod, as In or NotIn with one value. A
	// decision adds only the keys that are not in the selector yet, as in a pod that is
	// written by hand or read from a manifest.
	MatchLabelKeys    []string `json:"matchLabelKeys,omitempty"`
	MismatchLabelKeys []string `json:"mismatchLabelKeys,omitempty"`
}

// TopologySpreadConstraint limits how many more of the counted pods a topology
// domain may hold than the emptiest domain.
type TopologySpreadConstraint struct {
	// MaxSkew is the largest difference that is allowed; at least 1.
	MaxSkew     int32  `json:"maxSkew"`
	TopologyKey string `json:"topologyKey"`
	// WhenUnsatisfiable is DoNotSchedule or ScheduleAnyway; empty means
	// DoNotSchedule. Preemption does not look at ScheduleAnyway; scores do.
	WhenUnsatisfiable UnsatisfiablePolicy `json:"whenUnsatisfiable,omitempty"`
	// LabelSelector picks the pods that are counted. A nil or an empty one picks none.
	LabelSelector *LabelSelector `json:"labelSelector,omitempty"`
	// MinDomains is how many domains there should be: with fewer of them, the fewest pods
	// of any domain count as 0. Zero means 1.
	MinDomains int32 `json:"minDomains,omitempty"`
	// NodeAffinityPolicy says whether the count leaves out nodes that the pod's node
	// affinity rules out, and NodeTaintsPolicy whether it leaves out nodes with taints
	// that the pod does not tolerate. Empty means NodeHonor for the first and
	// NodeIgnore for the second.
	NodeAffinityPolicy NodeInclusionPolicy `json:"nodeAffinityPolicy,omitempty"`
	NodeTaintsPolicy   NodeInclusionPolicy `json:"nodeTaintsPolicy,omitempty"`
	// MatchLabelKeys are labels of the pod whose values a counted pod must share.
	// Keys that the pod does not have are ignored.
	MatchLabelKeys []string `json:"matchLabelKeys,omitempty"`
}

// UnsatisfiablePolicy says what happens to a pod whose spread constraint cannot
// be met.
type UnsatisfiablePolicy string

// DoNotSchedule keeps the pod off nodes that would break the constraint; ScheduleAnyway only
// lowers their scores.
const (
	DoNotSchedule  UnsatisfiablePolicy = "DoNotSchedule"
	ScheduleAnyway UnsatisfiablePolicy = "ScheduleAnyway"
)

// NodeInclusionPolicy says whether a rule about nodes limits which nodes a
// spread constraint counts.
type NodeInclusionPolicy string

// NodeHonor leaves out nodes that the rule does not let the pod onto; NodeIgnore counts them.
const (
	NodeHonor  NodeInclusionPolicy = "Honor"
	NodeIgnore NodeInclusionPolicy = "Ignore"
)
