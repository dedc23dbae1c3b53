// Package preemption answers: who has to leave a Kubernetes cluster so that a more important pod can run, on
// which node, and why? It declares the question, the configuration and the answer, and carries out the rules
// in the plainest way:
//
//	plan, err := preemption.Preempt(cluster, preemption.Request{Pod: pod, Now: now}, preemption.Config{})
//	fmt.Println(plan.Outcome, plan.Node, plan.Victims)
//
// The [Outcome] of a [Plan] says that the pod of the [Request] fits already, that victims on a node make
// room, that the pod may not preempt, or that nothing helps. "No" is an outcome with its reasons, and never
// an error. [Explain] adds the answer of every node and every candidate. [PreemptGroup] answers for pods that
// can only run together.
//
// The zero [Config] decides as kube-scheduler does, but looks at every node. Each setting changes one thing.
// A [Status] is the answer of a node about a pod. Candidates are compared by their [Score], one [Rank] after
// another. A caller may add a [Filter], a [Guard], a [Rank] or a [Chooser] of its own.
//
// Package preemption/engine answers the same questions with the same plans a thousand times faster, over a
// snapshot that is changed in place. It calls none of the rules here, and tests hold it to them.
//
// # How to read the rules
//
// Begin with preempt.go, which has the four steps of a decision. attempt.go and before.go have what is worked
// out before the first node. fits.go lists the filters, which stand in filter_*.go, and dryrun.go follows one
// node while pods leave it and come back. Then come eligible.go, units.go, victims.go, budgets.go,
// candidates.go and ranks.go, about a chapter each. That is all for a single pod; group_*.go are about pods
// that preempt together.
//
// Where a variant or a setting goes another way, the rules call a step (steps.go). Its plain form stands in
// the file of its chapter. The other forms have files of their own, which you need not read at first:
// v113.go, simplified.go, spare.go, choosers.go, exact.go, across.go, extenders.go, callers.go, resize.go.
//
// Comments cite rules by number, as in "rule 9.3" or "chapter 11". The rules are in RULES.md in this folder;
// chapters 1 and 2 are in the RULES.md of package resource, 4 in the one of priority, 6 in the one of pdb. No
// filter reads claims for devices; the plan for a pod that has some carries a warning.
//
// Questions and answers are plain data. A plan can be written as JSON (PLAN_JSON.md in this folder). It points
// to the pods and budgets of the cluster.
package preemption
