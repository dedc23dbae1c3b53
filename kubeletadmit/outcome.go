package kubeletadmit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
)

// outcomeWords are the outcomes, and the empty one of a zero Admission.
var outcomeWords = []AdmissionOutcome{"", Admitted, AdmittedAfterEvicting, Rejected}

// AdmissionOutcome is the kind of answer to a pod that asks to be admitted.
type AdmissionOutcome string

// The outcomes.
const (
	// Admitted: the pod starts, and no pod is evicted.
	Admitted AdmissionOutcome = "Admitted"
	// AdmittedAfterEvicting: the pod starts once the evictions have been
	// carried out, even if one of them failed (see [Evict]).
	AdmittedAfterEvicting AdmissionOutcome = "AdmittedAfterEvicting"
	// Rejected: the pod does not start, and no pod is evicted.
	Rejected AdmissionOutcome = "Rejected"
)

// unexpectedError is the reason of an [Admission] that was rejected
// because not enough can be freed.
const unexpectedError = "UnexpectedAdmissionError"

// Admission is the answer of the kubelet with its reasons. It belongs to the
// caller and holds pointers to the caller's pods.
type Admission struct {
	Outcome AdmissionOutcome
	// Reason stands in the status of a rejected pod, and Message says the same with more
	// words; see [Admission.ReferenceMessage] for those of a kubelet. Both
	// are empty otherwise. They come from the first of Returned, or from Err.
	Reason, Message string

	// Failures is everything that the check found, in its order.
	Failures []CheckFailure
	// Returned is the part of Failures that evictions are not tried against. It
	// is empty if the pod is admitted or Err is set.
	Returned []CheckFailure
	// Evictions are the pods to evict, in this order: BestEffort, Burstable,
	// Guaranteed, and within a class as chosen. It is empty unless the outcome
	// is AdmittedAfterEvicting.
	// With [Admitter.PriorityFirst] the pods of the lowest priority come first, and
	// those of a priority by class; with [Admitter.Exact] those of a tier in the order
	// of the search.
	Evictions []EvictedPod
	// Search says how good Evictions are. It is nil unless [Admitter.Exact] had them
	// searched for.
	Search *Certificate
	// Err is a *[NotEnoughError] if the pod was rejected because not enough can
	// be freed, and nil otherwise.
	Err error
}

// problem returns an error for anything that is no outcome.
func (o AdmissionOutcome) problem() error {
	if slices.Contains(outcomeWords, o) {
		return nil
	}
	return inputError([]outrank.Problem{{
		Object: "kubeletadmit.AdmissionOutcome",
		Text:   fmt.Sprintf("%.40q is none of %s, %s, %s", o, Admitted, AdmittedAfterEvicting, Rejected),
	}})
}

// MarshalText returns the outcome as it is, empty for that of a zero
// [Admission]. Anything but the outcomes is an error that names the type.
func (o AdmissionOutcome) MarshalText() ([]byte, error) {
	if err := o.problem(); err != nil {
		return nil, err
	}
	return []byte(o), nil
}

// UnmarshalText reads what MarshalText returns. Any other text is an error that
// names the type, and leaves o as it was.
func (o *AdmissionOutcome) UnmarshalText(text []byte) error {
	if err := AdmissionOutcome(text).problem(); err != nil {
		return err
	}
	if o == nil {
		return fmt.Errorf("%w: no outcome to set", outrank.ErrInvalid)
	}
	*o = AdmissionOutcome(text)
	return nil
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
	var short *NotEnoughError
	switch {
	case errors.As(a.Err, &short):
		return short.referenceText()
	case a.Err != nil || len(a.Returned) == 0:
		return a.Message
	}
	return a.Returned[0].referenceText()
}
