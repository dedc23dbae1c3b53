// Package report says how a cluster stands with preemption, without a pod to ask about: what
// waits and what would help it, the drain of every node, who could be pushed out by new pods of
// which class and whether they would find a place elsewhere, the room that each class has, and
// what is odd about the classes. [Make] makes a [Report], and [Compare] says what changed
// between two.
//
// What is said would happen was tried on a copy of the snapshot; what follows from priorities
// or amounts alone says so. A report holds names and figures and none of the caller's objects,
// and can be written to JSON. The same cluster has the same report.
package report
