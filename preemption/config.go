package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// Config says how to decide. The zero value decides as kube-scheduler does by default, but looks at every
// node. The cluster names the release whose rules hold ([outrank.Cluster].Release).
//
// Validate refuses the pairs of settings that have a "with" between them below; all others go together. Some
// settings are refused by PreemptGroup. "Figure" stands for a Rank with a Figure, "Costs" for two Ranks with a
// Cost:
//
//	Exact, Across   with Guard, Extenders, Figure, Costs
//	Across          with Sample
//	NeverViolate    with Guard, Extenders
//	PreemptGroup    refuses a Variant, Exact, Across, Chooser, ChargeVictims, NeverViolate, Eligibility.Refuse
//
// PreemptGroup does not look at Sample, Extenders and Ranks.
type Config struct {
	// Variant names the preemption to follow; zero is today's kube-scheduler.
	Variant outrank.Variant
	// Profile holds what a profile of a KubeSchedulerConfiguration says; zero is the default profile.
	Profile Profile
	// Sample ends the search once enough candidates are found; nil looks at every node.
	Sample *Sample

	// Filters are rules of the caller about where a pod may run. They are asked in this order, after
	// the built-in filters.
	Filters []*Filter
	// Extenders may drop and change the candidates. They are asked in this order; kube-scheduler puts
	// ignorable ones behind the others (rule 10.2.1).
	Extenders []Extender

	// Eligibility says which pods may preempt and which they may take; zero goes by priority.
	Eligibility Eligibility
	// Guard says which pods may leave together; nil allows any.
	Guard *Guard
	// Importance orders the possible victims, the more important first. Priority and start decide where
	// it is nil or returns 0. It must depend on the two pods alone, because a snapshot remembers the order of
	// each node's pods. Several goroutines may call it at once.
	Importance func(a, b *outrank.Pod) int
	// Victims chooses the victims on a node: Exact, Across or a Chooser. Nil takes all possible victims
	// away and reprieves those that can stay, as the Variant has it.
	Victims VictimRule
	// Budgets says how disruption budgets count.
	Budgets Budgets
	// Ranks compare the candidates; each decides among those that tie in the ranks before it. Nil means
	// the ranks of the Variant, DefaultRanks for the zero one. The first node in the cluster's order wins
	// a tie in all ranks. A candidate without victims, which only the variant v1.13 has, beats all others
	// whatever the ranks.
	Ranks []Rank
}

// schedules reports whether a pod is one of the scheduler's own, by the names of its profiles (rule 7.16.3).
func (c *Config) schedules(p *outrank.Pod) bool {
	return len(c.Profile.Schedulers) == 0 || slices.Contains(c.Profile.Schedulers, p.Scheduler())
}

// switchesOff reports whether the profile switches a plugin off altogether (rules 7.18.1 and 13.1.5).
func (c *Config) switchesOff(plugin string) bool { return slices.Contains(c.Profile.Off, plugin) }

// switchesOffOnNodes reports whether the profile switches off only what a filter says about nodes (rule 7.18.2).
func (c *Config) switchesOffOnNodes(filter string) bool {
	return slices.Contains(c.Profile.OffOnNodes, filter)
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
	// Refuse has the last word on whether the pod may preempt (rule 8.13). It returns why the pod may
	// not, or nothing if it may. by is what chapter 8 says: returning it agrees. nominated is the answer
	// of the node that the pod is nominated to, Success if there is none. A pod that may not preempt
	// keeps its nomination. Nil agrees.
	Refuse func(pod *outrank.Pod, by Ineligibility, nominated Status) Ineligibility
	// Take reports whether the preemptor may take the victim, and names the rule for Victim.Rule; the name
	// may be empty. Without AnyPriority it is asked only about pods of lower priority, and can only protect
	// some of them. Nil allows all. The ranks use the pods' own priorities all the same (group 13.6).
	Take func(preemptor, victim *outrank.Pod) (rule string, ok bool)
	// AnyPriority makes pods of every priority possible victims if Take allows it.
	AnyPriority bool
}

// Budgets says for which pods disruption budgets are charged.
type Budgets uint8

// The ways to charge budgets.
const (
	// ChargePossible charges budgets for all possible victims on a node, the most important first, as
	// kube-scheduler does (group 6.3).
	ChargePossible Budgets = iota
	// ChargeVictims charges budgets for the victims alone. Which pods are victims stays the same (rule
	// 13.5.5). Exact, Across and a Chooser always charge so.
	ChargeVictims
	// NeverViolate allows no victim that violates a budget. A node that has no room then is not a candidate
	// (rules 13.5.1 to 13.5.4).
	NeverViolate
)
