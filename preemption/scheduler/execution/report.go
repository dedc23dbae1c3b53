package execution

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// Result says what became of a plan, of a pod that was to be placed, or of a victim. Each field of this
// type lists the results that it can have.
type Result string

// The results. A Result is empty in a report that Executor has not filled in.
const (
	// Completed: the step succeeded. For a plan, every victim was evicted or needed no
	// eviction, and the preemptor is nominated, unless it is on its node already.
	Completed Result = "completed"
	// Interrupted: a step failed or the context ended. The preemptor can be tried again; the report says what
	// was done.
	Interrupted Result = "interrupted"

	// Requeued: the pod went back to the queue as unschedulable.
	Requeued Result = "requeued"
	// Gone: the pod was not found. A preemptor also counts as gone if it is being deleted or another
	// pod has its name. Nothing more was done; a victim that is gone counts as evicted.
	Gone Result = "gone"
	// Replaced: the pod that could not be scheduled is gone, and another pod has its name by now.
	Replaced Result = "replaced"
	// Bound: the pod has a node by now, or the resize that it waited for is no longer deferred.
	// Nothing was done for it.
	Bound Result = "bound"

	// Evicted: the victim got its condition and was deleted. It terminates.
	Evicted Result = "evicted"
	// RejectedWhileWaiting: the victim was waiting to be bound, and will not be.
	RejectedWhileWaiting Result = "rejected-while-waiting"
	// AlreadyTerminating: the victim was terminating when the plan was made.
	AlreadyTerminating Result = "already-terminating"
	// AlreadyEvicted: this executor had evicted the victim before, or did so at the same time in another call.
	AlreadyEvicted Result = "already-evicted"
	// Skipped: nothing was done, because an earlier step failed.
	Skipped Result = "skipped"
	// Failed: the step for this pod was tried and failed.
	Failed Result = "failed"
)

// The kinds of preemptors, as the reference names them in messages and metrics.
const (
	byPod            = "pod"
	byPodGroup       = "podgroup"
	byCompositeGroup = "compositepodgroup"
)

// PodReport says what was done about one pod of a plan.
type PodReport struct {
	// Pod is a victim, a pod that was to lose its nomination, or a pod of a group. A pod of a group is
	// the version that was fetched, or the plan's.
	Pod *outrank.Pod
	// Node is the node that a pod of a group is nominated to, empty for other pods.
	Node string
	// Result says what became of the pod. The fields of Report list the results that it can have.
	Result Result
	// Err is the error if the step failed, or if the context ended while another call was evicting the
	// victim. Otherwise it is nil.
	Err error
}

// done reports whether nothing is left to do about the victim.
func (r Result) done() bool { return r != "" && r != Skipped && r != Failed }

// planTexts and victimTexts have the words of [Report.String] for results of plans and of victims whose own
// name says too little.
var (
	planTexts   = map[Result]string{Gone: "the preemptor is gone", Bound: "the preemptor runs already"}
	victimTexts = map[Result]string{
		RejectedWhileWaiting: "rejected while waiting", AlreadyTerminating: "terminating already",
		AlreadyEvicted: "evicted before", Gone: "gone already",
	}
)

// Report says what was done about a plan. It belongs to the caller.
type Report struct {
	// Plan is the plan if steps after the first were begun, because the preemptor, or a pod of the
	// group, still waited for room. Otherwise it is nil, and the report does not count in the metrics.
	Plan preemption.Decision
	// Result is Completed, Interrupted, Gone or Bound.
	Result Result
	// Order is the order in which the steps were taken.
	Order Order
	// Preemptor is the pod as it was fetched before anything was done, or the plan's pod if
	// fetching failed. For a group it is the first of Members that still waits.
	Preemptor *outrank.Pod
	// Node is the name of the plan's node, "cluster" for a group.
	Node string
	// Members are the pods of a group that are to be nominated, in the order of the plan: Completed
	// once nominated, Gone or Bound if the pod needs no room any more, otherwise Interrupted.
	Members []PodReport
	// Victims are the victims of the plan in its order, each once: Evicted, RejectedWhileWaiting,
	// AlreadyTerminating, AlreadyEvicted, Gone, Skipped or Failed.
	Victims []PodReport
	// Cleared are the pods whose nomination to the node was to be cleared, sorted by importance: Completed,
	// Gone if the pod was not found, or Failed. A failure here does not interrupt the execution.
	Cleared []PodReport
	// Nominated says whether the preemptor was nominated to the node. After a failure in Asynchronous order it
	// may be nominated although not all victims were evicted.
	Nominated bool

	// group is the preemptor if it is a group, else nil.
	group *queue.Group
	// variant is the variant of the plan. LogRecords is empty for a variant, whose steps are not those
	// of today's kube-scheduler.
	variant outrank.Variant
}

// done returns the number of victims for which nothing is left to do.
func (r *Report) done() (n int) {
	for i := range r.Victims {
		if r.Victims[i].Result.done() {
			n++
		}
	}
	return n
}

// String returns the whole report in one line.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s: %s", r.who(), r.Node, cmp.Or(planTexts[r.Result], string(r.Result)))
	for _, v := range r.Victims {
		fmt.Fprintf(&b, "; %s %s", keyOfPod(v.Pod), cmp.Or(victimTexts[v.Result], string(v.Result)))
	}
	for _, c := range r.Cleared {
		if c.Result != Failed {
			fmt.Fprintf(&b, "; %s not nominated any more", keyOfPod(c.Pod))
		}
	}
	if r.Nominated {
		b.WriteString("; nominated")
	}
	return b.String()
}

// who returns the key of the preemptor.
func (r *Report) who() string {
	if r.group != nil {
		return string(r.group.Key())
	}
	return keyOfPod(r.Preemptor)
}

// failure returns the error for an interrupted plan. It wraps the error of each victim and, unless it is nil,
// another cause.
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
	if r.group != nil {
		kind = "group"
	}
	return fmt.Errorf("%s %s: preempting on node %s: %d of %d victims done: %w",
		kind, r.who(), r.Node, r.done(), len(r.Victims), errors.Join(errs...))
}

// preemptorType returns the kind of the preemptor, as the reference names it.
func (r *Report) preemptorType() string {
	switch {
	case r.group == nil:
		return byPod
	case r.group.Composite != nil:
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
