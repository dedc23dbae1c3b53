package preemption

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption/internal/rank"
	"github.com/outrank-go/outrank/resource"
)

// VictimRule chooses the victims on a node: an [Exact], an [Across] or a [Chooser].
type VictimRule interface{ victimRule() }

func (Exact) victimRule()   {}
func (Across) victimRule()  {}
func (Chooser) victimRule() {}

// Exact chooses, of all sets of possible victims on a node, the best by the ranks (group 13.4).
// [Candidate].Certificate says whether the set is the best for certain.
type Exact struct {
	// Limit bounds the steps of the engine's search in one call, on all nodes together; the nodes are then
	// searched one after the other. Where it ends the search, the best set so far stands and its
	// certificate says so. Zero bounds the steps on each node: to 2,000,000, or to 50,000 where each step
	// has to ask the filters (rule 13.4.4). Half of all nodes take a few hundred steps.
	//
	// Package preemption tries every set of up to 16 possible victims, whatever the limit. More of them on
	// a node are an error.
	Limit int
}

// Across also takes pods on other nodes that required anti-affinity or a spread constraint counts in a
// domain of the node (chapter 23). It chooses the best set by the ranks, or the best one that it found.
// Where one node suffices, its victims may differ from the usual ones: ask for it once a configuration
// without it has found that nothing helps.
type Across struct {
	// Limit bounds the steps of the engine's search in one call; zero means 20,000. Package preemption
	// tries every set, as for Exact.
	Limit int
}

// Chooser is a rule of the caller that chooses the victims on a node, in place of the rules of chapter 9.
// It is asked about nodes that take the pod once all possible victims are gone.
type Chooser struct {
	// Name appears in errors and statuses.
	Name string
	// Choose returns the victims, in any order; none means that the node is not a candidate. Each must be a
	// possible victim, and without them the node must take the pod: anything else ends the decision with
	// an error. The answer depends on the view alone. Choose keeps neither the view nor what the view
	// returns. Several goroutines may call it at once.
	Choose func(node NodeView) []*outrank.Pod
}

// NodeView is a node where room is to be made. It shows what the node would say with some of its pods
// gone, and changes nothing. It is valid until Choose returns. Where pods leave in units, to name one pod
// of a unit means all of them.
type NodeView interface {
	// Pod returns the preemptor.
	Pod() *outrank.Pod
	// Node returns the node.
	Node() *outrank.Node
	// Possible lists the possible victims, the most important first. It includes the pods that units have on
	// other nodes, as their NodeName shows. The slice is the caller's.
	Possible() []*outrank.Pod
	// Check returns what all filters, and the guard, say about the node without these possible victims.
	// Pods that are not possible victims are ignored. It is Success if there is room.
	Check(without ...*outrank.Pod) Status
	// Violated returns, victim by victim, the budgets that the loss of all of them would violate.
	Violated(victims ...*outrank.Pod) [][]*outrank.PodDisruptionBudget
	// Short returns how much of a resource is missing for the pod while all pods run there: millicores of
	// cpu, units of other resources, places under "pods". It is 0 if there is enough.
	Short(name resource.Name) int64
}

// Certificate says how good a set of victims is among all that there could be (rule
// 13.4.6). It belongs to the caller.
type Certificate struct {
	// Optimal reports that no set is better by the ranks or, where nothing helps, that no set makes room.
	// Bound is then the score itself.
	Optimal bool
	// Bound is a score that no set beats, in the figures that the ranks compare. It is zero where
	// nothing is known.
	Bound Score
	// Rank names the first rank in which Bound is better than the score; empty if the set is optimal.
	Rank string
	// Gap bounds by how much another set can be better in that rank. Its unit is the rank's: violations, steps
	// of priority, the sum of priorities (with 2^31 added for each victim), victims, cost, or nanoseconds of a
	// later start, up to the largest int64. It is 0 if the set is optimal.
	Gap int64
	// Steps is the number of steps of the search on the candidate's node; 0 if there is no candidate.
	Steps int
	// Unsolved is the number of nodes that might have been better, but where the search ended early. In the
	// certificate of one candidate it is 0 or 1.
	Unsolved int
}

// text returns the certificate in a few words.
func (c *Certificate) text() string {
	steps := prose.Steps(c.Steps)
	switch {
	case c.Optimal:
		return "optimal, " + steps
	case c.Rank == "":
		return fmt.Sprintf("not proven, %s, %d not searched to the end", steps, c.Unsolved)
	case c.Rank == rank.Start:
		return fmt.Sprintf("at best %v later by the start of the most important victims, %s, %d not searched to the end", time.Duration(c.Gap), steps, c.Unsolved)
	}
	return fmt.Sprintf("at best %d less by: %s, %s, %d not searched to the end", c.Gap, rank.Text(c.Rank), steps, c.Unsolved)
}
