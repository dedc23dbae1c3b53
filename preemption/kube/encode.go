package kube

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/resource"
)

// encoder converts one object at a time to its wire form; converter does the reverse. A value that the wire form
// cannot represent is a problem.
type encoder struct {
	// subject is the name of the current object in problems.
	subject  string
	problems []outrank.Problem
	// beta is set if groups are written in v1beta1, whatever their fields are.
	beta bool
}

// add records a problem at a place in the current object.
func (e *encoder) add(at *apis.Path, format string, args ...any) {
	e.problems = append(e.problems, outrank.Problem{Object: e.subject, Field: at.String(), Text: fmt.Sprintf(format, args...)})
}

// text returns the JSON of the current object, and records what cannot be encoded.
func (e *encoder) text(wire any) []byte {
	text, wrong := manifest.Encode(wire)
	for _, m := range wrong {
		e.problems = append(e.problems, outrank.Problem{Object: e.subject, Field: m.Field, Text: m.Text})
	}
	return text
}

// part returns the JSON of a part of the current object. at is the path of the part in problems.
func (e *encoder) part(wire any, at *apis.Path) []byte {
	text, wrong := manifest.Encode(wire)
	for _, m := range wrong {
		one := at.Field(m.Field)
		e.add(&one, "%s", m.Text)
	}
	return text
}

// time formats a time as an API server does (rule 26.2.2). The zero time becomes the empty string.
func (e *encoder) time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return manifest.FormatTime(t)
}

// wireAmounts returns the wire form of a list of amounts; an empty one becomes nil.
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

// wireReported is like wireAmounts, for a list in a status. There an empty list differs from a missing one, and stays
// empty.
func wireReported(l resource.List) manifest.Amounts {
	if l != nil && len(l) == 0 {
		return manifest.Amounts{}
	}
	return wireAmounts(l)
}

// wireRequirements returns the wire form of requests and limits.
func wireRequirements(requests, limits resource.List) manifest.Requirements {
	return manifest.Requirements{Requests: wireAmounts(requests), Limits: wireAmounts(limits)}
}
