package preemption

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// VictimRule is how the victims on a node are chosen: an [Exact], an [Across] or a [Chooser].
type VictimRule interface{ victimRule() }

func (Exact) victimRule()   {}
func (Across) victimRule()  {}
func (Chooser) victimRule() {}

// Exact chooses, of all sets of possible victims on a node, the best by the ranks (group 13.4).
// [Candidate].Certificate says whether the set is the best for certain.
type Exact struct {
	// Limit bounds the steps of a call, all nodes together, which are then searched one after the
	// other. Where it ends the search, the best set so far stands and its certificate says so. Zero
	// ends at 2,000,000 on each node, or at 50,000 where each step has to ask the filters (rule
	// 13.4.4). Half of all nodes take a few hundred steps.
	Limit int
}

// Across also takes pods on other nodes that required anti-affinity or a spread constraint counts in
// a domain of the node (chapter 23). It is the best set by the ranks, or the best that was found.
// Where one node suffices its victims may differ from the usual ones: ask it after a configuration
// without it has found that nothing helps.
type Across struct {
	// Limit bounds the steps of a call; zero means 20,000.
	Limit int
}

// Chooser is a rule of the caller that chooses the victims on a node, in place of the rules of
// chapter 9. It is asked about nodes that take the pod only with possible victims gone. Where victims
// leave in units, who names one of them takes all.
type Chooser struct {
	// Name stands in errors and statuses.
	Name string
	// Choose returns the victims, in any order; none means that the node is no candidate. Each has
	// to be a possible one, and without them the node has to take the pod: anything else ends the
	// decision with an error. Its answer depends on the view alone, and it keeps neither the view nor
	// what that returns. Several goroutines may call it at once.
	Choose func(node NodeView) []*outrank.Pod
}

// NodeView is a node where room is to be made. It shows what the node would say with some of its
// pods gone, and changes nothing. A [Chooser] has it for the call, and keeps it no longer. Where
// victims leave in units, naming one of them takes all.
type NodeView interface {
	// Pod is the preemptor.
	Pod() *outrank.Pod
	Node() *outrank.Node
	// Possible lists the possible victims, the most important first; of units also their pods on
	// other nodes, whose NodeName says so. The slice is the caller's.
	Possible() []*outrank.Pod
	// Check returns what all filters say about the node without some of the possible victims.
	// Other pods count for nothing. Success is said where there is room.
	Check(without ...*outrank.Pod) Status
	// Violated returns, victim by victim, the budgets that losing them would violate.
	Violated(victims ...*outrank.Pod) [][]*outrank.PodDisruptionBudget
	// Short returns how much of a resource the node lacks for the pod beside all that run there:
	// millicores of cpu, units of others, places under "pods". It is 0 where there is enough.
	Short(name resource.Name) int64
}
