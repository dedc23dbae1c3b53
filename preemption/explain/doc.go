// Package explain answers why package preemption decides as it does: why it chooses this
// node, why each victim leaves, why other pods of lower priority stay, which budgets break,
// what keeps the pod off every other node, and, where nothing helps, what is missing and
// which priority would be enough.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
// A [Question] is a request to an evaluator about a snapshot. [Ask] explains the answer,
// which it takes from [Question].Plan or has the evaluator find. The explanation is a
// [Report]: data that programs read as JSON, described field by field in REPORT_JSON.md in
// this folder. [Report.Text] makes text for people from the same data and from nothing else,
// so that a report which was stored and read back says the same.
//
// [WhyNot] says everything about one node, and [Group] explains a plan for a group of pods.
// [Replacements] says what becomes of the victims: which come back and where, and which pods
// they push out in turn. [RoomOn] says how much room a node has with some of its pods gone.
//
// Where the pod gets no node, the package changes a scratch of the snapshot step by step
// until a node takes the pod. So a report also names the obstacles behind the first one, and
// it says that a change would help only after the change was made and the node was asked
// again (see [Way], [Nothing] and [Leaving]).
//
// Each statement comes from asking the filters again with pods gone, or from finding the
// obstacle itself in the snapshot. Where neither shows what stands in the way, as with a
// filter of the caller, a report repeats the filter's own words.
//
// A [List] of names is cut at [Options].Most, and says how many it leaves out.
//
// An explanation takes the time of [engine.Evaluator.Explain] and of one look at the pods of
// each node that refused the pod. Where the pod gets no node, up to 64 questions to nodes
// with something changed are added. Where nothing helps, the pod is also decided about with
// other priorities, at most 256 of them, and once more with as many where copies of the pod
// are in its way.
package explain
