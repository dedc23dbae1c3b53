// Package engine answers which pods have to leave a Kubernetes cluster so that a more important pod can run,
// and on which node. It is made for simulators and schedulers that ask about one cluster again and again. It
// decides as the DefaultPreemption plugin of kube-scheduler v1.37 does, or as that of v1.36 if the cluster's
// release says so.
//
// A [Snapshot] is the indexed state of a cluster, changed in place. An [Evaluator] is a configuration ready
// for use. Questions and answers are types of package preemption: a [preemption.Plan] says that the pod fits
// already, or that these victims on that node make room, or that the pod may not preempt, or that nothing
// helps.
//
//	snap, err := engine.NewSnapshot(cluster)
//	eval, err := engine.New(preemption.Config{})
//	plan, err := eval.Preempt(ctx, snap, preemption.Request{Pod: pod, Now: now})
//	fmt.Println(plan.Outcome, plan.Node, plan.Victims)
//
//	mark := snap.Mark() // what if?
//	err = snap.Apply(plan)
//	err = snap.Undo(mark) // exactly as before
//
// "No" is an answer and not an error. An error means that the input makes no sense or that the context ended
// the search. Deciding has no effect outside the call. [Snapshot.Apply] carries a plan out on a snapshot, and
// [Evaluator.Verify] says whether it is still valid there. [Snapshot.Mark] and [Snapshot.Undo] let a caller
// try changes and take them back exactly.
//
// [Evaluator.Explain] gives the same plan with the reasons of every node, and [Evaluator.Candidates] the best
// few candidates. [Evaluator.PreemptGroup] gives the plan for pods that can only run together, and
// [Evaluator.Feasible] the nodes that take a pod without preemption. [Evaluator.LookAt] shows how a node
// would answer with some of its pods gone. A [preemption.Config] changes the rules; the table in its comment
// says which of its fields go together.
//
// Other packages below preemption act on a plan (scheduler/execution), make whole attempts of a scheduler
// (scheduler/attempt), explain a plan in words (explain), plan for several pods at once (planner/joint), have
// rules for tenants (planner/tenancy) and read the configuration of a scheduler (scheduler/config).
//
// The answer depends neither on the number of workers nor on the order of the input, except that of nodes, which
// decides the last tie, and from v1.37 on that of budgets (rule 6.3.8).
// [RULES.md] has the rules; comments cite them by number. If the reference leaves the answer open, or looks
// wrong and is followed, the rule says so after "Here:". [ENGINE.md] says how the search prunes and why that
// is exact.
//
// Any number of goroutines may use an Evaluator, and may evaluate on one snapshot, as long as
// none of them changes the snapshot. The comment of each function says what it costs.
//
// [RULES.md]: https://github.com/outrank-go/outrank/blob/main/preemption/RULES.md
// [ENGINE.md]: https://github.com/outrank-go/outrank/blob/main/preemption/engine/ENGINE.md
package engine
