package kube

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/resource"
)

// encoder turns one object at a time into its wire form, the reverse of
// converter. A value that the wire form has no place for is a problem.
type encoder struct {
	subject  string // the current object
	problems []outrank.Problem
	beta     bool // groups are written in v1beta1, whatever their fields
}

func (e *encoder) add(at *apis.Path, format string, args ...any) {
	e.problems = append(e.problems, outrank.Problem{Object: e.subject, Field: at.String(), Text: fmt.Sprintf(format, args...)})
}

// text returns the JSON of a wire form.
func (e *encoder) text(wire any) []byte {
	text, wrong := manifest.Encode(wire)
	for _, m := range wrong {
		e.problems = append(e.problems, outrank.Problem{Object: e.subject, Field: m.Field, Text: m.Text})
	}
	return text
}

// part returns the JSON of a part of an object.
func (e *encoder) part(wire any, at *apis.Path) []byte {
	text, wrong := manifest.Encode(wire)
	for _, m := range wrong {
		one := at.Field(m.Field)
		e.add(&one, "%s", m.Text)
	}
	return text
}

// time returns the text of a time as an API server writes it (rule 26.2.2), empty for the zero
// time.
func (e *encoder) time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return manifest.FormatTime(t)
}

// wireAmounts returns nil for an empty list.
func wireAmounts(l resource.List) manifest.Amounts {
	if len(l) == 0 {
		return nil
	}
	out := make(manifest.Amounts, len(l))
	for name, q := range l {
		out[string(name)] = manifest.Quantity{Quantity: q}
	}
	return out
}

// wireReported is wireAmounts for a list of a status, where an empty one is not the
// same as none.
func wireReported(l resource.List) manifest.Amounts {
	if l != nil && len(l) == 0 {
		return manifest.Amounts{}
	}
	return wireAmounts(l)
}

func wireRequirements(requests, limits resource.List) manifest.Requirements {
	return manifest.Requirements{Requests: wireAmounts(requests), Limits: wireAmounts(limits)}
}
