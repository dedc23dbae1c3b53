// Package explain answers why package preemption decides as it does: why it chooses this
// node, why each victim leaves, why other pods of lower priority stay, which budgets break,
// what keeps the pod off every other node, and, if nothing helps, what is missing and
// which priority would be enough.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
// A [Question] is a request to an evaluator about a snapshot. [Ask] explains the answer: the
// plan in [Question].Plan or, without one, the plan that the evaluator finds. The explanation
// is a [Report]: data that programs read as JSON, described field by field in REPORT_JSON.md in
// this folder. [Report.Text] makes text for people from the same data and from nothing else,
// so a report that was stored and read back says the same.
//
// [WhyNot] says everything about one node, and [Group] explains a plan for a group of pods.
// [Replacements] says what becomes of the victims: which are recreated and where, and which
// pods they preempt in turn. [RoomOn] says how much room a node has with some of its pods gone.
//
// If the pod gets no node, the package changes a scratch copy of the snapshot step by step
// until a node takes the pod. So a report also names the obstacles behind the first one. It
// says that a change would help only after the change was made and the node was asked again
// (see [Way], [Nothing] and [Leaving]).
//
// Each statement comes from asking the filters again with pods gone, or from finding the
// obstacle itself in the snapshot. If neither shows the obstacle, as with a filter of the
// caller, the report repeats the filter's own words.
//
// A [List] of names is cut at [Options].Most, and says how many it leaves out.
//
// An explanation takes the time of [engine.Evaluator.Explain], and looks once at the pods of
// each node that refused the pod. If the pod gets no node, it asks nodes up to 64 more
// questions with something changed. If nothing helps, it also decides about the pod with at
// most 256 other priorities, and with as many again if copies of the pod are in its way.
package explain
