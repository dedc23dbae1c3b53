// Package phrase has the parts of sentences that answers and errors share.
package phrase

import (
	"fmt"

	"github.com/outrank-go/outrank"
)

// Object returns a kind of object with the name of one, for errors.
func Object[T ~string](kind string, name T) string {
	if name == "" {
		return kind + " without a name"
	}
	return kind + " " + string(name)
}

// Pod names a pod. A plan that was not made by an evaluator may lack one.
func Pod(p *outrank.Pod) string {
	if p == nil {
		return "no pod"
	}
	return string(p.Key())
}

// Steps returns the number of steps of a search.
func Steps(steps int) string {
	if steps == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", steps)
}

// AppendStatus appends the name of a filter, if there is one, and reasons.
func AppendStatus(b []byte, filter string, reasons []string) []byte {
	if filter != "" {
		b = append(b, filter...)
		b = append(b, ": "...)
	}
	for i, reason := range reasons {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, reason...)
	}
	return b
}
