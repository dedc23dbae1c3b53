package execution

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority/queue"
)

// Result is how the execution of a plan ended.
type Result string

// The results. An empty one is of a report that no executor made.
const (
	// Interrupted: a step failed or the context ended. The preemptor can be
	// tried again; the report says what was done.
	Interrupted Result = "interrupted"
	// Completed: every victim was evicted or needed no eviction, and the
	// preemptor is nominated, unless it is on its node already.
	Completed Result = "completed"
	// PreemptorGone: the preemptor does not exist any more, is being deleted, or
	// another pod has its name. Nothing more was done.
	PreemptorGone Result = "preemptor-gone"
	// PreemptorBound: the preemptor runs on a node by now, or its resize there is not
	// deferred any more. Nothing was done.
	PreemptorBound Result = "preemptor-bound"
)

// What preempts, in the words of the reference.
const (
	byPod            = "pod"
	byPodGroup       = "podgroup"
	byCompositeGroup = "compositepodgroup"
)

// MemberReport says what was done about a pod of a group that is to be nominated.
type MemberReport struct {
	// Pod is the pod as it was fetched, or that of the plan. Node is the node that it is
	// nominated to.
	Pod  *outrank.Pod
	Node string
	// Result is Completed once the pod is nominated, and PreemptorGone or
	// PreemptorBound for one that needs no room any more.
	Result Result
}

// resultTexts are what [Report.String] says of results whose word says too little there.
var resultTexts = map[Result]string{PreemptorGone: "the preemptor is gone", PreemptorBound: "the preemptor runs already"}

// EvictionResult says what was done about one victim.
type EvictionResult string

// The results of evictions. An empty one is of a report that no executor made.
const (
	// Skipped: nothing was done, because an earlier step failed.
	Skipped EvictionResult = "skipped"
	// Evicted: the victim got its condition and was deleted. It terminates.
	Evicted EvictionResult = "evicted"
	// RejectedWhileWaiting: the victim was waiting to be bound, and will not be.
	RejectedWhileWaiting EvictionResult = "rejected-while-waiting"
	// AlreadyTerminating: the victim was terminating when the plan was made.
	AlreadyTerminating EvictionResult = "already-terminating"
	// AlreadyEvicted: this executor had evicted the victim before, or did so at
	// the same time in another call.
	AlreadyEvicted EvictionResult = "already-evicted"
	// AlreadyGone: the victim was not found, which is as good.
	AlreadyGone EvictionResult = "already-gone"
	// Failed: the eviction was tried and failed.
	Failed EvictionResult = "failed"
)

// done reports whether nothing is left to do about the victim.
func (r EvictionResult) done() bool { return r != "" && r != Skipped && r != Failed }

// evictionTexts are what [Report.String] says of results whose word says too little there.
var evictionTexts = map[EvictionResult]string{
	RejectedWhileWaiting: "rejected while waiting", AlreadyTerminating: "terminating already",
	AlreadyEvicted: "evicted before", AlreadyGone: "gone already",
}

// Report says what was done about a plan. It belongs to the caller.
type Report struct {
	Result Result
	// Order is the order of the steps after the first, and Begun says that they were begun: the
	// preemptor, or a pod of the group, still waited for room. The plan counts in the metrics then.
	Order Order
	Begun bool
	// Preemptor is the pod as it was fetched before anything was done, or the
	// plan's pod where fetching failed. Node is the plan's node.
	Preemptor *outrank.Pod
	Node      string
	// Group is the preemptor if that is a group, and Members its pods that are to be
	// nominated, in the order of the plan. Preemptor is the first of them that still
	// waits then, and Node is "cluster".
	Group   *queue.Group
	Members []MemberReport
	// Victims are the victims of the plan in its order, each once.
	Victims []VictimReport
	// Cleared are the pods whose nomination to the node was to be cleared, sorted
	// by importance. A failure here does not interrupt the execution.
	Cleared []ClearReport
	// Nominated says whether the preemptor was nominated to the node. After a
	// failure in Asynchronous order it may be nominated although not all
	// victims were evicted.
	Nominated bool

	// variant is that of the plan, whose steps kube-scheduler's log does not tell.
	variant outrank.Variant
}

// VictimReport says what was done about one victim.
type VictimReport struct {
	Pod    *outrank.Pod
	Result EvictionResult
	// Err is why the eviction failed, or why it was skipped while another call
	// was evicting the victim; else nil.
	Err error
}

// ClearReport is a nomination that was to be cleared.
type ClearReport struct {
	Pod *outrank.Pod
	// NotFound says that the pod is gone, and its nomination with it.
	NotFound bool
	// Err is why clearing failed. It is nil for a nomination that was cleared.
	Err error
}

// Done returns the victims about which nothing is left to do, in the order of
// the plan.
func (r *Report) Done() []*outrank.Pod { return r.podsByDone(true) }

// Left returns the victims whose eviction failed or was skipped.
func (r *Report) Left() []*outrank.Pod { return r.podsByDone(false) }

func (r *Report) podsByDone(done bool) []*outrank.Pod {
	var pods []*outrank.Pod
	for _, v := range r.Victims {
		if v.Result.done() == done {
			pods = append(pods, v.Pod)
		}
	}
	return pods
}

// String returns the whole report in one line.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s: %s", r.who(), r.Node, cmp.Or(resultTexts[r.Result], string(r.Result)))
	for _, v := range r.Victims {
		fmt.Fprintf(&b, "; %s %s", keyOfPod(v.Pod), cmp.Or(evictionTexts[v.Result], string(v.Result)))
	}
	for _, c := range r.Cleared {
		if c.Err == nil {
			fmt.Fprintf(&b, "; %s not nominated any more", keyOfPod(c.Pod))
		}
	}
	if r.Nominated {
		b.WriteString("; nominated")
	}
	return b.String()
}

// who names the preemptor.
func (r *Report) who() string {
	if r.Group != nil {
		return string(r.Group.Key())
	}
	return keyOfPod(r.Preemptor)
}

// failure returns the error for an interrupted plan: what went wrong with each
// victim, and the other cause, if any.
func (r *Report) failure(cause error) error {
	errs := []error{}
	for _, v := range r.Victims {
		if v.Err != nil {
			errs = append(errs, fmt.Errorf("victim %s: %w", v.Pod.Key(), v.Err))
		}
	}
	if cause != nil {
		errs = append(errs, cause)
	}
	kind := "pod"
	if r.Group != nil {
		kind = "group"
	}
	return fmt.Errorf("%s %s: preempting on node %s: %d of %d victims done: %w",
		kind, r.who(), r.Node, len(r.Done()), len(r.Victims), errors.Join(errs...))
}

// preemptorType says what the preemptor is.
func (r *Report) preemptorType() string {
	switch {
	case r.Group == nil:
		return byPod
	case r.Group.Composite != nil:
		return byCompositeGroup
	}
	return byPodGroup
}

func keyOfPod(p *outrank.Pod) string {
	if p == nil {
		return "(nil)"
	}
	return string(p.Key())
}
