package preemption

import "github.com/outrank-go/outrank"

// Config is how to decide. The zero value decides as kube-scheduler does by default, but looks at
// every node. Whose release that is, the cluster says ([outrank.Cluster].Release).
//
// Settings go together but for these pairs, which Validate refuses, and these calls, which refuse a
// configuration that has the setting. Figure is a Rank with one, and Costs are two with a Cost:
//
//	Exact, Across   with Guard, Extenders, Figure, Costs
//	Across          with Sample
//	NeverViolate    with Guard, Extenders
//	PreemptGroup    refuses a Variant, Exact, Across, Chooser, ChargeVictims, NeverViolate, Eligibility.Refuse
type Config struct {
	// Variant is whose preemption is followed; zero is today's kube-scheduler.
	Variant outrank.Variant
	// Profile is what a profile of a KubeSchedulerConfiguration says; zero is the default profile.
	Profile Profile
	// Sample ends the search once enough candidates are found; nil looks at every node.
	Sample *Sample

	// Filters are rules of the caller about where a pod may run, asked in this order after the
	// built-in ones.
	Filters []*Filter
	// Extenders may change the candidates, asked in this order. kube-scheduler puts ignorable ones
	// behind the others (rule 10.2.1).
	Extenders []Extender

	// Eligibility says who may preempt and who may be taken; zero goes by priority.
	Eligibility Eligibility
	// Guard says which pods may leave together; nil lets any.
	Guard *Guard
	// Importance orders the possible victims, the more important first, in place of priority and
	// start; nil, and a tie, goes by these. It depends on the two pods alone, because a snapshot
	// remembers the order of each node's pods. Several goroutines may call it at once.
	Importance func(a, b *outrank.Pod) int
	// Victims chooses who leaves a node: Exact, Across or a Chooser. Nil takes all possible
	// victims away and reprieves those that can stay, as the Variant has it.
	Victims VictimRule
	// Budgets says how disruption budgets count.
	Budgets Budgets
	// Ranks compare the candidates, the first first; nil means those of the Variant, which are
	// DefaultRanks for zero. The first node in the cluster's order wins a tie in all of them. One
	// without victims, which the variant v1.13 has, is the best by any ranks.
	Ranks []Rank
}

// filterNames goes through the names of the caller's filters.
func (c *Config) filterNames(yield func(name string) bool) {
	for _, f := range c.Filters {
		if !yield(f.Name) {
			return
		}
	}
}

// Eligibility says which pods may preempt and which they may take. The zero value goes by the
// preemption policy and the nomination of a pod (chapter 8), and lets it take pods of lower
// priority (rule 9.1). Several goroutines may call its functions at once.
type Eligibility struct {
	// Refuse has the last word on whether the pod may preempt (rule 8.13): it returns why not, or
	// nothing if it may. It is told what chapter 8 says, which it returns to agree, and the status of
	// the node that the pod is nominated to, Success without one. A pod that may not keeps its
	// nomination. Nil agrees.
	Refuse func(pod *outrank.Pod, by Ineligibility, nominated Status) Ineligibility
	// Take reports whether the preemptor may take the pod, and names the rule for Victim.Rule; it
	// may be empty. It is asked about pods of lower priority alone, so that it protects some of them,
	// unless AnyPriority is set. Nil allows all. The ranks look at the true priorities (group 13.6).
	Take func(preemptor, victim *outrank.Pod) (rule string, ok bool)
	// AnyPriority has Take asked about pods of every priority.
	AnyPriority bool
}

// Budgets says for which pods disruption budgets are charged.
type Budgets uint8

// The ways to charge budgets.
const (
	// ChargePossible charges them for all possible victims on a node, the most important first, as
	// kube-scheduler does (group 6.3).
	ChargePossible Budgets = iota
	// ChargeVictims charges them for the victims alone. Which pods are victims stays the same (rule
	// 13.5.5). Exact, Across and a Chooser always do.
	ChargeVictims
	// NeverViolate makes a node where a violation cannot be avoided no candidate (rules 13.5.1 to
	// 13.5.4).
	NeverViolate
)
