// Package preemption answers: who has to leave a Kubernetes cluster so that a more important pod can
// run, on which node, and why? It has the words of the question, of the configuration and of the
// answer, and the rules themselves, as one reads them:
//
//	plan, err := preemption.Preempt(cluster, preemption.Request{Pod: pod, Now: now}, preemption.Config{})
//	fmt.Println(plan.Outcome, plan.Node, plan.Victims)
//
// The pod of a [Request] fits already, or these victims on that node make room, or it may not preempt,
// or nothing helps: that is the [Outcome] of a [Plan]. "No" is an outcome with its reasons and never an
// error. [Explain] gives the answer of every node and every candidate, and [PreemptGroup] answers for pods
// that can only run together.
//
// The zero [Config] decides as kube-scheduler does, looking at every node; each of its settings changes
// one thing. A [Status] is what a node says of a pod, a [Score] what candidates are compared by, and a
// [Rank] a step in that comparison. A caller adds a [Filter], a [Guard], a [Rank] or a [Chooser] of its own.
//
// Package preemption/engine takes the same questions and gives the same plans, a thousand times faster,
// over a snapshot that is changed in place. It calls nothing of the rules here, and properties hold it to
// them.
//
// # How to read the rules
//
// They begin in preempt.go, with the four steps of a decision. What is worked out before the first node
// stands in attempt.go and before.go; fits.go has the list of filters, each in a file of its own
// (filter_*.go), and dryrun.go a node while pods leave it and come back. Then come eligible.go, units.go,
// victims.go, budgets.go, candidates.go and ranks.go, a chapter each. A pod by itself needs nothing more;
// group_*.go are for pods that preempt together.
//
// Where a variant or a setting goes another way, the rules ask a step (steps.go), whose plain form stands
// in its chapter. The other forms have files of their own, which may stay unread: v113.go, simplified.go,
// spare.go, choosers.go, exact.go, across.go, extenders.go, callers.go, resize.go.
//
// Comments cite rules by number, as in "rule 9.3" or "chapter 11": they are in RULES.md in this folder;
// chapters 1 and 2 are those of package resource, 4 of priority, 6 of pdb. No filter reads claims for
// devices: a plan warns where a pod has some.
//
// All of it is data. A plan may be written as JSON (PLAN_JSON.md in this folder); the pods and budgets
// that it points to are those of the cluster.
package preemption
