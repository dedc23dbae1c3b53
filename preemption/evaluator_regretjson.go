package preemption

import "github.com/outrank-go/outrank/internal/answerjson"

// wireRegret has its fields in the order of PLAN_JSON.md.
type wireRegret struct {
	answerjson.Header
	By     Rank           `json:"by,omitempty"`
	Gaps   []RankGap      `json:"gaps"`
	Score  *wireScore     `json:"score,omitempty"`
	Best   wirePlan       `json:"best"`
	OnNode *wireCandidate `json:"onNode,omitempty"`
}

// MarshalJSON returns the regret as PLAN_JSON.md describes it; see [Plan.MarshalJSON]. The
// plan in question is not in it.
func (r Regret) MarshalJSON() ([]byte, error) {
	var e answerEncoder
	w := wireRegret{
		Header: answerjson.NewHeader("Regret"), By: r.By,
		Gaps: answerjson.List(r.Gaps, func(g RankGap) RankGap { return g }),
	}
	if r.Score != (Score{}) {
		score := e.score(r.Score)
		w.Score = &score
	}
	if r.Best != nil {
		w.Best = e.plan(r.Best, "Plan")
	}
	if r.OnNode != nil {
		on := e.candidate(*r.OnNode)
		w.OnNode = &on
	}
	return e.Encode("regret", w)
}

// UnmarshalJSON returns an error; see [Plan.UnmarshalJSON].
func (r *Regret) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("preemption.Regret", text)
}
