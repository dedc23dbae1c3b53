// Package differential puts the same question to kube-scheduler's own code and to outrank, and compares the
// answers.
//
// A [Case] is a small cluster of API objects and a pending pod. [Generate] draws one from a seed. A [Harness]
// runs it through a whole scheduling attempt of kube-scheduler. The scheduler is built by scheduler.New with its
// default profile or another one; it has its real event handlers, cache, queue and nominator, and a client that
// records its requests. Nothing runs in the background but what kube-scheduler starts itself, so that a case takes
// some milliseconds. An [Answer] holds what is compared: the status of every node, all candidates with
// their victims and violations, the node that was chosen, the pods that were evicted, the nominations that were
// cleared, and the text of the event.
//
// A case may have more around it ([Around]): extenders, filters and ways out of package thirdparty, other settings
// of the profile, and a second profile. Then the reason and the text of the condition are compared, too, and the
// part of the queue in which the pod ends.
//
// # Ties
//
// If several nodes are equal in every rank, the reference may choose any of them, and any counts as right
// ([Compare]). The same holds for the order of victims with equal priority and start: the reference leaves them
// in the order in which it tried to reprieve them, and outrank sorts them by name. The reference reads
// disruption budgets in the order of a map. Here their informer lists them in the order of the case, so that the
// answer does not depend on luck.
//
// # Versions
//
// The package itself uses nothing that only one version of Kubernetes has. Module v136 compiles it with v1.36.3.
// The Harness holds the differences between versions: how objects become outrank's, and which release's rules
// hold.
//
// # Sequences
//
// A [Sequence] goes on where a case ends. A live scheduler, with its own cache, queue, nominator and bindings,
// tries one pod after another. Meanwhile pods, nodes, budgets, namespaces and storage change, events come late,
// and calls that carry a preemption out fail or hang. Three parties follow it. Followers are told of the changes
// and decide about each attempt. A plugin is asked beside the scheduler's own. A queue of this library is told
// whatever the scheduler's queue is told: both must give the same pods, and hold the others in the same parts.
// Attempts in which outrank differs on purpose are counted by the rule that says so, and not compared.
//
// The pods of a known group are placed together and ask for room together. The scheduler draws lots among nodes
// of the same score, so the followers are given the places that it found ([GroupCycle]), and must find the same
// victims for them.
package differential
