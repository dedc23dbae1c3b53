package joint

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/document"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
)

// String returns the plan in a few lines: where each pod goes and who leaves for it, and
// how that compares with preempting one by one. There is no line break at the end.
func (p Plan) String() string {
	var b strings.Builder
	for i := range p.Placements {
		b.WriteString(p.Placements[i].String())
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "together: %s%s; one by one: %s", words(p.Total), counts(p.Victims), words(p.OneByOne))
	if p.DecidedBy != "" {
		b.WriteString("; better by: " + rankText(p.DecidedBy))
	}
	b.WriteString("; " + certificateText(p.Certificate))
	if p.Interrupted {
		b.WriteString(", interrupted")
	}
	return b.String()
}

// String says what becomes of the pod in one line.
func (p Placement) String() string {
	name := nameOf(p.Pod)
	switch {
	case p.Node == "" && p.Refused != nil && p.Refused.Outcome == preemption.NotEligible:
		return name + " has no place: it may not preempt"
	case p.Node == "":
		return name + " has no place"
	}
	s := fmt.Sprintf("%s on %s", name, prose.Name(p.Node))
	if len(p.Victims) > 0 {
		s += " in place of " + names(p.Victims)
	}
	if p.further() {
		s += ", which has no place one by one"
	}
	return s
}

// String names the victim and who needs its room.
func (v Victim) String() string {
	needs := v.Needs
	if len(needs) == 0 { // the ranks alone have it leave
		needs = []*outrank.Pod{v.For}
	}
	text := fmt.Sprintf("%s for %s", nameOf(v.Pod), names(needs))
	if v.Fate != nil {
		text += "; " + v.Fate.String()
	}
	return text
}

// nameOf names a pod, also one that is missing in a plan that somebody else made.
func nameOf(pod *outrank.Pod) string {
	if pod == nil {
		return "no pod"
	}
	return prose.Name(pod.Key())
}

// names lists pods by their names.
func names(pods []*outrank.Pod) string {
	out := make([]string, len(pods))
	for i, pod := range pods {
		out[i] = nameOf(pod)
	}
	return prose.List(out, 0)
}

// words says in a few words what a total has of victims.
func words(s preemption.Score) string {
	if s.Victims == 0 {
		return "no victims"
	}
	text := prose.Plural(s.Victims, "victim") + fmt.Sprintf(" up to priority %d", s.TopPriority)
	if s.Violations > 0 {
		text += ", " + prose.Plural(s.Violations, "violation")
	}
	return text
}

// counts says how many of the victims move, wait and are lost. It is empty where nothing was asked about that,
// and for a plan of somebody else's with another loss.
func counts(victims []Victim) string {
	n := map[Loss]int{}
	for i := range victims {
		if victims[i].Fate == nil {
			return ""
		}
		n[victims[i].Fate.Loss]++
	}
	if len(victims) == 0 || n[Moved]+n[Waits]+n[Lost] < len(victims) {
		return ""
	}
	return fmt.Sprintf("; %d moved, %d waiting, %d lost", n[Moved], n[Waits], n[Lost])
}

// The wire types have the fields of a plan in the order of JOINT_JSON.md.
type (
	wirePlacement struct {
		Pod      *document.Pod   `json:"pod,omitempty"`
		Node     string          `json:"node,omitempty"`
		Victims  []*document.Pod `json:"victims"`
		More     bool            `json:"more,omitempty"`
		OneByOne wireChoice      `json:"oneByOne"`

		ClearedNominations []*document.Pod  `json:"clearedNominations,omitempty"`
		Refused            *preemption.Plan `json:"refused,omitempty"`
	}
	wireChoice struct {
		Node    string          `json:"node,omitempty"`
		Victims []*document.Pod `json:"victims"`
	}
	wireVictim struct {
		Pod      *document.Pod   `json:"pod,omitempty"`
		Node     string          `json:"node"`
		For      *document.Pod   `json:"for,omitempty"`
		Needs    []*document.Pod `json:"needs"`
		Rule     string          `json:"rule,omitempty"`
		Violates bool            `json:"violates,omitempty"`
		Fate     *wireFate       `json:"fate,omitempty"`
	}
	wireFate struct {
		Loss string   `json:"loss"`
		Node string   `json:"node,omitempty"`
		Why  []string `json:"why,omitempty"`
	}
	wireCertificate struct {
		Optimal bool            `json:"optimal"`
		Bound   json.RawMessage `json:"bound"`
		Rank    string          `json:"rank,omitempty"`
		Gap     int64           `json:"gap,omitempty"`
		Steps   int             `json:"steps"`
	}
	wirePlan struct {
		document.Header
		Placements  []wirePlacement `json:"placements"`
		Order       []int           `json:"order"`
		Victims     []wireVictim    `json:"victims"`
		Total       json.RawMessage `json:"total"`
		OneByOne    json.RawMessage `json:"oneByOne"`
		DecidedBy   string          `json:"decidedBy,omitempty"`
		Kept        bool            `json:"kept"`
		Interrupted bool            `json:"interrupted,omitempty"`
		More        json.RawMessage `json:"more"`
		Certificate wireCertificate `json:"certificate"`
	}
)

// MarshalJSON returns the plan as JOINT_JSON.md in this package's folder describes it, in
// one line and with a version. Pods appear as references, ranks as words, and the same plan
// as the same bytes. The error is an *outrank.InputError about what JSON cannot say.
func (p Plan) MarshalJSON() ([]byte, error) {
	scores, err := scoresOf(p.Total, p.OneByOne, p.More, p.Certificate.Bound)
	if err != nil {
		return nil, err
	}

	var e document.Encoder
	w := wirePlan{
		Header: document.NewHeader("JointPlan"),
		Total:  scores[0], OneByOne: scores[1], More: scores[2],
		Kept: p.Kept, Interrupted: p.Interrupted, DecidedBy: p.DecidedBy,
		Order: document.List(p.Order, func(i int) int { return i }),
		Placements: document.List(p.Placements, func(at Placement) wirePlacement {
			return wirePlacement{
				Pod: e.Pod(at.Pod), Node: at.Node, Victims: e.Pods(at.Victims), More: at.further(), Refused: at.Refused,
				OneByOne: wireChoice{at.OneByOne.Node, e.Pods(at.OneByOne.Victims)}, ClearedNominations: e.Pods(at.ClearedNominations),
			}
		}),
		Victims: document.List(p.Victims, func(v Victim) wireVictim {
			return wireVictim{e.Pod(v.Pod), v.Node, e.Pod(v.For), e.Pods(v.Needs), v.Rule, v.Violates, wireFateOf(v.Fate)}
		}),
		Certificate: wireCertificate{p.Certificate.Optimal, scores[3], p.Certificate.Rank, p.Certificate.Gap, p.Certificate.Steps},
	}
	return e.Encode("joint plan", w)
}

func wireFateOf(f *Fate) *wireFate {
	if f == nil {
		return nil
	}
	return &wireFate{string(f.Loss), f.Node, f.Why}
}

// UnmarshalJSON returns an error that wraps errors.ErrUnsupported: the JSON of a plan refers
// to pods, and a plan holds them. null changes nothing.
func (p *Plan) UnmarshalJSON(text []byte) error { return document.Unread("joint.Plan", text) }
