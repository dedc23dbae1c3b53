package kubeletadmit

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/qos"
)

// Config says which rules decide. The zero value is what the kubelet does.
//
// Releases differ in three things: what an active pod counts with in the check (rule 2.2.11), the
// class of a pod whose status records none (rules 3.12 and 3.13), and whether pods are evicted for
// a resize (rule 17.4.8).
//
// With PriorityFirst or Exact, the evicted pods may differ from those that a kubelet evicts;
// package kubeletadmit/explain shows the difference. Neither setting changes which pods may be
// evicted, nor for which pods. Both are experimental, and so are Limit and [Certificate]: no promise
// of compatibility covers them.
type Config struct {
	// Release says whose rules hold; zero means outrank.DefaultRelease. An unknown release is an
	// error of every call.
	Release outrank.Release
	// Operation says what the pod asks of the kubelet; zero means Add. Any value but the constants
	// is an error of every call.
	Operation Operation
	// PriorityFirst evicts pods by priority, the lowest first, and by class within a priority
	// (rules 17.8.2 and 17.8.3). No kubelet does that. Experimental.
	PriorityFirst bool
	// Exact evicts the best set of pods (rules 17.8.4 to 17.8.7). A kubelet takes the nearest pod
	// again and again instead. Admission.Search says how good the set is. Experimental.
	Exact bool
	// Limit bounds the steps of an exact search; zero means 100,000, which take some tens of
	// milliseconds. At the limit the best set found so far is the answer. A negative number is an
	// error of every call. AdmitContext bounds the time as well.
	Limit int
}

// Operation says what a pod asks of the kubelet.
type Operation string

// What a pod can ask of the kubelet.
const (
	// Add admits a pod that is new on the node.
	Add Operation = ""
	// Resize admits a pod that is on the node already and asks for the requests of its spec. The
	// active pods are the others. In v1.36, and without the feature gate
	// InPlacePodVerticalScalingSchedulerPreemption, this is the same as Add; with the gate nobody
	// is evicted for it (rule 17.4.8).
	Resize Operation = "resize"
)

// defaultLimit is the Limit that zero means.
const defaultLimit = 100_000

// problems lists the settings that are unknown or make no sense.
func (c Config) problems() []outrank.Problem {
	var ps []outrank.Problem
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: "config", Field: field, Text: fmt.Sprintf(format, args...)})
	}

	if !c.Release.Known() {
		add("Release", "%v is not known", c.Release)
	}
	if c.Operation != Add && c.Operation != Resize {
		add("Operation", "%.40q is none of %q, %q", c.Operation, Add, Resize)
	}
	if c.Limit < 0 {
		add("Limit", "%d is negative", c.Limit)
	}
	return ps
}

// evicts reports whether pods can be evicted for this one.
func (c Config) evicts(pod *outrank.Pod) bool {
	if c.Operation == Resize && release.Of(release.Release(c.Release)).KubeletLeavesResizes {
		return false
	}
	return Critical(pod)
}

// class returns the QoS class of the pod for the kubelet of the release.
func (c Config) class(pod *outrank.Pod) outrank.QOSClass { return qos.Of(c.Release, pod) }
