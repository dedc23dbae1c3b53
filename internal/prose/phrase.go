package prose

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
)

// Object returns how an error names an object: by its kind and its name.
func Object[T ~string](kind string, name T) string {
	if name == "" {
		return kind + " without a name"
	}
	return kind + " " + string(name)
}

// Pod returns how texts name a pod. It is "no pod" for nil, because a plan that was not made by an evaluator
// may lack one.
func Pod(p *outrank.Pod) string {
	if p == nil {
		return "no pod"
	}
	return string(p.Key())
}

// Devices is the name of kube-scheduler's plugin that reads claims for devices. A filter of the caller with
// this name is assumed to read them.
const Devices = "DynamicResources"

// Unread warns of the claims for devices of a pod to be placed, unless a filter of the caller reads them (rule
// 7.14.7). ownFilters yields the names of the caller's filters.
func Unread(p *outrank.Pod, ownFilters func(yield func(name string) bool)) []outrank.Problem {
	if p == nil || len(p.ResourceClaims) == 0 {
		return nil
	}
	for name := range ownFilters {
		if name == Devices {
			return nil
		}
	}

	return []outrank.Problem{{
		Object: "pod " + string(p.Key()), Field: "spec.resourceClaims",
		Text: "no filter reads claims for devices (" + strings.Join(p.ResourceClaims, ", ") + "); the pod is decided about as if it had none",
	}}
}

// Steps returns a number of steps of a search in words.
func Steps(steps int) string {
	if steps == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", steps)
}

// AppendStatus appends the name of a filter, if there is one, and its reasons.
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
