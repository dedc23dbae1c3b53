// Package preemption answers: who has to leave a Kubernetes cluster so that a more important pod can
// run, on which node, and why? It has the words of the question, of the configuration and of the
// answer. Package preemption/engine decides:
//
//	snap, err := engine.NewSnapshot(cluster)
//	eval, err := engine.New(preemption.Config{})
//	plan, err := eval.Preempt(ctx, snap, preemption.Request{Pod: pod, Now: now})
//	fmt.Println(plan.Outcome, plan.Node, plan.Victims)
//
// The pod of a [Request] fits already, or these victims on that node make room, or it may not preempt,
// or nothing helps: that is the [Outcome] of a [Plan]. "No" is an outcome with its reasons and never an
// error. Explained, a plan has the answer of every node and every candidate. A [GroupPlan] is the answer
// for pods that can only run together.
//
// The zero [Config] decides as kube-scheduler does, looking at every node; each of its settings changes
// one thing. A [Status] is what a node says of a pod, a [Score] what candidates are compared by, and a
// [Rank] a step in that comparison. A caller adds a [Filter], a [Guard], a [Rank] or a [Chooser] of its own.
//
// All of it is data. A plan may be written as JSON (PLAN_JSON.md in this folder); the pods and budgets
// that it points to are those of the cluster.
//
// Comments cite rules by number, as in "rule 9.3" or "chapter 11": they are in RULES.md in
// this folder.
package preemption
