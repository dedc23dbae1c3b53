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

// Unread warns of what no filter reads of a pod to be placed: its claims for devices, unless a filter of the caller
// reads them (rule 7.14.7), and claims of which only the name is known (rule 7.10.4). ownFilters yields the names of
// the caller's filters.
func Unread(p *outrank.Pod, ownFilters func(yield func(name string) bool)) (ws []outrank.Problem) {
	if p == nil {
		return nil
	}
	if len(p.ResourceClaims) > 0 && !readsDevices(ownFilters) {
		ws = append(ws, outrank.Problem{
			Object: "pod " + string(p.Key()), Field: "spec.resourceClaims",
			Text: "no filter reads claims for devices (" + strings.Join(p.ResourceClaims, ", ") + "); the pod is decided about as if it had none",
		})
	}

	var claims []string
	for i := range p.Volumes {
		if v := &p.Volumes[i]; v.Unresolved() {
			claims = append(claims, v.Claim)
		}
	}
	if len(claims) > 0 {
		ws = append(ws, outrank.Problem{
			Object: "pod " + string(p.Key()), Field: "spec.volumes",
			Text: "of claims only the names are known (" + strings.Join(claims, ", ") + "); they keep the pod from no node, and a cluster without them schedules no such pod",
		})
	}
	return ws
}

// readsDevices reports whether one of the filters reads claims for devices.
func readsDevices(ownFilters func(yield func(name string) bool)) bool {
	for name := range ownFilters {
		if name == Devices {
			return true
		}
	}
	return false
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
