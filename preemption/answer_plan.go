package preemption

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// Outcome is the kind of answer.
type Outcome uint8

// The outcomes, in the order in which they are looked for.
const (
	// Fits: some node takes the pod as things are.
	Fits Outcome = iota
	// NotEligible: the pod may not preempt, or not now.
	NotEligible
	// NothingHelps: on no node would taking pods away make room.
	NothingHelps
	// Preempt: the victims on the node have to leave.
	Preempt
)

// String gives the outcome in a few words.
func (o Outcome) String() string {
	switch o {
	case Fits:
		return "fits"
	case NotEligible:
		return "not eligible"
	case NothingHelps:
		return "nothing helps"
	case Preempt:
		return "preempt"
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// Ineligibility is why a pod may not preempt (chapter 8).
type Ineligibility uint8

// The reasons.
const (
	// Eligible: it may.
	Eligible Ineligibility = iota
	// PolicyNever: its preemption policy is Never.
	PolicyNever
	// VictimsTerminating: victims of an earlier preemption are still leaving
	// its nominated node.
	VictimsTerminating
	// Nominated: it has a nomination already (Policy WaitWhileNominated).
	Nominated
	// Disabled: nobody may, by the policy.
	Disabled
)

// String gives the reference's message where it has one, empty for Eligible.
func (i Ineligibility) String() string {
	switch i {
	case Eligible:
		return ""
	case PolicyNever:
		return "not eligible due to preemptionPolicy=Never."
	case VictimsTerminating:
		return "not eligible due to a terminating pod on the nominated node."
	case Nominated:
		return "not eligible due to the nominated node."
	case Disabled:
		return "not eligible because preemption is disabled."
	}
	return fmt.Sprintf("Ineligibility(%d)", uint8(i))
}

// Plan is the answer to who has to leave. It belongs to the caller; the pods
// and budgets it points to are the caller's own from the start.
type Plan struct {
	// Pod is the preemptor.
	Pod     *outrank.Pod
	Outcome Outcome
	// Ineligible says why the outcome is NotEligible. It is also set, for the
	// curious, where the pod fits but could not preempt.
	Ineligible Ineligibility

	// Candidate is the chosen node with its victims; its zero value unless the
	// outcome is Preempt.
	Candidate
	// ClearedNominations are the pods of lower priority that are nominated to
	// the node and lose that, by importance (rule 14.3.3).
	ClearedNominations []*outrank.Pod
	// Grace is the time that the policy gives victims to end, nil for their
	// own.
	Grace *time.Duration

	// Feasible is the number of nodes that take the pod as things are.
	Feasible int
	// TurnedDown counts the nodes that do not take the pod as things are, by
	// what they failed with; Unhelpful those of them on which preemption was
	// tried and does not help, by why. The most frequent come first.
	TurnedDown, Unhelpful []Count
}

// Count is a number of nodes with one status.
type Count struct {
	Status
	Nodes int
}

// Candidate is a node on which taking the victims away makes room.
type Candidate struct {
	Node string
	// Victims have to leave, the most important first.
	Victims []Victim
	// Score is what the candidates are ranked by.
	Score Score
	// OwnScores are what the caller's scorers said, one each.
	OwnScores []int64
}

// Violations is the number of victims whose loss violates a budget, or of
// budgets, as the policy has it.
func (c *Candidate) Violations() int { return c.Score.Violations }

// Victim is a pod that has to leave, and why.
type Victim struct {
	Pod *outrank.Pod
	// Violated are the budgets that count as violated by losing the pod, in
	// the order of the cluster; empty for most victims. A budget is charged for
	// every possible victim on the node in order of importance, not only for
	// the actual ones (rule 6.3.7), so that a pod may be here whose budget
	// would have had room for it alone.
	Violated []*outrank.PodDisruptionBudget
	// Blocks is what the preemptor failed with when this pod was put back, or
	// before it was taken away; Success where an extender named the victim.
	Blocks Status
}

// Terminating reports whether the victim is on its way out already, so that
// nothing has to be done about it.
func (v Victim) Terminating() bool { return v.Pod.Terminating() }

// String names the victim.
func (v Victim) String() string { return v.Pod.Key() }

// Score is what decides between nodes (chapter 11). Lower is better but for
// Start.
type Score struct {
	// Violations is the number of budget violations, by default that of the
	// victims that violate a budget.
	Violations int
	// TopPriority is the priority of the most important victim.
	TopPriority int32
	// PrioritySum is the sum of the victims' priorities, each shifted by 2^31.
	PrioritySum int64
	// Victims is their number.
	Victims int
	// Start is the earliest start among the victims of the top priority; the
	// later the better.
	Start time.Time
}

// Explanation is a Plan with everything that was looked at on the way.
type Explanation struct {
	Plan
	// Candidates are all of them, the best first, in the order of the ranks.
	// They are worked out for every node on which preemption may help (of which
	// a Sample may leave some out), also where the pod fits elsewhere or may not
	// preempt.
	Candidates []Candidate
	// DecidedBy is the rank in which the first candidate beats the second; 0
	// where there are fewer than two.
	DecidedBy Rank
	// Nodes says for every node, in the cluster's order, how it took the pod.
	Nodes []NodeReport
}

// NodeReport is what one node says to the pod.
type NodeReport struct {
	Node string
	// Status is the answer as things are.
	Status Status
	// Tried is set where preemption was tried, and AfterRemoval is then the
	// answer of that: Success for a candidate.
	Tried        bool
	AfterRemoval Status
}

// sortCounts sorts by frequency, and then by text.
func sortCounts(cs []Count) {
	slices.SortStableFunc(cs, func(a, b Count) int {
		if c := cmp.Compare(b.Nodes, a.Nodes); c != 0 {
			return c
		}
		var space [2][256]byte
		if c := bytes.Compare(a.Status.appendText(space[0][:0]), b.Status.appendText(space[1][:0])); c != 0 {
			return c
		}
		return cmp.Compare(a.Code, b.Code)
	})
}
