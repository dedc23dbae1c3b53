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
//     filter holds where pods are placed as well as where they push others out; [FilterByPods] makes
//     one of a function.
//   - A score for one node ([Score]), or for all of them beside each other ([Scorer]): with
//     &score.Scorer{} pods go where kube-scheduler puts them. Nodes and pods may carry a Value of the
//     program's, which stays with every version of them.
//   - Processes that draw what happens as they go ([Simulation.AddProcess]): pods that come
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
// Nothing that is given is changed. Nothing reads the wall clock or rolls dice but by
// [Config].Seed: the same input gives the same events and the same result, to the byte. Bad input is an
// error that names object and field. With [Config].Audit a run checks itself at every event: that no
// node is overcommitted, that every pod's life adds up, and that lost work does.
//
// The package is part of the library's module and has its versions. What an importer has to change
// stands in .github/CHANGELOG.md; new settings have zero values that change nothing, and the events of a
// run may become more in kind, so that a switch over [EventKind] wants a default.
//
// # Time
//
// There is one clock, and it is virtual. What is going to happen stands on an
// agenda in a total order: the time; at the same time pods that end, then those
// whose grace period is over, then what kubelets look at, then changes from outside,
// then arrivals; and of these the order in which they were put there. The scheduler comes last: at no
// time does it begin with a pod before all is done that is due by then.
//
// # A scheduling cycle
//
// A cycle is an attempt of package preemption/scheduler/attempt ([attempt.Loop.Attempt]):
//
//  1. The first pod is popped from the queue.
//  2. [engine.Evaluator.Feasible] lists the nodes that take it. If the node
//     it is nominated to is one of them the pod is placed there, else where the
//     [Score] is highest. It runs from that moment on.
//  3. Where there is none, [engine.Evaluator.Preempt] decides who has to
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
// gang goes back. A gang that was evicted is made anew pod by pod, like any pod, and its pods
// wait together until there are enough of them. Pods that have come to their end do not
// come back, so the MinCount of a gang falls to the number of those that can.
//
// Writes take no time: what a plan asks for has happened when the cycle is over,
// in every order of execution, so that no pod has to be kept out of the queue
// while its plan is carried out (rule 14.2.5). In the asynchronous order nothing is
// done where all victims are on their way out (rule 14.2.6).
//
// The snapshot that all of this looks at is changed in place. It holds the pods
// on nodes, those that are being deleted among them, and the pending pods that
// the [execution.Nominator] has nominated.
//
// # Kubelets
//
// With [Config.Kubelets] a pod that is bound does not run yet: the kubelet of its node
// admits it, as [kubeletadmit.Admit] does, beside the pods that have started there, the
// most important first.
// A pod may also come to a node past the scheduler, and a static one has to. A kubelet
// does one thing at a time: while the victims of a critical pod leave, which it kills one
// after another, all pods behind it wait. A critical pod has its node in the eyes of the
// schedulers from its arrival on. A pod that is turned away has failed, and its controller
// makes it anew; nobody does that for static pods.
//
// A pod uses what its [Work] says, or [SetUsage], and as much as it requests where nothing
// is said; nothing is guessed. A node is under memory pressure while the pods that have
// started there use more than it can allocate, and under disk pressure where that is so of
// ephemeral-storage; of a resource that it does not speak of it has enough. Kubelets look
// at whole multiples of [Kubelets.Period]. One that sees a pressure puts the taint of
// its condition on the node, turns away who is not admitted then, and evicts the pod that
// [kubeletadmit.RankForEviction] puts first of those that are not critical and not on
// their way out, with a second to end, and the next one when that is gone. The taint is
// taken back when no pressure was seen for [Kubelets.Transition]. PIDs and inodes are not
// followed. A controller waits twice as long each time, and gives up on a pod that failed
// too often ([Kubelets.Retries]), so that a run ends.
//
// # Equal pods
//
// In a full cluster most attempts come to nothing: each departure has all pods
// tried that wait. Pods that differ in nothing a scheduler looks at share that
// answer until something changes that concerns them, and [queue.Queue.Refuse] has
// all of them go through their attempts at once. What comes out is the same, to the
// byte, as with [Config.OneByOne]. With an observer the attempts are made one by
// one, since each is an event, but still share answers. Nothing is shared between
// pods in groups, nor where [Scheduler.Preemption] has more than a policy.
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
