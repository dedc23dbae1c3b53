// Package preemption decides which pods have to leave a Kubernetes cluster so
// that a more important pod can run, and on which node. It decides what the
// DefaultPreemption plugin of kube-scheduler v1.37 decides, or that of v1.36 where
// the cluster's release says so.
//
// # Use
//
// A [Snapshot] is the indexed state of a cluster. It is built once and then
// changed in place. Changes can be tried and reverted exactly:
//
//	snap, err := preemption.NewSnapshot(cluster)
//	mark := snap.Mark()
//	...
//	snap.Undo(mark)
//
// An [Evaluator] is a configuration, ready for use. It holds no state of any
// cluster:
//
//	eval, err := preemption.NewEvaluator(preemption.Config{})
//
// A [Plan] is the answer: the pod fits already, or these victims on that node
// make room, or the pod may not preempt, or nothing helps. "No" is an answer
// and not an error. An error means that the input makes no sense or that the
// context ended the search.
//
//	plan, err := eval.Preempt(ctx, snap, pod, now)
//	fmt.Println(plan.Outcome, plan.Node, plan.Victims)
//
// [Evaluator.Explain] returns the same plan with the reasons of every node and
// with all candidates. [Evaluator.ExplainNode] tells of one node, and
// [Evaluator.Candidates] finds the best few candidates.
//
// [Evaluator.Feasible] lists the nodes that take a pod as things are, for
// schedulers that score them. [Evaluator.Check] asks one node.
//
// [Evaluator.PreemptGroup] decides for a group of pods that can only run
// together, and evicts whole groups that cannot be parted.
// [Snapshot.ApplyGroup] applies its [GroupPlan].
//
// A [Config] changes the rules: [Filter] adds filters, MayEvict protects pods, MayTake
// says who may take from whom in place of lower priority, a [Guard] which pods may leave
// together (package preemption/tenancy has such rules ready-made),
// Importance and Scorers replace the orders, Cost says what a victim costs, for the
// rank [ByCost], an [Extender] changes candidates,
// a [Sample] limits the nodes as kube-scheduler does, and a [Policy] is a
// variant of an old scheduler.
//
// Deciding has no effect outside the call, and this package imports nothing
// that has one. Package preemption/execution carries a plan out through an
// interface of the caller, keeps nominations, and handles pods that could not
// be scheduled. Package preemption/history finds cascades and cycles among the
// preemptions that happened. Package preemption/joint plans for several pods at once.
// Package priority/queue holds the pods that wait.
// Program examples/simulator puts all of it together.
//
// # Rules
//
// Chapters 7 to 13 of RULES.md in this package's folder state what is decided:
// the filters (7), which pods may preempt (8), the victims on one node (9), the
// nodes that are tried (10), the best node (11), groups (12) and variants (13).
// Comments cite them by number, as in "rule 9.3", "group 7.16" or "chapter 11".
// Each filter's constant names its group, as [NodeResourcesFit] does. Rules
// below 7 and above 13 are those of other packages: requests (2, package
// resource), importance (4, package priority), budgets (6, package pdb),
// carrying out (14, package preemption/execution).
//
// # The way through the code
//
// ENGINE.md in this package's folder is for somebody who has to change the
// code: the data, the bounds of the search with their proofs, the cache, and
// how to add a filter or a rank.
//
// The words of an answer are those of package decision, which this package has as its
// own. The engine is in packages below internal, each of which uses those before it:
//
//	state    Snapshot and what it keeps
//	filters  one file per filter
//	dryrun   one attempt on one node; the search that evaluates every node
//	search   the search that prunes
//
// A reader may begin with plan.go of package decision, then evaluator.go here, then
// internal/dryrun/dryrun.go, which is chapter 9 in code. descriptor.go of
// internal/filters and a small filter such as ports.go there show how filters work,
// node.go of internal/state what is kept of a node. exhaustive.go of internal/dryrun is
// the whole decision without shortcuts, and search.go of internal/search the shortcuts.
//
// # Where the reference leaves the answer open
//
// The same input has the same answer, whatever the order of pods and budgets in
// it and the number of workers. What the reference leaves open is settled here:
//
//   - Pods with the same priority and start are ordered by namespace and name
//     (rule 4.3.6).
//   - A pod without a start time counts as started at the now of the call (rule
//     4.3.5).
//   - Of nodes that tie in every rank, the first in the cluster's order is
//     chosen (rule 11.7).
//   - Without a [Sample] all nodes are tried; with one the offset is an
//     argument (rule 10.1.1).
//   - The order of equal units is by name, and that of pods within a unit by
//     importance (rule 12.7.5).
//
// Some results of the reference look wrong and are kept:
//
//   - Host ports in a dry run are a set: if two pods on a node hold the same
//     port, removing one frees it (rule 7.6.7).
//   - A ReadWriteOncePod claim in use counts once, however many pods share it.
//     Removing one of them, or a pod of another namespace whose claim has the
//     same name, makes it look free (rule 7.8.5).
//   - A nominated pod's anti-affinity is not seen if no running pod's concerns
//     the preemptor (rule 7.13.16).
//
// Volumes are described by [outrank.Pod].Volumes and [outrank.Node].AttachLimits.
// The reference also looks at claims that are missing, lost, being deleted or not
// bound yet, at storage classes with their capacity, and at volumes attached to a
// node that none of its pods uses. This package does not (rules 7.9.5, 7.10.4 and
// 7.15.4). All nominations that a snapshot holds count, unless [Config].Schedulers
// names the schedulers whose pods' do (rule 7.16.3).
//
// # Calls at once, and cost
//
// Any number of goroutines may use an Evaluator, and may evaluate on one
// snapshot, as long as no goroutine changes the snapshot. The comment of each
// function says what it costs.
package preemption
