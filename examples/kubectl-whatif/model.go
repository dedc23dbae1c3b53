package main

import (
	"time"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// Answer is the model of the text: a decision in the order of its parts there.
// Lists that are marked as limited hold no more entries than -list allows; the
// number beside them counts all.
type Answer struct {
	// Cluster describes the cluster in question.
	Cluster Dump
	// Now is the time that ages end at and a missing start counts as. It is
	// left out where neither the dump nor -now names a time.
	Now time.Time
	// Pod is the preemptor, the pod that is asked about.
	Pod Asked
	// Resize is set where the pod is on its node, and the question is about its resize
	// there.
	Resize *Resize
	// Caveats are reasons why the answer may not come true.
	Caveats []Warning
	// Then is what changes did before; nil without any.
	Then *happened

	Outcome preemption.Outcome
	// Ineligible says why the pod may not push others out. It may also be set
	// where the pod fits.
	Ineligible preemption.Ineligibility
	// Refused is set where one of the pod's own demands ended the attempt before any
	// node was looked at, so that TurnedDown has nothing but the reason for that.
	Refused bool
	// FeasibleNodes take the pod as things are; the names are limited.
	FeasibleNodes Nodes

	// Node is the chosen one, empty unless the outcome is preempt, and so are
	// Victims, Score, Room and ClearedNominations.
	Node string
	// Victims have to leave, the most important first.
	Victims []Victim
	// Score has the values by which the node won.
	Score *Score
	// Goes says where a pod that fits goes; empty for any other.
	Goes string
	// NoEffect says why the node does not take the pod even once they are gone; empty where it does.
	NoEffect string
	// Room has an entry for the number of pods and for everything that the pod
	// asks for.
	Room []Room
	// ClearedNominations are pods that were to get room on the node and lose
	// that claim.
	ClearedNominations []Nomination

	// DecidedBy names the first rank in which the node beats RunnerUp. It is empty where none does but
	// the order of the nodes; RunnerUp is nil where there is no other candidate.
	DecidedBy string
	RunnerUp  *Candidate
	// Candidates are the nodes on which pushing others out makes room, the best
	// first; limited. They are computed also where the pod fits elsewhere or
	// may not preempt.
	Candidates     []Candidate
	CandidateCount int

	// TurnedDown counts the nodes that do not take the pod as things are, by
	// reason; Unhelpful those of them on which preemption was tried and does
	// not help, by the remaining obstacle. The most frequent come first.
	TurnedDown []Reason
	Unhelpful  []Reason
	// Hints are advice where nothing helps.
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
	// Violated are the budgets that losing the pod breaks, the first of them where
	// they are many; MoreViolated counts the others.
	Violated     []Budget
	MoreViolated int
	// Terminating is set where the pod is on its way out already.
	Terminating bool
	// With is the group whose pods leave together, this one among them. Node is
	// the pod's node if that is not the chosen one.
	With, Node string
}

// Budget is a disruption budget.
type Budget struct {
	Key string
	// Allowed is the number of its pods that may still go.
	Allowed int32
}

// Score has the values that rank nodes, in this order. Lower is better but for
// Start.
type Score struct {
	// Violations is the number of victims that break a budget.
	Violations  int
	TopPriority int32
	// PrioritySum is the plain sum of the victims' priorities. ShiftedSum is
	// the ranked one: each is raised by 2^31 first, so that none is negative.
	PrioritySum int64
	ShiftedSum  int64
	Victims     int
	// Start is the earliest start among the victims of the top priority.
	Start time.Time
}

// Candidate is a node on which pushing pods out makes room.
type Candidate struct {
	Node  string
	Score Score
	// Victims are the keys of the pods, the most important first.
	Victims []string
	// Violated are the keys of the budgets that losing them breaks.
	Violated []string
}

// Nomination is a pending pod that room was made for.
type Nomination struct {
	Key      string
	Priority int32
}

// Reason is why a number of nodes do not take the pod.
type Reason struct {
	// Filter is the rule that failed, empty where no rule was asked.
	Filter  string
	Reasons []string
	// Tried is set where pushing pods out might have helped, so that it was
	// tried.
	Tried bool
	// Nodes counts them; the names are limited.
	Nodes Nodes
}
