// Package preemption answers which node, which victims, and why: who has to
// leave a cluster so that a more important pod can run. It decides what
// kube-scheduler v1.36's DefaultPreemption plugin decides.
//
// # The three things
//
// A [Snapshot] is the indexed state of a cluster. It is built once and then
// changed in place; changes can be tried and taken back exactly:
//
//	snap, err := preemption.NewSnapshot(cluster)
//	mark := snap.Mark()
//	...
//	snap.Undo(mark)
//
// An [Evaluator] is a configuration, ready for use; it holds nothing of any
// cluster:
//
//	eval, err := preemption.NewEvaluator(preemption.Config{})
//
// A [Plan] is the answer: the pod fits already, or these victims on that node
// make room, or it may not preempt, or nothing helps. "No" is an answer and
// not an error; an error means that the input makes no sense or that the
// context ended the search.
//
//	plan, err := eval.Preempt(ctx, snap, pod, now)
//	fmt.Println(plan.Outcome, plan.Node, plan.Victims)
//
// [Evaluator.Explain] gives the same plan with the reasons of every node and
// all candidates.
//
// A [Config] changes the rules: filters of the caller's own, whom to spare, what
// counts as important, other ranks, extenders, a sample of the nodes as
// kube-scheduler takes it, and the variants of old schedulers by name
// ([Policy]).
//
// [Evaluator.PreemptGroup] asks for a group of pods that can only run all
// together, and takes away whole groups where they cannot be parted; its
// [GroupPlan] is carried out by [Snapshot.ApplyGroup].
//
// # Carrying it out
//
// Deciding has no effect outside the call, and this package imports nothing that
// has one. Package preemption/execution carries a plan out through an interface
// of the caller, keeps the nominations, and does what is to be done about a pod
// that could not be scheduled. Package preemption/history is told of the
// preemptions that happened, and finds cascades and cycles among them. Package
// priority/queue holds the pods that wait for their turn.
//
// [Evaluator.Feasible] lists the nodes that take a pod as things are, for
// schedulers that score them. Program examples/simulator puts all of it
// together.
//
// # Rules
//
// Chapters 7 to 13 of RULES.md in this package's folder state what is decided,
// and comments cite them, as in "rule 7.7.3" or "group 7.16".
//
// # Where the reference leaves the answer open
//
// Same input, same answer, whatever the order of pods and budgets in the input
// and the number of workers. Three things that the reference leaves to chance
// are settled here:
//
//   - Pods equal in priority and start time are ordered by namespace and name.
//   - A pod without a start time counts as started at the now of the call,
//     every time it is looked at.
//   - Of nodes that tie in every rank, the first in the cluster's order is
//     chosen.
//
// Host ports in a dry run are a set, as in the reference: when two pods on a
// node hold the same port, taking one away frees it. A ReadWriteOncePod claim in
// use counts once, also as in the reference, however many pods share it: taking
// away one of them, or a pod of another namespace whose claim has the same name,
// makes it look free.
//
// Volumes go by what stands in [outrank.Pod].Volumes and
// [outrank.Node].AttachLimits. Three things that the reference looks at besides
// are left out: claims that are missing or not bound yet, storage classes with
// their capacity, and volumes attached to a node that none of its pods uses.
package preemption
