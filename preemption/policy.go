package preemption

// Policy is how preemption decides where a caller wants more than a scheduler does. Its
// zero value is what the engine.Config's Variant does: for the zero Variant that of
// kube-scheduler today.
type Policy struct {
	// Disabled means that no pod may preempt (disablePreemption of old
	// schedulers).
	Disabled bool
	// Exact chooses, of all sets of possible victims with which the preemptor fits, the best
	// one by the ranks of the policy (group 13.4). Budgets are charged for the victims alone,
	// and [Candidate].Certificate says whether the set is the best for certain. Without Exact
	// all pods of lower priority are removed, and those with which the preemptor still fits
	// are put back (rules 9.3 to 9.6); the simplified variant takes pods, the least important
	// first, until the preemptor fits (rule 13.3.1).
	Exact bool
	// Limit is how many steps the search for exact victims may take on one node. Zero means
	// 2,000,000, or 50,000 where each takes longer: where the filters have to be asked about
	// one set after the other (rule 13.4.4), or sets do not get worse by each pod more, as
	// with two budgets over one pod. Half of all nodes take a few hundred steps; one that
	// reaches a limit takes some tenths of a second.
	Limit int
	// CallLimit bounds the steps of those searches together in one call, and those of
	// engine.Evaluator.PreemptAcross. Zero means no bound, and 20,000 for PreemptAcross. What
	// is left of it bounds each further node beside Limit; where nothing is left, a search offers
	// the set that it begins from. The nodes are then searched one after the other, whatever
	// Workers says.
	CallLimit int
	// Strict never violates a budget: a node on which that cannot be avoided is no
	// candidate, and its status says so (rules 13.5.1 to 13.5.4).
	Strict bool
	// VictimsAlone charges budgets for the actual victims alone, the most important first, so
	// that a victim that could leave by itself without a violation never counts as one (rule
	// 13.5.5). Which pods are victims does not change. Either way a victim that violates any
	// budget adds one to the violations; without VictimsAlone the variants count in a way of
	// their own (rules 13.2.2 and 13.3.5).
	VictimsAlone bool
	// Ranks is what candidates are compared by, in this order; nil means those of the
	// Variant, which are [DefaultRanks] for the zero one. The first node wins a tie in all
	// of them.
	Ranks []Rank
	// NominatedInTurn asks the node that the pod is nominated to like any other, and not
	// before all others, as a caller does that filters every node in its turn. Where
	// the pod names its nodes, that shows in what is said of them (rule 7.15.9).
	NominatedInTurn bool
}
