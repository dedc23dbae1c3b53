package main

import (
	"time"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// Answer is the model of the text: a decision in the order of its parts there.
// Lists that are marked as limited hold no more entries than --list allows; the
// number beside them counts all.
type Answer struct {
	// Cluster describes the cluster in question.
	Cluster Dump
	// Now is the time from which ages are measured; a missing start time counts as it. It is zero
	// if neither the dump nor --now names a time.
	Now time.Time
	// Pod is the preemptor, the pod that is asked about.
	Pod Asked
	// Resize is set if the pod is on its node, and the question is about its resize there.
	Resize *Resize
	// Caveats are reasons why the answer may not come true.
	Caveats []Warning
	// Then is what the changes did before the question; nil without any.
	Then *happened

	Outcome preemption.Outcome
	// Ineligible says why the pod may not push others out. It may also be set
	// if the pod fits.
	Ineligible preemption.Ineligibility
	// Refused is set if one of the pod's own demands ended the attempt before any
	// node was looked at. TurnedDown then has nothing but the reason for that.
	Refused bool
	// FeasibleNodes take the pod as things are; the names are limited.
	FeasibleNodes Nodes

	// Node is the chosen node. It is empty unless the outcome is preempt, and so are
	// Victims, Score, Room and ClearedNominations.
	Node string
	// Victims have to leave, the most important first.
	Victims []Victim
	// Score has the values by which the node won.
	Score *Score
	// Goes says where a pod that fits goes; empty for any other pod.
	Goes string
	// NoEffect says why the node does not take the pod even once the victims are gone; empty if it does.
	NoEffect string
	// Room has an entry for the number of pods and for everything that the pod
	// asks for.
	Room []Room
	// ClearedNominations are pods that were nominated to the node and lose that nomination.
	ClearedNominations []Nomination

	// DecidedBy names the first rank in which the node beats RunnerUp. It is empty if only the order
	// of the nodes decides. RunnerUp is nil if there is no other candidate.
	DecidedBy string
	RunnerUp  *Candidate
	// Candidates are the nodes on which pushing others out makes room, the best
	// first; limited. They are also computed if the pod fits elsewhere or
	// may not preempt.
	Candidates     []Candidate
	CandidateCount int

	// TurnedDown counts the nodes that do not take the pod as things are, by reason. Unhelpful counts
	// the nodes among them on which preemption was tried and does not help, by the remaining
	// obstacle. The most frequent come first.
	TurnedDown []Reason
	Unhelpful  []Reason
	// Hints are advice if nothing helps.
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
	// Violated are the first of the budgets that losing the pod breaks. MoreViolated counts the others.
	Violated     []Budget
	MoreViolated int
	// Terminating is set if the pod is on its way out already.
	Terminating bool
	// With is the group of the pod, if all its pods leave together. Node is the pod's node if that is
	// not the chosen one.
	With, Node string
}

// Budget is a disruption budget.
type Budget struct {
	Key string
	// Allowed is the number of its pods that may still go.
	Allowed int32
}

// Score has the values that rank nodes, in this order. Lower is better, except for Start: later is
// better.
type Score struct {
	// Violations is the number of victims that break a budget.
	Violations  int
	TopPriority int32
	// PrioritySum is the plain sum of the victims' priorities. ShiftedSum is the sum that ranks: each
	// priority is raised by 2^31 first, so that none is negative.
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

// Nomination is a pending pod for which an earlier preemption made room.
type Nomination struct {
	Key      string
	Priority int32
}

// Reason is why a number of nodes do not take the pod.
type Reason struct {
	// Filter is the rule that failed, empty if no rule was asked.
	Filter  string
	Reasons []string
	// Tried is set if pushing pods out might have helped, so that it was
	// tried.
	Tried bool
	// Nodes are the nodes with this reason; the names are limited.
	Nodes Nodes
}
