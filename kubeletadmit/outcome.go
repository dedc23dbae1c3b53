package kubeletadmit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
)

// outcomeWords are the outcomes, and the empty one of a zero Admission.
var outcomeWords = []AdmissionOutcome{"", Admitted, AdmittedAfterEvicting, Rejected}

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

// String returns the pod with its tier.
func (e EvictedPod) String() string { return fmt.Sprintf("%s (%s)", podText(e.Pod), e.Tier) }

// podText names a pod. An admission that was not made here may lack one.
func podText(p *outrank.Pod) string {
	if p == nil {
		return "no pod"
	}
	return string(p.Key())
}
