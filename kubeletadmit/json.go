package kubeletadmit

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/document"
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
		Pod           *document.Pod      `json:"pod,omitempty"`
		Tier          outrank.QOSClass   `json:"tier"`
		Contributions []wireContribution `json:"contributions"`
		Distance      json.RawMessage    `json:"distance"`
	}
	wireNeed struct {
		Resource resource.Name `json:"resource"`
		Amount   string        `json:"amount"`
	}
	wireTier struct {
		Class    outrank.QOSClass `json:"class"`
		Priority *int32           `json:"priority,omitempty"`
		Chosen   int              `json:"chosen"`
		AtLeast  int              `json:"atLeast"`
	}
	wireSearch struct {
		Optimal bool       `json:"optimal"`
		Steps   int        `json:"steps"`
		Tiers   []wireTier `json:"tiers"`
	}
	wireAdmission struct {
		document.Header
		Outcome   Outcome        `json:"outcome"`
		Reason    string         `json:"reason,omitempty"`
		Message   string         `json:"message,omitempty"`
		Failures  []wireFailure  `json:"failures"`
		Returned  []wireFailure  `json:"returned"`
		Evictions []wireEviction `json:"evictions"`
		Search    *wireSearch    `json:"search,omitempty"`
		Error     string         `json:"error,omitempty"`
		Missing   []wireNeed     `json:"missing,omitempty"`
	}
)

// answerEncoder builds the wire forms of one answer.
type answerEncoder struct{ document.Encoder }

// wireFailureOf returns the wire form of a failure. Only a shortage has amounts.
func wireFailureOf(f CheckFailure) wireFailure {
	w := wireFailure{Predicate: f.Predicate, Text: f.Text}
	if f.isShortage() {
		w.Resource = f.Resource
		w.Requested, w.Used = amountText(f.Resource, f.Requested), amountText(f.Resource, f.Used)
		w.Capacity, w.Shortage = amountText(f.Resource, f.Capacity), amountText(f.Resource, f.Shortage())
	}
	return w
}

func wireContributionOf(c Contribution) wireContribution {
	return wireContribution{
		c.Resource, amountText(c.Resource, c.Needed), amountText(c.Resource, c.Frees), amountText(c.Resource, c.left()),
	}
}

func wireNeedOf(n ResourceNeed) wireNeed {
	return wireNeed{n.Resource, amountText(n.Resource, n.Amount)}
}

func (e *answerEncoder) eviction(v EvictedPod) wireEviction {
	w := wireEviction{Pod: e.Pod(v.Pod), Tier: v.Tier, Contributions: document.List(v.Contributions, wireContributionOf)}

	// The caller may have built the admission, with a distance that is NaN or infinite.
	text, err := json.Marshal(v.Distance)
	if err != nil {
		e.Problem("evicted "+podText(v.Pod), "distance", strconv.FormatFloat(v.Distance, 'g', -1, 64)+" is not a number of JSON")
		text = nil
	}
	w.Distance = text
	return w
}

// admission returns the wire form of the admission, and notes the problems on the way.
func (e *answerEncoder) admission(a *Admission) wireAdmission {
	switch a.Outcome {
	case "", Admitted, AdmittedAfterEvicting, Rejected:
	default:
		e.Problem("admission", "outcome", fmt.Sprintf("%.40q is none of %s, %s, %s", a.Outcome, Admitted, AdmittedAfterEvicting, Rejected))
	}

	w := wireAdmission{
		Header: document.NewHeader("Admission"), Outcome: a.Outcome, Reason: a.Reason, Message: a.Message,
		Failures:  document.List(a.Failures, wireFailureOf),
		Returned:  document.List(a.Returned, wireFailureOf),
		Evictions: document.List(a.Evictions, e.eviction),
	}
	if s := a.Search; s != nil {
		w.Search = &wireSearch{s.Optimal, s.Steps, document.List(s.Tiers, func(t TierCount) wireTier { return wireTier(t) })}
	}

	// If not enough can be freed, the message appears in the member error as well.
	if len(a.Missing) > 0 {
		w.Error, w.Missing = a.Message, document.List(a.Missing, wireNeedOf)
	}
	return w
}

// MarshalJSON returns the admission as ADMISSION_JSON.md in the folder of this
// package describes it, in one line and with a version. Pods appear as
// references, amounts as quantities. The same admission gives the same bytes.
// The error is an *[outrank.InputError] about what JSON cannot say: a time beyond
// the year 9999, a string that is not UTF-8, an unknown outcome. Time is linear
// in the admission.
func (a Admission) MarshalJSON() ([]byte, error) {
	var e answerEncoder
	return e.Encode("admission", e.admission(&a))
}

// UnmarshalJSON returns an error that wraps [errors.ErrUnsupported]: the JSON of an
// admission refers to pods, and an admission holds them. Without this method reading would
// succeed and leave an answer without pods. null changes nothing.
func (a *Admission) UnmarshalJSON(text []byte) error {
	return document.Unread("kubeletadmit.Admission", text)
}
