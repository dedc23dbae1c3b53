package decision

// Policy is how preemption decides where a caller wants more than a scheduler does. Its
// zero value is what the preemption.Config's Variant does: for the zero Variant that of
// kube-scheduler today.
type Policy struct {
	// Disabled means that no pod may preempt (disablePreemption of old
	// schedulers).
	Disabled bool
	// Victims is how victims are found on a node.
	Victims VictimRule
	// Limit is how many steps the search of [Exact] may take on one node; zero means
	// [DefaultLimit] or [DefaultFilterLimit]. Other rules do not look at it.
	Limit int
	// CallLimit is how many steps those searches may take together in one call; zero means
	// any number. What is left of it bounds each further node beside Limit; where nothing is
	// left, a search offers the set that it begins from. The nodes are then searched one
	// after the other, whatever Workers says.
	CallLimit int
	// Strict never violates a budget: a node on which that cannot be avoided is no
	// candidate, and its status says so (rules 13.5.1 to 13.5.4).
	Strict bool
	// Budgets is how violations of budgets are counted.
	Budgets BudgetRule
	// Ranks is what candidates are compared by, in this order; nil means those of the
	// Variant, which are [DefaultRanks] for the zero one. The first node wins a tie in all
	// of them.
	Ranks []Rank
	// NominatedInTurn asks the node that the pod is nominated to like any other, and not
	// before all others, as a caller does that filters every node in its turn. Where
	// the pod names its nodes, that shows in what is said of them (rule 7.15.9).
	NominatedInTurn bool
}

// VictimRule is a way to find the victims on a node.
type VictimRule uint8

// The ways to find victims.
const (
	// Reprieve: remove all pods of lower priority, then put back those with
	// which the preemptor still fits (rules 9.3 to 9.6). The simplified variant takes
	// pods, the least important first, until the preemptor fits (rule 13.3.1).
	Reprieve VictimRule = iota
	// Exact: of all sets of possible victims with which the preemptor fits, the best one
	// by the ranks of the policy (group 13.4). Budgets are charged for the victims alone.
	// [Candidate].Certificate says whether it is the best for certain.
	Exact
)

// BudgetRule is a way to count violations.
type BudgetRule uint8

// The ways to count violations.
const (
	// PerVictim: a victim that violates any budget adds one. The variants count in a
	// way of their own (rules 13.2.2 and 13.3.5).
	PerVictim BudgetRule = iota
	// VictimsAlone counts as PerVictim does, and charges budgets for the actual victims
	// alone, the most important first, so that a victim that could leave by itself
	// without a violation never counts as one (rule 13.5.5). Which pods are victims does
	// not change: the order of putting back is that of PerVictim.
	VictimsAlone
)

// DefaultLimit is how many steps the search of [Exact] takes on a node where
// [Policy].Limit says nothing, and DefaultFilterLimit how many where the filters have to be
// asked about one set after the other (rule 13.4.4), or sets do not get worse by each pod
// more, as with two budgets over one pod: that takes longer for each. Half of all nodes take
// a few hundred; one that reaches a limit takes some tenths of a second.
const (
	DefaultLimit       = 2000000
	DefaultFilterLimit = 50000
)

// StepLimit returns how many steps a search may take on one node, where each takes long, or
// does not.
func (p *Policy) StepLimit(long bool) int {
	switch {
	case p.Limit != 0:
		return p.Limit
	case long:
		return DefaultFilterLimit
	}
	return DefaultLimit
}
