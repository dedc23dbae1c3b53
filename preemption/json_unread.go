package preemption

import "github.com/outrank-go/outrank/internal/answerjson"

// Answers are written as JSON and not read back. Without the methods below
// reading would succeed and leave an answer without pods; those that embed
// another answer would take its method.

// UnmarshalJSON returns an error that wraps [errors.ErrUnsupported]: the JSON of a
// plan refers to pods and budgets, and a plan holds them. null changes nothing.
func (p *Plan) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.Plan", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (c *Candidate) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.Candidate", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (v *Victim) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.Victim", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (a *Score) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.Score", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (s *Status) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.Status", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (c *Count) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.Count", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (r *NodeReport) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.NodeReport", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (p *GroupPlan) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.GroupPlan", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (v *GroupVictim) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.GroupVictim", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (u *Unit) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.Unit", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (r *Refusal) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.Refusal", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (a *Assignment) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.Assignment", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (p *Placement) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.Placement", text)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (c *Certificate) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.Certificate", text)
}
