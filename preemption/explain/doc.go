// Package explain answers why package preemption decides as it does: why this
// node, why each victim, why pods of lower priority were spared, whose budget breaks, why
// every other node was out and what stands in the way there by name, and, where nothing
// helps, what is missing and which priority would be enough.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
// A [Question] is a request of an evaluator about a snapshot. [Ask] explains its answer,
// which it decides itself or finds in [Question].Plan. The
// answer is a [Report]: data that programs read as JSON, described field by field in
// REPORT_JSON.md in this folder. [Report.Text] makes text for people from the same data, and
// from nothing else, so that a report which was stored and read back says the same.
//
// [WhyNot] says everything about one node, and [Group] explains a plan for a group of pods.
// [Replacements] says what becomes of the victims: which come back and where, and which pods
// they push out in turn. [RoomOn] says what room there is on a node with some of its pods gone.
//
// Where the pod gets no node, changes are tried on a scratch of the snapshot until it does: a
// report names what stands behind the first thing in the way, and says that something would
// help only where that was done and the node asked again (see [Way], [Nothing] and
// [Leaving]).
//
// Each statement is found by asking the filters again with pods gone, or by looking for
// the thing itself in the snapshot. Where neither shows what stands in the way, as with a
// filter of the caller, a report has the filter's own words alone.
//
// A [List] of names is cut at [Options].Most, and says how many it leaves out.
// Time is that of [engine.Evaluator.Explain] and of one look at the pods of each node
// on which the pod was refused; where it gets no node, besides, that of 64 nodes that are
// asked with something changed, and where nothing helps of a decision for each priority of
// the cluster's pods, at most 256 of them.
package explain
