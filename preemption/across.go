package preemption

import (
	"fmt"

	"github.com/outrank-go/outrank/internal/answerjson"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
)

// AcrossPlan is what engine.Evaluator.PreemptAcross found. It belongs to the caller.
type AcrossPlan struct {
	// Plan is the answer, with [Plan.Across] set where pods have to leave or none can.
	*Plan
	// Optimal: no set of the pods that could be victims, on no node, is better by the
	// ranks; where nothing helps, no such set makes room. Without it the search ended
	// early, and the victims are the best that it met.
	Optimal bool
	// Steps is the number of steps that the search took.
	Steps int
}

// wireAcross has its fields in the order of PLAN_JSON.md.
type wireAcross struct {
	wirePlan
	Optimal bool `json:"optimal"`
	Steps   int  `json:"steps"`
}

// MarshalJSON returns the plan as PLAN_JSON.md describes it: what [Plan.MarshalJSON]
// returns, with how far the search went.
func (p AcrossPlan) MarshalJSON() ([]byte, error) {
	var e answerEncoder
	return e.Encode("plan", wireAcross{e.plan(p.orNone(), "AcrossPlan"), p.Optimal, p.Steps})
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (p *AcrossPlan) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.AcrossPlan", text)
}

// String returns what [Plan.String] returns, and a line that says how far the search went.
func (p AcrossPlan) String() string {
	var t planText
	t.WriteString(p.orNone().String())
	end := "optimal"
	if !p.Optimal {
		end = "ended early"
	}
	t.line("search over nodes", fmt.Sprintf("%s, %s", end, phrase.Steps(p.Steps)))
	return t.String()
}

// orNone returns the plan, or an empty one where there is none.
func (p *AcrossPlan) orNone() *Plan {
	if p.Plan == nil {
		return &Plan{}
	}
	return p.Plan
}
