package preemption

import (
	"slices"

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
		Group       outrank.Key       `json:"group,omitempty"`
		Composite   *answerjson.Group `json:"composite,omitempty"`
		Outcome     Outcome           `json:"outcome"`
		Ineligible  Ineligibility     `json:"ineligible,omitempty"`
		Status      *wireStatus       `json:"status,omitempty"`
		Placement   []wireAssignment  `json:"placement"`
		Nominations []wireAssignment  `json:"nominations,omitempty"`
		Victims     []wireGroupVictim `json:"victims"`
		TurnedDown  *wireRefusal      `json:"turnedDown,omitempty"`
		Unhelpful   *wireRefusal      `json:"unhelpful,omitempty"`
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

// unit writes victims that leave together.
func (e *answerEncoder) unit(victims []Victim) wireGroupVictim {
	first := &victims[0]
	w := wireGroupVictim{
		Group: e.Group(first.Group), Composite: e.Composite(first.Composite), Priority: first.Priority, Rule: first.Rule, Blocks: e.refusal(first.blocks()),
	}
	var violated []*outrank.PodDisruptionBudget
	for i := range victims {
		v := &victims[i]
		w.Pods = append(w.Pods, e.Pod(v.Pod))
		if len(v.Violated) > 0 {
			w.Violating++
		}
		for _, b := range v.Violated {
			if !slices.Contains(violated, b) {
				violated = append(violated, b)
			}
		}
	}
	w.Violated = e.Budgets(violated)
	return w
}

// blocks says what a group fails with if the victim stays; nil where nothing does.
func (v *Victim) blocks() *Refusal {
	switch {
	case v.Blocked != nil:
		return &Refusal{Pod: v.Blocked, Nodes: []Count{{Status: v.Blocks, Nodes: 1}}}
	case v.Blocks.Code != Success:
		return &Refusal{Guard: v.Blocks}
	}
	return nil
}

func (e *answerEncoder) groupPlan(p *GroupPlan) wireGroupPlan {
	w := wireGroupPlan{
		Header: answerjson.NewHeader("GroupPlan"), Group: p.Group, Composite: e.Composite(p.Composite), Outcome: p.Outcome, Ineligible: p.Ineligible,
		Placement:   answerjson.List(p.Placement, e.assignment),
		Nominations: answerjson.List(p.Nominations, e.assignment),
		Victims:     []wireGroupVictim{},
		TurnedDown:  e.refusal(p.TurnedDown), Unhelpful: e.refusal(p.Unhelpful),
	}
	for unit := range p.Units() {
		w.Victims = append(w.Victims, e.unit(unit))
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
