package preemption

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank/internal/document"
	"github.com/outrank-go/outrank/internal/lifecycle"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// The wire forms of a plan. Their fields stand in the order of PLAN_JSON.md, which says what each means.
type (
	wireStatus struct {
		Code       string   `json:"code"`
		Filter     string   `json:"filter,omitempty"`
		ExcludedBy string   `json:"excludedBy,omitempty"`
		Reasons    []string `json:"reasons,omitempty"`
	}
	wireCount struct {
		Nodes      int      `json:"nodes"`
		Code       string   `json:"code"`
		Filter     string   `json:"filter,omitempty"`
		ExcludedBy string   `json:"excludedBy,omitempty"`
		Reasons    []string `json:"reasons,omitempty"`
	}
	wireVictim struct {
		Pod          *document.Pod      `json:"pod,omitempty"`
		Node         string             `json:"node,omitempty"`
		Group        *document.Group    `json:"group,omitempty"`
		Composite    *document.Group    `json:"composite,omitempty"`
		Rule         string             `json:"rule,omitempty"`
		Violated     []*document.Budget `json:"violated"`
		MoreViolated int                `json:"moreViolated,omitempty"`
		Blocks       wireStatus         `json:"blocks"`
	}
	wireScore struct {
		Violations         int    `json:"violations"`
		TopPriority        int32  `json:"topPriority"`
		PrioritySum        int64  `json:"prioritySum"`
		ShiftedPrioritySum int64  `json:"shiftedPrioritySum"`
		Victims            int    `json:"victims"`
		Start              string `json:"start,omitempty"`

		Own map[string]int64 `json:"own,omitempty"`
	}
	wireCandidate struct {
		Node    string       `json:"node"`
		Victims []wireVictim `json:"victims"`
		Score   wireScore    `json:"score"`

		ClearedNominations []*document.Pod  `json:"clearedNominations,omitempty"`
		Certificate        *wireCertificate `json:"certificate,omitempty"`
	}
	wireCertificate struct {
		Optimal  bool       `json:"optimal"`
		Bound    *wireScore `json:"bound,omitempty"`
		Rank     string     `json:"rank,omitempty"`
		Gap      int64      `json:"gap,omitempty"`
		Steps    int        `json:"steps"`
		Unsolved int        `json:"unsolved,omitempty"`
	}
	wireReport struct {
		Node         string      `json:"node"`
		Status       wireStatus  `json:"status"`
		AfterRemoval *wireStatus `json:"afterRemoval,omitempty"`
	}
	// wirePlan has the parts of the chosen candidate among its own fields. Most of them are
	// set for one outcome alone.
	wirePlan struct {
		document.Header
		Pod                *document.Pod    `json:"pod,omitempty"`
		Outcome            Outcome          `json:"outcome"`
		Resize             bool             `json:"resize,omitempty"`
		Ineligible         string           `json:"ineligible,omitempty"`
		Refusal            string           `json:"refusal,omitempty"`
		Across             bool             `json:"across,omitempty"`
		Refused            *wireStatus      `json:"refused,omitempty"`
		Warnings           []string         `json:"warnings,omitempty"`
		Node               string           `json:"node,omitempty"`
		Victims            []wireVictim     `json:"victims"`
		Score              *wireScore       `json:"score,omitempty"`
		ClearedNominations []*document.Pod  `json:"clearedNominations"`
		Certificate        *wireCertificate `json:"certificate,omitempty"`
		ClusterCertificate *wireCertificate `json:"clusterCertificate,omitempty"`
		GraceSeconds       json.RawMessage  `json:"graceSeconds,omitempty"`
		Feasible           int              `json:"feasible"`
		TurnedDown         []wireCount      `json:"turnedDown"`
		Unhelpful          []wireCount      `json:"unhelpful"`
	}
	wireExplanation struct {
		wirePlan
		DecidedBy  string          `json:"decidedBy,omitempty"`
		Candidates []wireCandidate `json:"candidates"`
		Nodes      []wireReport    `json:"nodes"`
	}
)

// answerEncoder builds the wire forms of one answer.
type answerEncoder struct{ document.Encoder }

func (e *answerEncoder) status(s Status) wireStatus {
	return wireStatus{s.Code.String(), s.Filter, s.ExcludedBy, s.Reasons}
}

func (e *answerEncoder) count(c Count) wireCount {
	return wireCount{c.Nodes, c.Code.String(), c.Filter, c.ExcludedBy, c.Reasons}
}

func (e *answerEncoder) counts(cs []Count) []wireCount { return document.List(cs, e.count) }

// mostViolated limits how many budgets are named for a victim. More than one is rare, because the API
// server evicts no pod that several cover. But where thousands of budgets cover thousands of pods, to name
// all of them for each pod would make hundreds of megabytes of a small cluster.
const mostViolated = 10

func (e *answerEncoder) victim(v Victim) wireVictim {
	named := v.Violated[:min(len(v.Violated), mostViolated)]
	return wireVictim{
		e.Pod(v.Pod), v.Node, e.Group(v.Group), e.Composite(v.Composite), v.Rule,
		e.Budgets(named), len(v.Violated) - len(named), e.status(v.Blocks),
	}
}

func (e *answerEncoder) victims(vs []Victim) []wireVictim { return document.List(vs, e.victim) }

// score writes the sum of priorities twice: as people count it, and as the ranks compare it, with every
// priority raised (rule 11.4).
func (e *answerEncoder) score(s Score) wireScore {
	return wireScore{
		Violations: s.Violations, TopPriority: s.TopPriority,
		PrioritySum: s.PrioritySum - int64(s.Victims)*rank.PriorityShift, ShiftedPrioritySum: s.PrioritySum,
		Victims: s.Victims, Start: e.Time(s.Start), Own: s.Own,
	}
}

func (e *answerEncoder) candidate(c Candidate) wireCandidate {
	return wireCandidate{c.Node, e.victims(c.Victims), e.score(c.Score), e.Pods(c.ClearedNominations), e.certificate(c.Certificate)}
}

func (e *answerEncoder) certificate(c *Certificate) *wireCertificate {
	if c == nil {
		return nil
	}
	w := &wireCertificate{Optimal: c.Optimal, Rank: c.Rank, Gap: c.Gap, Steps: c.Steps, Unsolved: c.Unsolved}
	if !c.Bound.empty() {
		bound := e.score(c.Bound)
		w.Bound = &bound
	}
	return w
}

func (e *answerEncoder) report(r NodeReport) wireReport {
	w := wireReport{Node: r.Node, Status: e.status(r.Status)}
	if r.AfterRemoval != nil {
		after := e.status(*r.AfterRemoval)
		w.AfterRemoval = &after
	}
	return w
}

// ineligible returns the word for why a pod may not preempt. For the caller's own text the word is
// "by-caller", and refusal is the text.
func ineligible(i Ineligibility) (word, refusal string) {
	if i.byCaller() {
		return "by-caller", string(i)
	}
	return string(i), ""
}

// across reports whether a victim leaves another node by itself, and not because its group leaves whole.
func (p *Plan) across() bool {
	return slices.ContainsFunc(p.Victims, func(v Victim) bool { return v.Node != "" && v.Group == nil && v.Composite == nil })
}

// grace returns the grace period that the variant gives to all victims; nil if each keeps its own.
func (p *Plan) grace() *time.Duration {
	if p.Outcome != Preempts {
		return nil
	}
	return lifecycle.Grace(p.Variant)
}

func (e *answerEncoder) plan(p *Plan, kind string) wirePlan {
	w := wirePlan{
		Header: document.NewHeader(kind), Pod: e.Pod(p.Pod), Outcome: p.Outcome, Resize: p.Resize, Across: p.across(),
		Node: p.Node, Victims: e.victims(p.Victims),
		ClearedNominations: e.Pods(p.ClearedNominations), GraceSeconds: document.Seconds(p.grace()),
		Certificate: e.certificate(p.Certificate), ClusterCertificate: e.certificate(p.ClusterCertificate),
		Feasible: p.Feasible, TurnedDown: e.counts(p.TurnedDown), Unhelpful: e.counts(p.helpless()),
	}

	w.Ineligible, w.Refusal = ineligible(p.Ineligible)
	for _, warning := range p.Warnings {
		w.Warnings = append(w.Warnings, warning.String())
	}

	// These two members are left out if they would say nothing. With the variant v1.13 a candidate may have
	// no victims: its score is empty, but still part of the answer.
	if p.Refused.Code != Success {
		refused := e.status(p.Refused)
		w.Refused = &refused
	}
	if p.Outcome == Preempts || !p.Score.empty() {
		score := e.score(p.Score)
		w.Score = &score
	}
	return w
}

// MarshalJSON returns the plan in one line and with a version, as PLAN_JSON.md in the folder of package
// preemption describes it. Pods and budgets appear as references, enums as words. The same plan gives the
// same bytes. A plan that Explain has made becomes an Explanation there, with the candidates and the
// nodes. Victims, candidates and the other parts have no JSON of their own.
//
// The error is an *[outrank.InputError] about what JSON cannot say: a time beyond the year 9999, a string
// that is not UTF-8. Time is linear in the plan.
func (p Plan) MarshalJSON() ([]byte, error) {
	var e answerEncoder

	// Only Explain fills Nodes.
	if p.Nodes == nil {
		return e.Encode("plan", e.plan(&p, "Plan"))
	}
	w := wireExplanation{
		wirePlan: e.plan(&p, "Explanation"), DecidedBy: p.decided(),
		Candidates: document.List(p.Candidates, e.candidate), Nodes: document.List(p.Nodes, e.report),
	}
	return e.Encode("explanation", w)
}

// decided names what decides between the first two candidates: a rank, or the order of the nodes where
// they tie in all ranks. It is empty if there are fewer than two.
func (p *Plan) decided() string {
	if p.DecidedBy == "" && len(p.Candidates) > 1 {
		return rank.NodeOrder
	}
	return p.DecidedBy
}

// helpless counts the nodes where preemption was tried and does not help, by their status with every
// possible victim gone. The most frequent comes first, and ties go by text. If nothing helps, these are the
// counts in Unhelpful. For any other plan it counts p.Nodes, which only Explain fills.
func (p *Plan) helpless() []Count {
	if p.Unhelpful != nil {
		return p.Unhelpful
	}

	// Each status is counted at the place of its first node.
	var counts []Count
	position := map[string]int{} // in counts, by status
	for i := range p.Nodes {
		after := p.Nodes[i].AfterRemoval
		if after == nil || after.Code == Success {
			continue
		}

		key := after.key()
		at, known := position[key]
		if !known {
			at = len(counts)
			position[key] = at
			counts = append(counts, Count{Status: *after})
		}
		counts[at].Nodes++
	}

	// Code and ExcludedBy settle what the text does not show, so that the order of the nodes decides nothing.
	severity := []Code{Success, Unschedulable, UnschedulableAndUnresolvable, Contradiction}
	slices.SortStableFunc(counts, func(a, b Count) int {
		return cmp.Or(
			cmp.Compare(b.Nodes, a.Nodes), strings.Compare(a.Status.String(), b.Status.String()),
			cmp.Compare(slices.Index(severity, a.Code), slices.Index(severity, b.Code)), strings.Compare(a.ExcludedBy, b.ExcludedBy),
		)
	})
	return counts
}

// key returns a text that is the same for statuses that say the same, and for no others.
func (s *Status) key() string {
	return fmt.Sprintf("%q", []string{string(s.Code), s.Filter, s.ExcludedBy, strings.Join(s.Reasons, "\x00")})
}

// UnmarshalJSON returns an error that wraps [errors.ErrUnsupported], except for null, which changes
// nothing. A document only refers to pods, and a plan holds them. Without this method, reading one would
// succeed and leave a plan without victims.
func (p *Plan) UnmarshalJSON(text []byte) error { return document.Unread("preemption.Plan", text) }
