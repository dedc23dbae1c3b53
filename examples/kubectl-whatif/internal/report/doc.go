// Package report answers how a cluster stands with preemption, without a pod to ask about. What waits,
// and what would help it? How does the drain of each node go? Which pods could new pods of a class push
// out, and would these find a place elsewhere? How much room does each class have? What is odd about the
// classes? [Make] makes a [Report], and [Compare] says what changed between two.
//
// Whatever a report says would happen was tried on a copy of the snapshot. Where something follows from
// priorities or amounts alone, the report says so. It holds names and figures and none of the caller's
// objects, and can be written as JSON. The same cluster has the same report.
package report
