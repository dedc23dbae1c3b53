package preemption

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption/internal/rank"
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

// Certificate says how good a set of victims is among all that there could be (rule
// 13.4.6). It belongs to the caller.
type Certificate struct {
	// Optimal: no other set is better by the ranks; where nothing helps, no set makes room. Bound is
	// then the score itself.
	Optimal bool
	// Bound is a score that no set beats, in the figures that the ranks compare. It is zero where
	// nothing is known.
	Bound Score
	// Rank names the first rank in which Bound is better than the score, and Gap says by how much at
	// most a set can be better there: violations, steps of priority, the sum of priorities (2^31 for
	// each victim), victims, cost, or nanoseconds of a later start, as far as an int64 goes. They are
	// empty and 0 where the set is optimal.
	Rank string
	Gap  int64
	// Steps is how many steps the search took on the candidate's node, 0 where there is no candidate.
	// Unsolved is on how many nodes it ended early that could have been better: for the certificate of
	// a candidate 0 or 1.
	Steps, Unsolved int
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
