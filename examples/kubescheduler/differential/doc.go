// Package differential puts the same question to kube-scheduler's own code and to
// outrank, and compares the answers.
//
// A [Case] is a small cluster of API objects and a pending pod. [Generate] draws one
// from a seed. A [Harness] runs it through a whole scheduling attempt of
// kube-scheduler, built by scheduler.New with its default profile or another, its real event
// handlers, cache, queue and nominator, and a client that records what is asked of it.
// Nothing runs in the background but what kube-scheduler starts itself, so that a case
// takes some milliseconds. What is compared is in an [Answer]: the status of every
// node, all candidates with their victims and violations, the node that was chosen,
// who was evicted, whose nomination was cleared, and the text of the event.
//
// A case may have more around it ([Around]): extenders, which are served by HTTP, a filter that
// says one thing as things are and another in dry runs, other sets of ways out, and a second
// profile. The reason and the text of the condition are compared then, too, and the part of the
// queue that the pod ends in.
//
// # Ties
//
// The reference leaves open which of several nodes that are equal in every rank is
// chosen: any of them is taken as right ([Compare]). So is any order among victims of the
// same priority and start: it leaves them in the order in which it has put them back in
// vain, and outrank sorts them by name. The order of disruption budgets is
// that of a map there; here their informer lists them in the order of the case, so that
// the answer does not depend on luck.
//
// # Versions
//
// The package itself uses nothing that only one version of Kubernetes has. Module v136
// compiles it with v1.36.3. What differs is in the Harness: how objects become
// outrank's, and whose rules hold.
//
// A [Sequence] goes on where a case ends: a live scheduler, with its own cache, queue,
// nominator and bindings, tries one pod after another while pods, nodes, budgets,
// namespaces and storage change, events come late, and calls that carry a preemption out
// fail or hang. Followers that are told of the changes decide about each attempt, a
// plugin is asked beside the scheduler's own, and a queue of this library is told whatever
// the scheduler's queue is told: both have to give the same pods, and to hold the others in
// the same parts. Attempts in which outrank differs on purpose
// are counted by the rule that says so, and not compared.
//
// Pods of a group that is there are placed together, and ask for room together. The scheduler
// draws lots among nodes of the same score: the others are given the places that it has found
// ([GroupCycle]), and have to take the same victims for them.
package differential
