package kubeletadmit

import (
	"fmt"
	"strings"
)

// Outcome is the kind of an answer.
type Outcome string

// The outcomes of an admission.
const (
	// Admitted means that the pod starts, and nobody is evicted.
	Admitted Outcome = "Admitted"
	// AdmittedAfterEvicting means that the pod starts after the evictions, even if one of them
	// failed.
	AdmittedAfterEvicting Outcome = "AdmittedAfterEvicting"
	// Rejected means that the pod does not start, and nobody is evicted.
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
	// Both are empty for a pod that is not rejected. They come from the first of Returned, from
	// Missing, or from a check before all others (group 17.2).
	Reason, Message string
	// Failures lists everything that the check found. Returned lists the failures for which the
	// pod was rejected: evictions cannot cure them, or nobody may be evicted for this pod.
	Failures, Returned []CheckFailure
	// Evictions are the pods to evict, in this order: BestEffort, Burstable, Guaranteed, and
	// within a class as chosen. With Config.PriorityFirst the priority comes before the class, the
	// lowest first. The list is empty unless the outcome is AdmittedAfterEvicting.
	Evictions []EvictedPod
	// Missing is what would still be short if every pod that may be preempted were evicted, in the
	// order of the failures. It is empty unless the pod was rejected for that.
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

// ReferenceMessage returns the message that a kubelet would write instead of Message (rule
// 17.4.9). The kubelet puts it into an event about the pod, and behind "Pod was rejected: " into
// the pod's status.
func (a Admission) ReferenceMessage() string {
	switch {
	case len(a.Missing) > 0:
		return referenceShortText(a.Missing)
	case len(a.Returned) > 0:
		return a.Returned[0].referenceText()
	}
	return a.Message
}
