package kubeletadmit

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/answerjson"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/qos"
)

// Admitter decides by the rules of a release. The functions of the package are those of
// the zero Admitter. Any number of goroutines may use one at once.
//
// Releases differ in what the pods that are there count with in the check (rule
// 2.2.11), in the class of pods of which none is recorded (rules 3.12 and 3.13), and in
// whether pods are evicted for a resize (rule 17.4.8).
//
// PriorityFirst and Exact are no rules of the reference: with either, other pods go than
// a kubelet would evict. [Admitter.Compare] says which. They change nothing else, neither
// which pods may be evicted nor which pods others are evicted for.
type Admitter struct {
	// Release says which rules hold; zero means [outrank.DefaultRelease]. One that is not
	// known is an error of every call.
	Release outrank.Release
	// Operation says what the pod is to be admitted for; zero means [Add].
	Operation Operation
	// PriorityFirst has pods go by priority, the lowest first, and by class within a
	// priority, where the kubelet looks at the class alone (rules 17.8.2 and 17.8.3).
	PriorityFirst bool
	// Exact has the best set of pods go, where the kubelet takes the nearest pod time
	// and again (rules 17.8.4 to 17.8.7). [Admission.Search] says how good it is.
	Exact bool
	// MostSteps ends the search of Exact; zero means 100,000. A negative number
	// is an error of every call.
	MostSteps int
	// Context, unless nil, is asked every thousand steps or so. Where it has ended the search
	// ends as by MostSteps, with an answer that is valid and says how good it is.
	Context context.Context
}

// Operation is a request of a pod to the kubelet.
type Operation uint8

// The operations.
const (
	// Add: the pod is new on the node.
	Add Operation = iota
	// Resize: the pod is on the node already, and asks for the requests of its spec.
	// The active pods are the others. In v1.36, and without the feature gate
	// InPlacePodVerticalScalingSchedulerPreemption, this is the same as Add; with the
	// gate no pod is evicted for it (rule 17.4.8).
	Resize
)

// String returns "add" or "resize".
func (o Operation) String() string { return answerjson.Text(operationTexts, o) }

var operationTexts = []string{Add: "add", Resize: "resize"}

// problems reports a release or an operation that is not known.
func (a Admitter) problems() []outrank.Problem {
	var ps []outrank.Problem
	if !a.Release.Known() {
		ps = append(ps, outrank.Problem{Object: "admitter", Field: "Release", Text: fmt.Sprintf("%v is not known", a.Release)})
	}
	if a.Operation > Resize {
		ps = append(ps, outrank.Problem{Object: "admitter", Field: "Operation", Text: fmt.Sprintf("%d is none", a.Operation)})
	}
	if a.MostSteps < 0 {
		ps = append(ps, outrank.Problem{Object: "admitter", Field: "MostSteps", Text: fmt.Sprintf("%d is negative", a.MostSteps)})
	}
	return ps
}

// evicts reports whether pods can be evicted for this one.
func (a Admitter) evicts(pod *outrank.Pod) bool {
	if a.Operation == Resize && release.Of(release.Release(a.Release)).KubeletLeavesResizes {
		return false
	}
	return Critical(pod)
}

// class is the class that the kubelet of the release takes a pod for.
func (a Admitter) class(pod *outrank.Pod) outrank.QOSClass { return qos.Of(a.Release, pod) }
