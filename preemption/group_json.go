package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/document"
)

// The wire forms of a plan for a group, in the order of PLAN_JSON.md, as for the plan of a pod.
type (
	wireAssignment struct {
		Pod  *document.Pod `json:"pod,omitempty"`
		Node string        `json:"node"`
	}
	wireRefusal struct {
		Pod    *document.Pod `json:"pod,omitempty"`
		Nodes  []wireCount   `json:"nodes"`
		Reason string        `json:"reason,omitempty"`
		Guard  *wireStatus   `json:"guard,omitempty"`
	}
	wireGroupVictim struct {
		Group     *document.Group    `json:"group,omitempty"`
		Composite *document.Group    `json:"composite,omitempty"`
		Priority  int32              `json:"priority"`
		Pods      []*document.Pod    `json:"pods"`
		Violated  []*document.Budget `json:"violated"`
		Violating int                `json:"violating,omitempty"`
		Rule      string             `json:"rule,omitempty"`
		Blocks    *wireRefusal       `json:"blocks,omitempty"`
	}
	wireGroupPlan struct {
		document.Header
		Group       outrank.Key       `json:"group,omitempty"`
		Composite   *document.Group   `json:"composite,omitempty"`
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

// unit writes victims that leave together. They agree in their group, their priority, their rule and in
// what they block, so that the first speaks for all.
func (e *answerEncoder) unit(victims []Victim) wireGroupVictim {
	first := &victims[0]
	w := wireGroupVictim{
		Group: e.Group(first.Group), Composite: e.Composite(first.Composite), Priority: first.Priority,
		Rule: first.Rule, Blocks: e.refusal(first.blocks()),
	}

	var violated []*outrank.PodDisruptionBudget // the budgets of all victims, each once
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

// blocks returns what a group fails with if the victim stays: a pod of the group on its node, or the
// guard. It is nil if nothing is known.
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
		Header: document.NewHeader("GroupPlan"), Group: p.Group, Composite: e.Composite(p.Composite), Outcome: p.Outcome, Ineligible: p.Ineligible,
		Placement:   document.List(p.Placement, e.assignment),
		Nominations: document.List(p.Nominations, e.assignment),
		Victims:     []wireGroupVictim{},
		TurnedDown:  e.refusal(p.TurnedDown), Unhelpful: e.refusal(p.Unhelpful),
	}

	for unit := range p.Units() {
		w.Victims = append(w.Victims, e.unit(unit))
	}

	// The status of a group may be a success with reasons (rule 12.9.11), so its code does not decide here.
	if len(p.Status.Reasons) > 0 {
		status := e.status(p.Status)
		w.Status = &status
	}
	return w
}

// MarshalJSON returns the plan as PLAN_JSON.md in the folder of package preemption describes it; see
// [Plan.MarshalJSON].
func (p GroupPlan) MarshalJSON() ([]byte, error) {
	var e answerEncoder
	return e.Encode("group plan", e.groupPlan(&p))
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (p *GroupPlan) UnmarshalJSON(text []byte) error {
	return document.Unread("preemption.GroupPlan", text)
}
