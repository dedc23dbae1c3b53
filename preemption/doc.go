// Package preemption has the words in which a decision about preemption is told: what becomes
// of a pod or of a group, who has to leave from which node, why, and how good that is.
//
// A [Plan] is the answer for one pod, with every node and every candidate where one asks for
// these, a [GroupPlan] the answer for a group. A [Status] is what one node says of a pod.
// A [Score] is what candidates are compared by, and a [Rank] a step in that comparison.
//
// All of it is data, made by package preemption/engine. A plan may be written as JSON
// (PLAN_JSON.md in this folder); the pods and budgets that it points to are those of the cluster.
//
// Comments cite rules by number, as in "rule 9.3" or "chapter 11": they are in RULES.md in
// this folder.
package preemption
