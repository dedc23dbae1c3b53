package preemption

import (
	"fmt"
	"strings"
	"time"

	"github.com/outrank-go/outrank/internal/answerjson"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Regret says how far a plan is from the best one by the ranks of its policy (rule 13.4.8).
// It belongs to the caller.
type Regret struct {
	// Plan is the plan in question.
	Plan *Plan
	// Score is that of its victims with the budgets charged for them alone, so that it
	// compares with exact ones. It is the zero Score unless the plan preempts.
	Score Score
	// Best is the plan with the best victims on the best node. Its certificates say
	// whether that is certain.
	Best *Plan
	// OnNode is the best candidate on the node of the plan, nil unless the plan preempts
	// and pods of that node alone make room. Its certificate says whether that is certain.
	OnNode *Candidate
	// By is the first rank in which Best is better: 0 where it is not, ByNodeOrder where
	// Best preempts and the plan says that nothing helps.
	By Rank
	// Gaps has by how much Best is better in each rank of the policy, in their order.
	// Behind the first rank that differs it may be below 0.
	Gaps []RankGap
}

// RankGap is by how much a candidate is better than another in one rank, in the unit of
// [Certificate].Gap; below 0 where it is worse.
type RankGap struct {
	Rank Rank  `json:"rank"`
	Gap  int64 `json:"gap"`
}

// None reports whether the plan is as good as the best one.
func (r *Regret) None() bool { return r.By == 0 }

// String returns what is better about the best plan, in a line.
func (r *Regret) String() string {
	if r.By == 0 {
		return "as good as the best: " + r.certainty()
	}
	var gaps []string
	for _, g := range r.Gaps {
		if g.Gap != 0 {
			text := fmt.Sprint(g.Gap)
			if rank.Of(g.Rank).Figure == rank.StartFigure {
				text = time.Duration(g.Gap).String()
			}
			gaps = append(gaps, fmt.Sprintf("%v: %s", g.Rank, text))
		}
	}
	if gaps == nil {
		gaps = []string{"preemption helps"}
	}
	best := "another plan"
	if r.Best != nil {
		best = r.Best.Candidate.String()
	}
	return fmt.Sprintf("%s is better: %s; %s", best, strings.Join(gaps, ", "), r.certainty())
}

func (r *Regret) certainty() string {
	switch {
	case r.Best == nil:
		return "nothing is known"
	case r.Best.ClusterCertificate == nil:
		return string(r.Best.Outcome)
	}
	return r.Best.ClusterCertificate.String()
}

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
