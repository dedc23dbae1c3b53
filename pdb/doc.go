// Package pdb answers: whose disruption budget would that break?
//
// A budget covers the pods of its own namespace that its selector picks, and
// says how many of them may still go by choice. Preemption goes through its
// possible victims and charges every budget that covers one of them; a victim
// is violating if that takes any of those budgets below zero.
//
// [Budgets] are the budgets of a cluster, prepared for finding those that cover
// a pod. A [Ledger] keeps count of what has been charged. [Budgets.Split] does
// both for a whole list. [StatusOf] works out the allowance itself where no
// controller keeps it.
//
// Section 4 of the rules holds what this package follows; upstream it is
// filterPodsWithPDBViolation of the scheduler's preemption and, for the status,
// the disruption controller.
package pdb
