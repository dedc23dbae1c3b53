package differential

import (
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// extenderErrors match an error of an extender, or about one, in the reference.
var extenderErrors = regexp.MustCompile(`failed (preempt|filter) with extender|an extender fails|claims to preempt pod|expected at least one victim|not found for node name`)

// failing replaces an error of an extender in a compared answer: the texts differ
// (rule 15.3.6).
const failing = "(an extender fails)"

// comparable is an answer of the reference with all permitted differences made
// the same in both: the words of an extender's error, the order of several
// errors, and the end of an event that is cut.
func (a *Answer) comparable(c *Case, ours *Answer, extenderFails bool) *Answer {
	if a.Fits || !c.Around.Any() {
		return a
	}
	same := *a
	if extenderFails || ours.Reason == corev1.PodReasonSchedulerError {
		same.Message, ours.Message = withoutError(a.Message), withoutError(ours.Message)
	}
	same.Message, ours.Message = sortedErrors(same.Message), sortedErrors(ours.Message)
	same.Event, ours.Event = "", ""
	if len(a.Nodes) == 0 { // nobody was asked for a way out
		ours.Candidates, ours.Unhelpful = nil, map[string]Status{}
	}
	return &same
}

// withoutError is a message that ends in an error of an extender, without that.
func withoutError(message string) string {
	before, after, found := strings.Cut(message, " preemption: ")
	switch {
	case found && (extenderErrors.MatchString(after) || strings.Contains(after, "extender x: ")):
		return before + " preemption: " + failing
	case extenderErrors.MatchString(message):
		return failing
	}
	return message
}

// errorList begins the list of several errors in a message.
const errorList = " preemption: ["

// sortedErrors is a message with several errors in an order of their own.
func sortedErrors(message string) string {
	before, after, found := strings.Cut(message, errorList)
	if !found || !strings.HasSuffix(after, "]") {
		return message
	}
	list := strings.Split(strings.TrimSuffix(after, "]"), ", ")
	slices.Sort(list)
	return before + errorList + strings.Join(list, ", ") + "]"
}

// CompareReferences compares two answers of the reference, the second with
// another plugin in place of DefaultPreemption.
func CompareReferences(c *Case, want, got *Answer) []string {
	second := *got
	want = want.comparable(c, &second, extenderErrors.MatchString(want.Message) && len(c.Around.Extenders) > 0)
	return Compare(want, &second)
}
