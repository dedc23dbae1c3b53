package main

import (
	"time"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// Answer is the model of the text: a decision in the order of its parts there. Limited lists hold at most as
// many entries as --list allows; the number beside such a list counts all.
type Answer struct {
	// Cluster describes the cluster in question.
	Cluster Dump
	// Now is the time from which ages are measured; a missing start time counts as it. It is zero
	// if neither the dump nor --now names a time.
	Now time.Time
	// Pod is the preemptor, the pod that is asked about.
	Pod Asked
	// Resize is set if the pod is on a node already and the question is about its resize there.
	Resize *Resize
	// Caveats are reasons why the answer may not come true.
	Caveats []Warning
	// Then tells what the changes did before the question is asked. It is nil without changes.
	Then *happened

	Outcome preemption.Outcome
	// Ineligible says why the pod may not push others out. It may be set even if the pod fits.
	Ineligible preemption.Ineligibility
	// Refused is set if one of the pod's own demands ended the attempt before any node was looked at.
	// TurnedDown then has the reason alone.
	Refused bool
	// FeasibleNodes are the nodes that take the pod as things are. Their names are limited.
	FeasibleNodes Nodes

	// Node is the chosen node. It is empty unless the outcome is preempt, and so are
	// Victims, Score, Room and ClearedNominations.
	Node string
	// Victims have to leave, the most important first.
	Victims []Victim
	// Score has the values by which the node was chosen.
	Score *Score
	// Goes says where a pod goes that fits. It is empty for any other pod.
	Goes string
	// NoEffect says why the node does not take the pod even once the victims are gone. It is empty if it does.
	NoEffect string
	// Room has a row for the number of pods and for each resource that the pod asks for.
	Room []Room
	// ClearedNominations are the pods that lose their nomination to the node.
	ClearedNominations []Nomination

	// DecidedBy names the first rank in which the node beats RunnerUp. It is empty if only the order
	// of the nodes decides. RunnerUp is nil if there is no other candidate.
	DecidedBy string
	RunnerUp  *Candidate
	// Candidates are the nodes on which pushing others out makes room, the best first, limited. They are listed
	// even if the pod fits elsewhere or may not preempt.
	Candidates     []Candidate
	CandidateCount int

	// TurnedDown counts the nodes that do not take the pod as things are, by reason. Unhelpful counts those of
	// them on which preemption was tried in vain, by the obstacle that remains. Both begin with the most
	// frequent reason.
	TurnedDown []Reason
	Unhelpful  []Reason
	// Hints advise what to do if nothing helps.
	Hints []string
	// Why gives the reasons of the decision.
	Why *explain.Report
}

// Nodes is a number of nodes and the names of the first of them.
type Nodes struct {
	Count int
	Names []string
}

// Victim is a pod that has to leave.
type Victim struct {
	Key           string
	Priority      int32
	PriorityClass string
	Start         time.Time
	Requests      resource.List
	// Owner is Kind/Name of the pod's controller.
	Owner string
	// Violated has the first of the budgets that losing the pod breaks. MoreViolated counts the others.
	Violated     []Budget
	MoreViolated int
	// Terminating is set if the pod is being deleted already.
	Terminating bool
	// With is the group of the pod if all pods of the group leave together. Node is the pod's node if it
	// differs from the chosen one.
	With, Node string
}

// Budget is a disruption budget.
type Budget struct {
	Key string
	// Allowed is the number of the budget's pods that may still go.
	Allowed int32
}

// Score has the values that rank nodes, in the order of the ranks. Lower is better, except for Start, which is
// better later.
type Score struct {
	// Violations is the number of victims that break a budget.
	Violations  int
	TopPriority int32
	// PrioritySum is the plain sum of the victims' priorities. ShiftedSum is the sum that ranks: it raises each
	// priority by 2^31, so that no addend is negative.
	PrioritySum int64
	ShiftedSum  int64
	Victims     int
	// Start is the earliest start time among the victims of the highest priority.
	Start time.Time
}

// Candidate is a node on which pushing pods out makes room.
type Candidate struct {
	Node  string
	Score Score
	// Victims are the keys of the pods that would have to leave, the most important first.
	Victims []string
	// Violated are the keys of the budgets that the loss of the victims breaks.
	Violated []string
}

// Nomination is a pending pod for which an earlier preemption made room.
type Nomination struct {
	Key      string
	Priority int32
}

// Reason is a reason for which a number of nodes do not take the pod.
type Reason struct {
	// Filter is the filter that failed. It is empty if the attempt ended before any filter.
	Filter  string
	Reasons []string
	// Tried is set if pushing pods out was tried because it might have helped.
	Tried bool
	// Nodes are the nodes with this reason. Their names are limited.
	Nodes Nodes
}
