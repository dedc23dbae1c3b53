// Package question answers the questions about a cluster that go beyond "who would this pod push out?". What
// becomes of all pending pods, in their order? How many replicas of a pod find room? Why not on that node? What
// does a change of priority classes do? What if nodes are drained or lost? What becomes of victims? What does a
// kubelet say to a pod that is bound to its node?
//
// Each question is a function that takes a [Setting] and returns a result. A result can be written as JSON and,
// with WriteText, for people. It holds everything; WriteText shows the first few of each list. Texts from the
// cluster are made safe for a terminal.
//
// A question works on a clone, and leaves the cluster and the snapshot of its setting as they are. The same input
// has the same result. Any number of questions may be asked at once, each with a snapshot of its own.
//
// A [Scenario] makes changes first: nodes are removed or added, pods are created, classes and budgets change.
// Every question can then be asked about its [Scenario.Setting]. Its own questions, [Scenario.Aftermath] and
// [Scenario.MoreNodes], play every pod's turn to the end.
package question
