package document

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/manifest"
)

// Pod is a reference to a pod, with the fields that decisions are based on.
type Pod struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
	// Priority is nil for a pod that has none.
	Priority      *int32 `json:"priority,omitempty"`
	PriorityClass string `json:"priorityClass,omitempty"`
	Node          string `json:"node,omitempty"`
	NominatedNode string `json:"nominatedNode,omitempty"`
	StartTime     string `json:"startTime,omitempty"`
	Terminating   bool   `json:"terminating,omitempty"`
}

// Budget is a reference to a disruption budget.
type Budget struct {
	Namespace          string `json:"namespace"`
	Name               string `json:"name"`
	DisruptionsAllowed int32  `json:"disruptionsAllowed"`
}

// Group is a reference to a group of pods.
type Group struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// Encoder turns the parts of one answer into their wire form. It collects problems of values that JSON cannot
// hold, and Encode returns them. The zero value is ready.
type Encoder struct {
	problems []outrank.Problem
}

// Problem notes a value that JSON cannot hold.
func (e *Encoder) Problem(object, field, text string) {
	e.problems = append(e.problems, outrank.Problem{Object: object, Field: field, Text: text})
}

// Pod returns a reference to the pod, nil for nil.
func (e *Encoder) Pod(p *outrank.Pod) *Pod {
	if p == nil {
		return nil
	}
	return &Pod{
		Namespace: p.NamespaceName(), Name: p.Name, UID: p.UID,
		Priority: p.Priority, PriorityClass: p.PriorityClassName,
		Node: p.NodeName, NominatedNode: p.NominatedNodeName,
		StartTime:   e.Time(p.StartTime),
		Terminating: p.Terminating(),
	}
}

// Pods returns the references in their order. The slice is never nil.
func (e *Encoder) Pods(pods []*outrank.Pod) []*Pod {
	return List(pods, e.Pod)
}

// Budgets returns the references in their order. The slice is never nil.
func (e *Encoder) Budgets(budgets []*outrank.PodDisruptionBudget) []*Budget {
	return List(budgets, func(b *outrank.PodDisruptionBudget) *Budget {
		if b == nil {
			return nil
		}
		return &Budget{b.NamespaceName(), b.Name, b.DisruptionsAllowed}
	})
}

// Group returns a reference to the group, nil for nil.
func (e *Encoder) Group(g *outrank.PodGroup) *Group {
	if g == nil {
		return nil
	}
	return &Group{g.NamespaceName(), g.Name}
}

// Composite returns a reference to the composite group, nil for nil.
func (e *Encoder) Composite(g *outrank.CompositePodGroup) *Group {
	if g == nil {
		return nil
	}
	return &Group{g.NamespaceName(), g.Name}
}

// Time returns a time in UTC, with as many decimals of the second as needed, and empty for the zero time. Any
// time that an object can have can be written (rule 26.2.2).
func (e *Encoder) Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return manifest.FormatTime(t)
}

// Encode returns the JSON of a wire form, on one line and without the escapes that only HTML needs. A string that is
// not UTF-8 is a problem of the object. The error is an *[outrank.InputError] with every problem found.
func (e *Encoder) Encode(object string, wire any) ([]byte, error) {
	text, wrong := manifest.Encode(wire)
	for _, m := range wrong {
		e.Problem(object, m.Field, m.Text)
	}
	if len(e.problems) > 0 {
		return nil, &outrank.InputError{Problems: e.problems}
	}
	return text, nil
}

// List returns the wire form of every element. The slice is never nil, so that JSON has an empty list and not null.
func List[A, B any](list []A, wire func(A) B) []B {
	out := make([]B, len(list))
	for i, v := range list {
		out[i] = wire(v)
	}
	return out
}

// Seconds returns a duration as a number of seconds, exact to the nanosecond; nil for nil.
func Seconds(d *time.Duration) json.RawMessage {
	if d == nil {
		return nil
	}

	// n is unsigned, so that the smallest duration can be negated, too.
	sign, n := "", uint64(*d)
	if *d < 0 {
		sign, n = "-", -n
	}

	text := sign + strconv.FormatUint(n/1e9, 10)
	if rest := n % 1e9; rest > 0 {
		digits := strconv.FormatUint(1e9+rest, 10)[1:]
		text += "." + strings.TrimRight(digits, "0")
	}
	return json.RawMessage(text)
}
