// Package sim answers what becomes of a cluster and of the pods that are to run on it. It is a discrete-event
// simulation on virtual time, which programs import to bring a workload, rules or questions of their own. A
// run has an initial cluster, the work to come, and a configuration; the zero configuration does what
// kube-scheduler does.
//
//	run, err := sim.New(cluster, work, sim.Config{Recreate: sim.Recreate{Rule: sim.RecreateWhenGone}})
//	...
//	result, err := run.Run(ctx)
//	fmt.Println(result.Pods.Finished, result.Lost.CPUHours)
//
// It consists of the parts of the library and nothing else. Pods arrive in a queue (package
// preemption/scheduler/queue), go through scheduling cycles, are placed by a score, and preempt others
// (packages preemption and preemption/scheduler/execution). They finish or are evicted, terminate within
// their grace period, and are recreated by controllers.
//
// # What a program can bring
//
//   - Filters, costs, guards and everything else that decides about preemption: [Scheduler].Preemption. A
//     filter applies to placing pods and to preempting for them; [FilterByPods] makes one from a function.
//   - A score for one node ([Score]), or for all nodes at once ([Scorer]): with &score.Scorer{} pods go where
//     kube-scheduler puts them. Nodes and pods may carry a Value of the program, which stays with every version
//     of them.
//   - Processes that draw during the run what happens next ([Simulation.AddProcess]): pods that arrive
//     ([Arrivals]), nodes that fail and are repaired ([Failures]), or any [Change]; and an [Autoscaler], which
//     adds and removes nodes.
//   - Changes at given times ([Simulation.At]): [AddPod], [AddNode], [Drain], [FailNode], [SetBudgets]
//     and others.
//   - Hooks: [Config].Bind and Evict may fail, Decided sees each plan, Follow receives what happens to
//     every pod and node, evictions with their [Cause], and Observe also receives refused attempts.
//
// Package metrics beside this one makes slowdown, goodput, fairness and fragmentation from what Follow
// receives, package workload reads traces, and package chart draws. The simulator program is a thin layer
// over these packages, and program gpus is an example with rules of its own in 100 lines.
//
// # What it promises
//
// Nothing that is given is changed. Nothing reads the wall clock, and only [Config].Seed decides by chance:
// the same input gives the same events and the same result, to the byte. Bad input is an error that names
// object and field. With [Config].Audit a run checks itself at every event: no node is overcommitted, and the
// life of every pod and the lost work add up.
//
// The package is part of the library's module and has its versions. .github/CHANGELOG.md says what an
// importer must change. New settings have zero values that change nothing. New kinds of events may be added,
// so a switch over [EventKind] needs a default.
//
// # Time
//
// There is one clock, and it is virtual. Everything that is to happen is on an agenda in a total order: by
// time, then by kind, then in the order in which it was added. At one time pods finish first; then pods whose
// grace period is over leave, kubelets look at usage, changes come from outside, and pods arrive. The
// scheduler comes last: it takes a pod only when everything that is due has been done.
//
// # A scheduling cycle
//
// A cycle is an attempt of package preemption/scheduler/attempt ([attempt.Loop.Attempt]):
//
//  1. The first pod is popped from the queue.
//  2. [engine.Evaluator.Feasible] lists the feasible nodes. If the node to which the pod is nominated is one of
//     them, the pod is placed there, and otherwise where the [Score] is highest. Without kubelets it runs from
//     then on.
//  3. If there is no feasible node, [engine.Evaluator.Preempt] decides which pods must leave. The plan is
//     carried out, the [history.Log] records it, and the pod goes back to the queue with its nomination set,
//     kept or cleared.
//
// # Gangs
//
// Groups of pods are queued as one, placed all or none, and preempted as units if the cluster's release has
// them (v1.37 with the feature gate GenericWorkload) and the queue is a [PriorityQueue]. A cycle with a gang
// asks [engine.Evaluator.PreemptGroup]. It places the pods one after another in the order of the queue, each
// where the [Score] is highest beside those before; ties go to the first node. If there is a plan it is
// carried out, and the gang goes back to the queue. The pods of an evicted gang are recreated one by one,
// like any pod, and wait together until there are enough of them. Pods that have finished do not come back,
// so the MinCount of a gang falls to the number of pods that can.
//
// Writes take no time. When a cycle is over, everything that its plan asks for has happened, in every order
// of execution, so no pod must be kept out of the queue while its plan is carried out (rule 14.2.5). In the
// asynchronous order nothing is done if all victims are terminating already (rule 14.2.6).
//
// All of this works on one snapshot, which is changed in place. It has the pods on nodes, including those
// that are being deleted, and the pending pods that the [execution.Nominator] has nominated.
//
// # Kubelets
//
// With [Config.Kubelets] a bound pod does not run yet. The kubelet of its node admits it, as
// [kubeletadmit.Admit] does, beside the pods that have started there. A pod may also arrive on a node without
// a scheduler, and a static pod must. A kubelet does one thing at a time: it kills the victims of a critical
// pod one after another, and all pods behind that one wait meanwhile. The schedulers count a critical pod on
// its node from its arrival on. A rejected pod has failed, and its controller recreates it, unless it is
// static.
//
// A pod uses what its [Work] or [SetUsage] says, and otherwise as much as it requests; nothing is guessed. A
// node is under memory pressure while the pods that have started there use more memory than it can allocate,
// and under disk pressure likewise for ephemeral-storage. A node has enough of a resource that it does not
// name. Kubelets look at whole multiples of [Kubelets.Period]. A kubelet that sees a pressure adds the taint
// of its condition to the node, rejects pods as the condition demands, and evicts one pod at a time, with a
// grace period of one second: the first by [kubeletadmit.RankForEviction] among the running pods that are not
// critical. The taint is removed when no pressure was seen for [Kubelets.Transition]. PIDs and inodes are not
// simulated. A controller doubles its delay with each failure of a pod, and gives up if it failed too often
// ([Kubelets.Retries]), so that a run ends.
//
// # Equal pods
//
// In a full cluster most attempts fail, because after each departure all waiting pods are tried. Pods that a
// scheduler cannot tell apart share that answer until a change concerns them, and [queue.Queue.Refuse] makes
// all their attempts at once. The result is the same, to the byte, as with [Config.OneByOne]. With an
// observer the attempts are made one by one, because each is an event, but they still share answers. Pods in
// groups share nothing, nor does anything if code of the caller in [Scheduler.Preemption] takes part.
//
// # Where it is simpler than a cluster
//
//   - The scheduler rests while every waiting pod has been tried since the last change, because another try
//     could only give the same answer. So a FIFO queue, which has no backoff, does not spin.
//   - Filters see pods and nodes as they are at that moment; there is no delay between a change and the news of
//     it.
//   - Nothing happens between the choice of a node and the binding, so no victim is ever waiting to be bound.
//   - A pod that has started is ready. One that is being deleted takes room until it is gone: when its grace
//     period is over, or when its work is done if that is earlier.
//   - To schedulers and controllers, a pod that a kubelet evicts looks like one that is being deleted, from the
//     time of its eviction on.
package sim
