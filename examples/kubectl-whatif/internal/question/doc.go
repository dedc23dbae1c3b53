// Package question answers what somebody asks of a cluster beyond "who would this pod push
// out": all pending pods in their order, replicas of a pod, a single node, a change of
// priority classes, nodes that are drained or lost, what becomes of victims, and what a
// kubelet says to a pod that is bound to its node.
//
// Each question is a function with a [Setting] that returns a result, which can be
// written to JSON and, with WriteText, for people. A result holds everything; WriteText
// shows the first few of each list. Texts from the cluster are made safe for a terminal.
//
// The cluster and the snapshot of a setting are left as they are: a question works on a
// clone. The same input has the same result. Any number of questions may be asked at
// once, each with a snapshot of its own.
//
// A [Scenario] makes changes first, and its [Scenario.Setting] is what every question can be
// asked about: nodes that go or come, new pods, other classes and budgets. Its own questions,
// [Scenario.Aftermath] and [Scenario.MoreNodes], play every pod's turn to the end.
package question
