package outrank

// Workload is what a controller makes groups from: templates, of which groups name
// the one that they were made from. Nothing else looks at it; a group has a copy of
// all that counts.
type Workload struct {
	// Name and Namespace identify the workload; an empty Namespace is "default".
	Name, Namespace string
	// Owner is what the workload was made for, if it says so.
	Owner Owner
	// Groups are templates of groups of pods, Composites those of composite groups.
	// A workload has one of the two.
	Groups     []PodGroupTemplate
	Composites []CompositePodGroupTemplate
}

// Key names the workload.
func (w *Workload) Key() Key { return NewKey(w.Namespace, w.Name) }

// NamespaceName is the workload's namespace, "default" if it names none.
func (w *Workload) NamespaceName() string { return namespaceOr(w.Namespace) }

// PodGroupTemplate is what a [PodGroup] is made from. The fields are those of the
// group; Name is what [PodGroup.Template] names.
type PodGroupTemplate struct {
	Name             string
	Disruption       DisruptionMode
	Policy           GroupPolicy
	MinCount         int32
	Priority         *int32
	PriorityClass    string
	PreemptionPolicy PreemptionPolicy
	Topology         []string
}

// CompositePodGroupTemplate is what a [CompositePodGroup] is made from, with the
// templates of the groups below it. The fields are those of the group.
type CompositePodGroupTemplate struct {
	Name             string
	Disruption       DisruptionMode
	Policy           GroupPolicy
	MinGroups        int32
	Priority         *int32
	PriorityClass    string
	PreemptionPolicy PreemptionPolicy
	Topology         []string
	Groups           []PodGroupTemplate
	Composites       []CompositePodGroupTemplate
}
