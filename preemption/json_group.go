package preemption

import (
	"encoding/json"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/answerjson"
)

// The wire forms of a group's answer, as those of a pod's.
type (
	wireAssignment struct {
		Pod  *answerjson.Pod `json:"pod,omitempty"`
		Node string          `json:"node"`
	}
	wireRefusal struct {
		Pod    *answerjson.Pod `json:"pod,omitempty"`
		Nodes  []wireCount     `json:"nodes"`
		Reason string          `json:"reason,omitempty"`
		Guard  *wireStatus     `json:"guard,omitempty"`
	}
	wireGroupVictim struct {
		Group     *answerjson.Group    `json:"group,omitempty"`
		Composite *answerjson.Group    `json:"composite,omitempty"`
		Priority  int32                `json:"priority"`
		Pods      []*answerjson.Pod    `json:"pods"`
		Violated  []*answerjson.Budget `json:"violated"`
		Violating int                  `json:"violating,omitempty"`
		Rule      string               `json:"rule,omitempty"`
		Blocks    *wireRefusal         `json:"blocks,omitempty"`
	}
	wireGroupPlan struct {
		answerjson.Header
		Group        outrank.Key       `json:"group,omitempty"`
		Composite    *answerjson.Group `json:"composite,omitempty"`
		Outcome      Outcome           `json:"outcome"`
		Ineligible   Ineligibility     `json:"ineligible,omitempty"`
		Status       *wireStatus       `json:"status,omitempty"`
		Placement    []wireAssignment  `json:"placement"`
		Nominations  []wireAssignment  `json:"nominations,omitempty"`
		Victims      []wireGroupVictim `json:"victims"`
		Disruptions  int               `json:"disruptions,omitempty"`
		GraceSeconds json.RawMessage   `json:"graceSeconds,omitempty"`
		TurnedDown   *wireRefusal      `json:"turnedDown,omitempty"`
		Unhelpful    *wireRefusal      `json:"unhelpful,omitempty"`
		Possible     int               `json:"possible"`
		Placements   int               `json:"placements"`
	}
)

func (e *answerEncoder) assignment(a Assignment) wireAssignment {
	return wireAssignment{e.Pod(a.Pod), a.Node}
}

func (e *answerEncoder) refusal(r *Refusal) *wireRefusal {
	if r == nil {
		return nil
	}
	w := &wireRefusal{Pod: e.Pod(r.Pod), Nodes: e.counts(r.Nodes), Reason: r.Reason}
	if r.Guard.Code != Success {
		status := e.status(r.Guard)
		w.Guard = &status
	}
	return w
}

func (e *answerEncoder) groupVictim(v GroupVictim) wireGroupVictim {
	return wireGroupVictim{
		e.Group(v.Group), e.Composite(v.Composite), v.Priority, e.Pods(v.Pods), e.Budgets(v.Violated), v.Violating, v.Rule, e.refusal(v.Blocks),
	}
}

func (e *answerEncoder) groupPlan(p *GroupPlan) wireGroupPlan {
	w := wireGroupPlan{
		Header: answerjson.NewHeader("GroupPlan"), Group: p.Group, Composite: e.Composite(p.Composite), Outcome: p.Outcome, Ineligible: p.Ineligible,
		Placement:   answerjson.List(p.Placement, e.assignment),
		Nominations: answerjson.List(p.Nominations, e.assignment),
		Victims:     answerjson.List(p.Victims, e.groupVictim), Disruptions: p.Disruptions,
		GraceSeconds: answerjson.Seconds(p.Grace),
		TurnedDown:   e.refusal(p.TurnedDown), Unhelpful: e.refusal(p.Unhelpful),
		Possible: p.Possible, Placements: p.Placements,
	}
	if len(p.Status.Reasons) > 0 {
		status := e.status(p.Status)
		w.Status = &status
	}
	return w
}

// MarshalJSON returns the plan as PLAN_JSON.md in the folder of package preemption
// describes it; see [Plan.MarshalJSON].
func (p GroupPlan) MarshalJSON() ([]byte, error) {
	var e answerEncoder
	return e.Encode("group plan", e.groupPlan(&p))
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (p *GroupPlan) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.GroupPlan", text)
}
