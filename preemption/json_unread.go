package preemption

import "github.com/outrank-go/outrank/internal/answerjson"

// Answers are written as JSON and not read back. Without the methods below
// reading would succeed and leave an answer without pods; those that embed
// another answer would take its method.

// UnmarshalJSON returns an error that wraps [errors.ErrUnsupported]: the JSON of a
// plan refers to pods and budgets, and a plan holds them. null changes nothing.
func (p *Plan) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("decision.Plan", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (x *Explanation) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("decision.Explanation", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (c *Candidate) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("decision.Candidate", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (v *Victim) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("decision.Victim", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (a *Score) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("decision.Score", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (s *Status) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("decision.Status", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (c *Count) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("decision.Count", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (r *NodeReport) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("decision.NodeReport", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (p *GroupPlan) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("decision.GroupPlan", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (v *GroupVictim) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("decision.GroupVictim", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (u *Unit) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("decision.Unit", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (r *Refusal) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("decision.Refusal", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (a *Assignment) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("decision.Assignment", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (p *Placement) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("decision.Placement", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (c *Certificate) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("decision.Certificate", text)
}
