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

// String returns the plan in a few lines: the node and the victims of each pod, and a comparison with preempting
// one by one. There is no line break at the end.
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

// String says in one line which node the pod gets and who leaves for it, or that it has no place.
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

// String names the victim, the pods that need its room, and its fate if that is known.
func (v Victim) String() string {
	needs := v.Needs
	if len(needs) == 0 { // no pod needs the room in the end, and yet the victim may not stay (rule 25.1.7)
		needs = []*outrank.Pod{v.For}
	}
	text := fmt.Sprintf("%s for %s", nameOf(v.Pod), names(needs))
	if v.Fate != nil {
		text += "; " + v.Fate.String()
	}
	return text
}

// nameOf names a pod. The pod may be nil in a plan that the caller made.
func nameOf(pod *outrank.Pod) string {
	if pod == nil {
		return "no pod"
	}
	return prose.Name(pod.Key())
}

// names lists the names of pods as part of a sentence.
func names(pods []*outrank.Pod) string {
	out := make([]string, len(pods))
	for i, pod := range pods {
		out[i] = nameOf(pod)
	}
	return prose.List(out, 0)
}

// words describes a total in a few words: its victims, their top priority and the violations.
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

// counts says how many of the victims move, wait and are lost. It is empty if a victim has no fate, or, in a plan
// that the caller made, one with an unknown loss.
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

// The wire types are the JSON document of a plan, with the fields in the order of JOINT_JSON.md.
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

// MarshalJSON returns the plan in the format of JOINT_JSON.md in this package's folder, in one line and with a
// version. Pods are written as references, and ranks by their names. Equal plans have equal bytes. The error is an
// *outrank.InputError about values that JSON cannot represent.
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

// wireFateOf converts a fate to its JSON document; nil stays nil.
func wireFateOf(f *Fate) *wireFate {
	if f == nil {
		return nil
	}
	return &wireFate{string(f.Loss), f.Node, f.Why}
}

// UnmarshalJSON returns an error that wraps errors.ErrUnsupported: the JSON of a plan only refers to pods, while a
// Plan holds them. null is accepted, and changes nothing.
func (p *Plan) UnmarshalJSON(text []byte) error { return document.Unread("joint.Plan", text) }
