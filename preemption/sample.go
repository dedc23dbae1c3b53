package preemption

// Sample limits the search as kube-scheduler does: it stops once it has found
// enough candidates, at least one of them free of budget violations (group
// 10.1; DryRunPreemption). The zero value is the reference's default, max(10 %
// of the nodes where preemption may help, 100).
//
// The search goes through those nodes in the order of the cluster, from an
// offset that the reference draws at random, and begins again at the front.
type Sample struct {
	// Percent of the nodes, and at least Minimum, are enough candidates. Zero
	// means 10 and 100 (minCandidateNodesPercentage and
	// minCandidateNodesAbsolute), unless Explicit is set.
	Percent, Minimum int
	// Explicit means that Percent and Minimum count as they stand, a zero too, as
	// in DefaultPreemptionArgs that name them. Both zero is an error. A Minimum of
	// zero lets the reference drop every candidate where Percent of the nodes is
	// less than one (rule 10.1.5).
	Explicit bool
	// Offset is the index of the first node to try, modulo the number of nodes.
	Offset int
	// Seed, if it is not zero, and the preemptor's name determine the offset in
	// place of Offset.
	Seed uint64
	// Of, if it is set, says for so many nodes where preemption may help at which of
	// them to begin, and how many candidates are enough (GetOffsetAndNumCandidates). The
	// other fields are not looked at. Below 0 counts as 0, and the offset goes by the
	// number of nodes. Several goroutines may call it at once.
	Of func(nodes int) (offset, candidates int)
}
