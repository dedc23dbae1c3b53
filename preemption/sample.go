package preemption

// Sample limits the search as kube-scheduler does: it ends once enough candidates are found, one of
// them without a violation (group 10.1; DryRunPreemption). It begins at [Request].Offset, goes
// through the nodes where preemption may help in the order of the cluster, and begins again at the
// front.
type Sample struct {
	// Percent of the nodes where preemption may help, and at least Minimum, are enough. Zero means 10
	// and 100, as in DefaultPreemptionArgs; below zero means none. With no Minimum the reference
	// drops every candidate where Percent of the nodes is less than one (rule 10.1.5).
	Percent, Minimum int
}
