// Package sim answers what becomes of a cluster and the pods that want to run on it: a discrete-event
// simulation on virtual time, to be imported by programs that bring a workload, rules or questions of
// their own. A run is a cluster, the work to come and a configuration; the zero configuration does what
// kube-scheduler does.
//
//	run, err := sim.New(cluster, work, sim.Config{Recreate: sim.Recreate{Rule: sim.RecreateWhenGone}})
//	...
//	result, err := run.Run(ctx)
//	fmt.Println(result.Pods.Finished, result.Lost.CPUHours)
//
// It is made of the parts of the library and nothing hidden. Pods arrive in a queue (package
// preemption/scheduler/queue), go through scheduling cycles, are placed by a scoring rule, push others out
// (packages preemption and preemption/scheduler/execution), come to their end, are evicted and end within their
// grace period, and are recreated by controllers.
//
// # What a program can bring
//
//   - Filters, costs, guards and all else that decides about preemption: [Scheduler].Preemption. A
//     filter counts both where pods are placed and where they push others out; [FilterByPods] makes
//     one of a function.
//   - A score for one node ([Score]), or for all of them beside each other ([Scorer]): with
//     &score.Scorer{} pods go where kube-scheduler puts them. Nodes and pods may carry a Value of the
//     program's, which stays with every version of them.
//   - Processes that draw during the run what happens next ([Simulation.AddProcess]): pods that come
//     ([Arrivals]), nodes that fail and are repaired ([Failures]), or any [Change]; and an
//     [Autoscaler], which is asked at times which nodes are to come and to go.
//   - Changes at given times ([Simulation.At]): [AddPod], [AddNode], [Drain], [FailNode], [SetBudgets]
//     and others.
//   - Hooks: [Config].Bind and Evict may fail, Decided sees each plan, Follow hears what happens to
//     every pod and node, evictions with their [Cause], and Observe refused attempts, too.
//
// Package metrics beside this one makes slowdown, goodput, fairness and fragmentation of what Follow
// hears, package workload reads traces, and package chart draws. The simulator program is a thin face of
// these packages, and program gpus an example of rules of its own in 100 lines.
//
// # What it promises
//
// Nothing that is given is changed. Nothing reads the wall clock, and dice are rolled only by
// [Config].Seed: the same input gives the same events and the same result, to the byte. Bad input is an
// error that names object and field. With [Config].Audit a run checks itself at every event: that no
// node is overcommitted, that every pod's life adds up, and that lost work does.
//
// The package is part of the library's module and has its versions. .github/CHANGELOG.md says what an
// importer must change. New settings have zero values that change nothing. New kinds of events may be
// added, so that a switch over [EventKind] needs a default.
//
// # Time
//
// There is one clock, and it is virtual. What is going to happen stands on an agenda in a total order:
// by time, then by kind, then in the order in which it was put there. At one time pods come to their end
// first; then those leave whose grace period is over, kubelets look at usage, changes come from outside,
// and pods arrive. The scheduler comes last: it begins with a pod only when everything is done that is due
// by then.
//
// # A scheduling cycle
//
// A cycle is an attempt of package preemption/scheduler/attempt ([attempt.Loop.Attempt]):
//
//  1. The first pod is popped from the queue.
//  2. [engine.Evaluator.Feasible] lists the nodes that take it. If the node
//     it is nominated to is one of them the pod is placed there, else where the
//     [Score] is highest. Without kubelets it runs from that moment on.
//  3. Where no node takes it, [engine.Evaluator.Preempt] decides who must
//     leave. The plan is executed, the [history.Log] records it, and the pod goes
//     back to the queue: its nomination is set, kept or cleared.
//
// # Gangs
//
// Groups of pods are queued as one, placed all or none and preempted as units where the
// cluster's release has them (v1.37 with the feature gate GenericWorkload) and the queue
// is a [PriorityQueue]. A cycle with a gang asks [engine.Evaluator.PreemptGroup], which
// places its pods one after another in the order of the queue, each where the [Score] is
// highest beside those before; ties go to the first node. A plan is carried out, and the
// gang goes back to the queue. A gang that was evicted is made anew pod by pod, like any pod,
// and its pods wait together until there are enough of them. Pods that have come to their end
// do not come back, so the MinCount of a gang falls to the number of pods that can.
//
// Writes take no time: what a plan asks for has happened when the cycle is over,
// in every order of execution, so that no pod must be kept out of the queue
// while its plan is carried out (rule 14.2.5). In the asynchronous order nothing is
// done where all victims are on their way out (rule 14.2.6).
//
// The snapshot that all of this looks at is changed in place. It holds the pods
// on nodes, those that are being deleted among them, and the pending pods that
// the [execution.Nominator] has nominated.
//
// # Kubelets
//
// With [Config.Kubelets] a pod that is bound does not run yet. The kubelet of its node
// admits it, as [kubeletadmit.Admit] does, beside the pods that have started there.
// A pod may also come to a node past the scheduler, and a static one must. A kubelet
// does one thing at a time: it kills the victims of a critical pod one after another, and
// all pods behind that one wait meanwhile. To the schedulers a critical pod is on its node
// from its arrival on. A pod that is turned away has failed, and its controller
// makes it anew; nobody does that for static pods.
//
// A pod uses what its [Work] or [SetUsage] says, and as much as it requests where nothing
// is said; nothing is guessed. A node is under memory pressure while the pods that have
// started there use more memory than it can allocate, and under disk pressure likewise for
// ephemeral-storage. A node has enough of a resource that it does not name. Kubelets look
// at whole multiples of [Kubelets.Period]. A kubelet that sees a pressure puts the taint of
// its condition on the node, turns pods away as the condition demands, and evicts one pod at a
// time, with a second to end: the first by [kubeletadmit.RankForEviction] among the running pods
// that are not critical. The taint is taken back when no pressure was seen for
// [Kubelets.Transition]. PIDs and inodes are not followed. A controller waits twice as long each
// time, and gives up on a pod that failed too often ([Kubelets.Retries]), so that a run ends.
//
// # Equal pods
//
// In a full cluster most attempts come to nothing: after each departure all pods that wait
// are tried. Pods that a scheduler cannot tell apart share that
// answer until something changes that concerns them, and [queue.Queue.Refuse]
// makes all their attempts at once. The result is the same, to the
// byte, as with [Config.OneByOne]. With an observer the attempts are made one by
// one, since each is an event, but still share answers. Nothing is shared between
// pods in groups, nor where code of the caller's in [Scheduler.Preemption] has a say.
//
// # Where it is simpler than a cluster
//
//   - The scheduler rests while every pod that waits has been tried since
//     anything changed: trying again could only give the same answers. So a
//     FIFO queue, which has no backoff, does not spin.
//   - Filters see pods and nodes as they are at that moment; there is no
//     delay between a change and the news of it.
//   - There is no step between the choice of a node and the start of the pod, so
//     that no victim is ever waiting to be bound.
//   - A pod that has a start is ready, and one that is being deleted takes room
//     until it is gone: when its grace period is over, or when its work is done
//     if that is earlier.
//   - A pod that a kubelet evicts looks to schedulers and controllers like one that is
//     being deleted, from the moment at which it is told to go.
package sim
