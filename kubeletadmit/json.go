package kubeletadmit

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/answerjson"
	"github.com/outrank-go/outrank/resource"
)

// The wire forms have their fields in the order of ADMISSION_JSON.md, which says
// what each of them means. Amounts are quantities.
type (
	wireFailure struct {
		Resource  resource.Name `json:"resource,omitempty"`
		Requested string        `json:"requested,omitempty"`
		Used      string        `json:"used,omitempty"`
		Capacity  string        `json:"capacity,omitempty"`
		Shortage  string        `json:"shortage,omitempty"`
		Predicate Predicate     `json:"predicate,omitempty"`
		Text      string        `json:"text,omitempty"`
	}
	wireContribution struct {
		Resource resource.Name `json:"resource"`
		Needed   string        `json:"needed"`
		Frees    string        `json:"frees"`
		Left     string        `json:"left"`
	}
	wireEviction struct {
		Pod           *answerjson.Pod    `json:"pod,omitempty"`
		Tier          outrank.QOSClass   `json:"tier"`
		Contributions []wireContribution `json:"contributions"`
		Distance      json.RawMessage    `json:"distance"`
	}
	wireNeed struct {
		Resource resource.Name `json:"resource"`
		Amount   string        `json:"amount"`
	}
	wireAdmission struct {
		answerjson.Header
		Outcome   AdmissionOutcome `json:"outcome"`
		Reason    string           `json:"reason,omitempty"`
		Message   string           `json:"message,omitempty"`
		Failures  []wireFailure    `json:"failures"`
		Returned  []wireFailure    `json:"returned"`
		Evictions []wireEviction   `json:"evictions"`
		Search    *Certificate     `json:"search,omitempty"`
		Error     string           `json:"error,omitempty"`
		Missing   []wireNeed       `json:"missing,omitempty"`
	}
)

// answerEncoder builds the wire forms of one answer.
type answerEncoder struct{ answerjson.Encoder }

func wireFailureOf(f CheckFailure) wireFailure {
	w := wireFailure{Predicate: f.Predicate, Text: f.Text}
	if f.IsShortage() {
		w.Resource = f.Resource
		w.Requested, w.Used = amountText(f.Resource, f.Requested), amountText(f.Resource, f.Used)
		w.Capacity, w.Shortage = amountText(f.Resource, f.Capacity), amountText(f.Resource, f.Shortage())
	}
	return w
}

func wireContributionOf(c Contribution) wireContribution {
	return wireContribution{
		c.Resource, amountText(c.Resource, c.Needed), amountText(c.Resource, c.Frees), amountText(c.Resource, c.Left()),
	}
}

func wireNeedOf(n ResourceNeed) wireNeed {
	return wireNeed{n.Resource, amountText(n.Resource, n.Amount)}
}

func (e *answerEncoder) eviction(v EvictedPod) wireEviction {
	w := wireEviction{Pod: e.Pod(v.Pod), Tier: v.Tier, Contributions: answerjson.List(v.Contributions, wireContributionOf)}
	text, err := json.Marshal(v.Distance)
	if err != nil {
		e.Problem("evicted "+podText(v.Pod), "distance", strconv.FormatFloat(v.Distance, 'g', -1, 64)+" is not a number of JSON")
		text = nil
	}
	w.Distance = text
	return w
}

func (e *answerEncoder) admission(a *Admission) wireAdmission {
	w := wireAdmission{
		Header: answerjson.NewHeader("Admission"), Outcome: a.Outcome, Reason: a.Reason, Message: a.Message,
		Failures:  answerjson.List(a.Failures, wireFailureOf),
		Returned:  answerjson.List(a.Returned, wireFailureOf),
		Evictions: answerjson.List(a.Evictions, e.eviction),
	}
	if s := a.Search; s != nil {
		w.Search = &Certificate{s.Optimal, s.Steps, append([]TierCount{}, s.Tiers...)}
	}
	if a.Err != nil {
		w.Error = a.Err.Error()
	}
	var short *NotEnoughError
	if errors.As(a.Err, &short) {
		w.Missing = answerjson.List(short.Missing, wireNeedOf)
	}
	return w
}

// MarshalJSON returns the admission as ADMISSION_JSON.md in the folder of this
// package describes it, in one line and with a version. Pods appear as
// references, amounts as quantities, and the same admission as the same bytes.
// The error is an *[outrank.InputError] about what JSON cannot say: a time beyond
// the year 9999, a string that is not UTF-8, an unknown outcome. Time is linear
// in the admission.
func (a Admission) MarshalJSON() ([]byte, error) {
	var e answerEncoder
	return e.Encode("admission", e.admission(&a))
}

// MarshalJSON returns the failure as it stands in the JSON of an [Admission].
func (f CheckFailure) MarshalJSON() ([]byte, error) {
	var e answerEncoder
	return e.Encode("check failure", wireFailureOf(f))
}

// MarshalJSON returns the evicted pod as it stands in the JSON of an [Admission].
func (e EvictedPod) MarshalJSON() ([]byte, error) {
	var enc answerEncoder
	return enc.Encode("evicted pod", enc.eviction(e))
}

// MarshalJSON returns the contribution as it stands in the JSON of an
// [Admission].
func (s Contribution) MarshalJSON() ([]byte, error) {
	var e answerEncoder
	return e.Encode("contribution", wireContributionOf(s))
}

// MarshalJSON returns the need as it stands in the JSON of an [Admission].
func (n ResourceNeed) MarshalJSON() ([]byte, error) {
	var e answerEncoder
	return e.Encode("resource need", wireNeedOf(n))
}
