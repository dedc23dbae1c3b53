package main

import (
	"slices"
)

// inquiry is the kind of question.
type inquiry string

// The questions. The first is about one pod, and is the default.
const (
	askPod      inquiry = "pod"
	askAll      inquiry = "pending"
	askGroup    inquiry = "group" // takes the place of askPod for a pod that is scheduled with its group
	askReplicas inquiry = "replicas"
	askWhyNot   inquiry = "whyNot"
	askOnNode   inquiry = "onNode"
	askAcross   inquiry = "across"
	askNodes    inquiry = "moreNodes" // how many more nodes are enough
	askLeast    inquiry = "leastPriority"
	askLargest  inquiry = "largest"
	askEmpty    inquiry = "emptiable"    // which nodes can be emptied together
	askBackward inquiry = "whyPreempted" // which pod pushed out a pod, and why
	askClasses  inquiry = "classes"      // only priority classes change, and nothing else is asked
	askWithout  inquiry = "without"      // only nodes are removed, and nothing else is asked
	askChange   inquiry = "change"       // what any other combination of changes does
	askReport   inquiry = "report"       // how the cluster stands
	askDiff     inquiry = "diff"         // what changed in the report since another dump
)

// everyPending is the value of --pending for all pods that wait.
const everyPending = "all"

// inquiries has the flags of each question that is asked by a flag. asked takes the first question whose flag
// is set, and messages name the flags in this order.
var inquiries = []struct {
	of    inquiry
	flags []string
}{
	{askReplicas, []string{"replicas"}},
	{askWhyNot, []string{"why-not"}},
	{askOnNode, []string{"on-node"}},
	{askAcross, []string{"across"}},
	{askNodes, []string{"more-nodes"}},
	{askLeast, []string{"least-priority"}},
	{askLargest, []string{"largest"}},
	{askEmpty, []string{"emptiable"}},
	{askBackward, []string{"why-preempted"}},
	{askDiff, []string{"diff"}},
	{askReport, []string{"report"}},
}

// asked returns the question that the flags ask. A question named by a flag comes first; then the question
// about a pod, if a pod is named, made or needed; then what the changes do; and without changes, how the
// cluster stands. onePod says that the manifests make a single pod.
func (o *options) asked(onePod bool) inquiry {
	if o.pending == everyPending {
		return askAll
	}

	for _, a := range inquiries {
		if slices.ContainsFunc(a.flags, o.on) {
			return a.of
		}
	}

	// Flags that extend the answer about a pod need a single pod.
	onePod = onePod || o.about.one || o.about.exact || o.about.trace || o.set["replacements"]
	switch {
	case o.pending != "", o.described(), onePod:
		return askPod
	case len(o.changes) == 0 && o.sampled():
		return askPod
	case len(o.changes) == 0:
		return askReport
	case o.onlyClasses():
		return askClasses
	case !slices.ContainsFunc(o.changes, func(f *flagged) bool { return f.flag != changeWithout }):
		return askWithout
	}
	return askChange
}

// on reports whether the flag of a question was given and is not a switch that is off.
func (o *options) on(name string) bool {
	off := map[string]bool{"across": !o.about.across, "least-priority": !o.about.least, "largest": !o.about.largest}
	return o.set[name] && !off[name]
}

// ofPod reports whether a question is about a pod.
func (a inquiry) ofPod() bool {
	return !slices.Contains([]inquiry{askAll, askClasses, askWithout, askChange, askNodes, askReport, askDiff, askBackward, askEmpty}, a)
}

// played reports whether a question lets pods take their turns in a scenario even if nothing changes.
func (a inquiry) played() bool {
	return slices.Contains([]inquiry{askNodes, askReport, askDiff, askBackward, askEmpty}, a)
}

// fromManifest reports whether the pod in question comes from a manifest.
func (o *options) fromManifest(a inquiry) bool {
	return a.ofPod() && o.pending == "" && !o.described() && len(o.manifests()) > 0
}

// drawn reports whether the answer to a question can be drawn as a page.
func (a inquiry) drawn() bool { return a != askWhyNot && !a.searches() }

// searches reports whether a question is answered by a search that tries changes of its own.
func (a inquiry) searches() bool {
	return a == askNodes || a == askLeast || a == askLargest || a == askEmpty
}
