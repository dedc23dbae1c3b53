// Package reference answers what kube-scheduler's preemption decides for one
// pod, in the simplest way.
//
// It is the reference implementation that package preemption is tested against.
// It is written to be read beside the rules that it follows: one file per
// subject, one short function per rule. It takes pods away and puts them back on
// copied lists, runs every filter again after each of these steps, and adds up
// amounts without any bound. Nothing is indexed and nothing is kept from one
// question to the next. That makes it slow: a decision on a few nodes takes
// milliseconds.
//
// The rules that its comments cite stand in the files RULES.md of the packages:
//
//	 1 and 2  resource: quantities, requests
//	 3        qos: quality of service classes
//	 4        priority: priority and importance
//	 6        pdb: disruption budgets
//	 7 to 13  preemption: filters (7), eligibility (8), victims on one node (9),
//	          the nodes that are tried (10), the best node (11),
//	          groups (12)
//	17        kubeletadmit: admission by the kubelet
//
// It leaves out extenders (group 10.2).
// [DecideGroup] is the same for a group of pods (chapter 12). What leaves is counted in
// units, of which a single pod is one (units.go, lineage.go); a group that preempts is
// placed (groupplace.go, grouptree.go), and from v1.37 on stays where it is while units
// are put back (groupwhole.go, groupreprieve.go).
package reference

import (
	"github.com/outrank-go/outrank"
)

// Code is the result of a node.
type Code int

// The codes. Taking pods away may help on an Unschedulable node, and cannot on
// an UnschedulableAndUnresolvable one.
const (
	Success Code = iota
	Unschedulable
	UnschedulableAndUnresolvable
)

// Contradiction is the code of a node on which nobody has to leave after all. It
// follows from statuses that were found elsewhere.
const Contradiction = UnschedulableAndUnresolvable + 1

// budgetsForbid is the status of a node with room for no violation at all.
var budgetsForbid = Status{Code: Unschedulable, Reasons: []string{"making room would violate a disruption budget"}}

// String is the code's name in kube-scheduler.
func (c Code) String() string {
	switch c {
	case Success:
		return "Success"
	case Unschedulable:
		return "Unschedulable"
	case UnschedulableAndUnresolvable:
		return "UnschedulableAndUnresolvable"
	}
	return "unknown code"
}

// Status is the result of a node, with the filter that decided it.
type Status struct {
	Code Code
	// Plugin is the filter that failed first; empty for a success and for a
	// result from outside the filters.
	Plugin string
	// ExcludedBy is the filter because of which no other was asked.
	ExcludedBy string
	Reasons    []string
}

// Victim is a pod that has to leave.
type Victim struct {
	Pod *outrank.Pod
	// Violates is set where losing the pod breaks a budget.
	Violates bool
}

// Candidate is a node on which the preemptor fits once the victims are gone.
type Candidate struct {
	Node string
	// Victims are in order of importance, the most important first.
	Victims []*outrank.Pod
	// Violations is the number of victims that break a budget.
	Violations int
	// Details are the same victims in the same order, each with whether it
	// breaks a budget.
	Details []Victim
	// Top is the priority that the second rank reads: that of the first victim.
	Top int32
}

// Decision is the decision for the preemptor. The dry run is done on every
// Unschedulable node, also where some node is feasible or the preemptor may not
// preempt, so that a caller can compare all of it.
type Decision struct {
	// Filter has an entry for every node: how the preemptor fits as things are.
	Filter map[string]Status
	// Feasible are the nodes it fits on, in node order.
	Feasible []string
	// Eligible reports whether the preemptor may preempt at all; if not,
	// EligibleMessage is the reason.
	Eligible        bool
	EligibleMessage string
	// Candidates are in node order. NonCandidates are the other Unschedulable
	// nodes that were tried, with the status of the dry run.
	Candidates    []Candidate
	NonCandidates map[string]Status
	// Best is the candidate the ranks choose; empty if there are none.
	Best string
	// ClearedNominations are the keys of the pods that lose their nomination
	// to Best, sorted.
	ClearedNominations []string
}

// unschedulableBy is a failure that taking pods away may cure.
func unschedulableBy(plugin string, reasons ...string) Status {
	return Status{Code: Unschedulable, Plugin: plugin, Reasons: reasons}
}

// unresolvable is a failure that taking pods away cannot cure.
func unresolvable(plugin string, reasons ...string) Status {
	return Status{Code: UnschedulableAndUnresolvable, Plugin: plugin, Reasons: reasons}
}
