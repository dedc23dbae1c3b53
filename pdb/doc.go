// Package pdb answers: does the eviction of this pod violate a disruption
// budget, and which one?
//
// A budget covers the pods of its own namespace that its selector picks, and
// says how many of them may still be evicted voluntarily. Preemption goes
// through its possible victims and charges the budgets that cover each of them, in
// the order in which the budgets were given. A victim is violating if that takes a
// budget below zero. From v1.37 on the budgets behind that one are not charged for the
// victim (rule 6.3.8); in v1.36 they are.
//
// [Budgets] are the budgets of a cluster, prepared for finding those that cover
// a pod. A [Ledger] counts what has been charged. [Budgets.Split] does both for
// a whole list. [StatusOf] computes the allowance itself if no controller keeps
// it, and [Fill] does so for all budgets of a cluster.
//
// # Rules
//
// Chapter 6 of RULES.md in this package's folder states what this package does,
// and comments cite it, as in "rule 6.3.4". In Kubernetes these rules are
// filterPodsWithPDBViolation of the scheduler's preemption and, for the status,
// the disruption controller.
package pdb
