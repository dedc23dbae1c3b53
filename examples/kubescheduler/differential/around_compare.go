package differential

import (
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// extenderErrors matches the reference's errors of extenders and about them.
var extenderErrors = regexp.MustCompile(`failed (preempt|filter) with extender|an extender fails|claims to preempt pod|expected at least one victim|not found for node name`)

// failing replaces the error of an extender in answers that are compared, because the texts differ (rule 15.3.6).
const failing = "(an extender fails)"

// comparable removes permitted differences from two answers: the words of an extender's error, the order of
// several errors, and the event, which is cut at a length that such texts use up. It changes ours, and returns a
// copy of the reference's answer to compare it with.
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

	// Without nodes the reference asked nobody for a way out, and has tried no node.
	if len(a.Nodes) == 0 {
		ours.Candidates, ours.Unhelpful = nil, map[string]Status{}
	}
	return &same
}

// withoutError replaces the error of an extender at the end of a message.
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

// sortedErrors returns a message with its errors sorted, if it lists several.
func sortedErrors(message string) string {
	before, after, found := strings.Cut(message, errorList)
	if !found || !strings.HasSuffix(after, "]") {
		return message
	}
	list := strings.Split(strings.TrimSuffix(after, "]"), ", ")
	slices.Sort(list)
	return before + errorList + strings.Join(list, ", ") + "]"
}

// CompareReferences compares two answers of the reference. The second one is of a scheduler with another plugin
// in place of DefaultPreemption.
func CompareReferences(c *Case, want, got *Answer) []string {
	second := *got
	want = want.comparable(c, &second, extenderErrors.MatchString(want.Message) && len(c.Around.Extenders) > 0)
	return Compare(want, &second)
}
