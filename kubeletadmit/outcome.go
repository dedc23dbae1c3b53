package kubeletadmit

import (
	"fmt"
	"strings"
)

// Outcome is the kind of an answer.
type Outcome string

// The outcomes.
const (
	// Admitted: the pod starts, and nobody is evicted.
	Admitted Outcome = "Admitted"
	// AdmittedAfterEvicting: the pod starts once the evictions were carried out, even if one of
	// them failed.
	AdmittedAfterEvicting Outcome = "AdmittedAfterEvicting"
	// Rejected: the pod does not start, and nobody is evicted.
	Rejected Outcome = "Rejected"
)

// unexpectedError is the reason of an [Admission] that was rejected
// because not enough can be freed.
const unexpectedError = "UnexpectedAdmissionError"

// Admission is the answer with its reasons. It belongs to the caller and holds pointers to the
// caller's pods.
type Admission struct {
	// Outcome is empty in an Admission that nobody decided.
	Outcome Outcome
	// Reason stands in the status of a rejected pod, and Message says the same with more words.
	// Both are empty otherwise. They come from the first of Returned, or from Missing.
	Reason, Message string
	// Failures is everything that the check found, and Returned the part of it that evictions are
	// not tried against.
	Failures, Returned []CheckFailure
	// Evictions are the pods to evict, in this order: BestEffort, Burstable, Guaranteed, and
	// within a class as chosen; with Config.PriorityFirst by priority before that, the lowest
	// first. They are empty unless the outcome is AdmittedAfterEvicting.
	Evictions []EvictedPod
	// Missing is what would still be short without every pod that may be preempted, in the order
	// of the failures; empty unless the pod was rejected for that.
	Missing []ResourceNeed
	// Search says how good the evictions are; nil without Config.Exact, and where nobody is
	// evicted.
	Search *Certificate
}

// String returns the admission in a line for people: the outcome with the
// message, or with the pods that go.
func (a Admission) String() string {
	switch {
	case a.Outcome == "":
		return "not decided"
	case a.Message != "":
		return fmt.Sprintf("%s (%s): %s", a.Outcome, a.Reason, a.Message)
	case len(a.Evictions) == 0:
		return string(a.Outcome)
	}
	var names []string
	for _, e := range a.Evictions {
		names = append(names, e.String())
	}
	return string(a.Outcome) + ": " + strings.Join(names, ", ")
}

// OK reports whether the pod starts, at once or after the evictions.
func (a Admission) OK() bool { return a.Outcome == Admitted || a.Outcome == AdmittedAfterEvicting }

// ReferenceMessage returns what a kubelet says in place of Message (rule 17.4.9): in the
// event about the pod as it stands, and in the pod's status behind "Pod was rejected: ".
func (a Admission) ReferenceMessage() string {
	switch {
	case len(a.Missing) > 0:
		return referenceShortText(a.Missing)
	case len(a.Returned) > 0:
		return a.Returned[0].referenceText()
	}
	return a.Message
}
