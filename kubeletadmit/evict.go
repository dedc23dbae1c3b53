package kubeletadmit

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
)

// Kubelet does what [Evict] decides. An implementation that does nothing makes
// a dry run. No two of its methods are called at the same time.
type Kubelet interface {
	// Record posts an event about a pod that is about to be killed.
	Record(event outrank.Event)
	// Kill stops the pod, within its own grace period, and writes the status.
	// It returns once the pod's containers are gone, or with the error that
	// kept it from stopping them.
	Kill(ctx context.Context, pod *outrank.Pod, status PodStatus) error
}

// PodStatus is the status that an evicted pod ends with.
type PodStatus struct {
	Phase           outrank.Phase
	Reason, Message string
	// Condition is added to the others.
	Condition outrank.PodCondition
}

// What the kubelet says about pods it evicts for a critical one (rules 17.7.2
// to 17.7.4).
const (
	evictedReason  = "Preempting"
	evictedMessage = "Preempted in order to admit critical pod"

	conditionMessage = "Pod was preempted by Kubelet to accommodate a critical pod."
)

// evictedStatus is the status that each of the evicted pods ends with.
var evictedStatus = PodStatus{
	Phase:   outrank.PhaseFailed,
	Reason:  evictedReason,
	Message: evictedMessage,
	Condition: outrank.PodCondition{
		Type:    outrank.DisruptionTarget,
		Status:  outrank.ConditionTrue,
		Reason:  outrank.TerminationByKubelet,
		Message: conditionMessage,
	},
}

// KillResult is the result of evicting one pod.
type KillResult struct {
	Pod *outrank.Pod
	// Tried is set if the kill was begun. It is not set if the context ended
	// before.
	Tried bool
	// Err says why the pod could not be killed: the error of Kubelet.Kill,
	// or the cause of the context's end where the kill was not tried.
	Err error
}

// Evict carries out the evictions of an admission one by one, in order (group
// 17.7; evictPodsToFreeRequests): for each an event, then the kill. There is one
// result for each eviction, in the same order.
//
// A failed kill stops nothing: the other pods are still killed, and the pod
// stays admitted. A caller that wants otherwise reads the results. They also tell
// how many pods were killed, which a kubelet counts in its metric
// kubelet_preemptions under the resource of the first shortage.
//
// If the context ends, Evict stops before the next pod, and the error wraps the
// context's cause. If kubelet, a pod or the context is nil, nothing is done and
// the error is an *[outrank.InputError]. An admission without evictions has no
// results.
func Evict(ctx context.Context, a Admission, kubelet Kubelet) ([]KillResult, error) {
	if err := evictable(a, kubelet); err != nil {
		return nil, err
	}
	if ctx == nil {
		return nil, &outrank.InputError{Problems: []outrank.Problem{missing("context")}}
	}

	kills := make([]KillResult, len(a.Evictions))
	var ended error
	for i, e := range a.Evictions {
		kills[i].Pod = e.Pod

		// The pods after the context's end have results, too: they say that no kill was tried.
		if ended == nil && ctx.Err() != nil {
			ended = fmt.Errorf("%d of %d evictions not tried: %w", len(kills)-i, len(kills), context.Cause(ctx))
		}
		if ended != nil {
			kills[i].Err = context.Cause(ctx)
			continue
		}

		kubelet.Record(outrank.Event{Type: outrank.EventWarning, Reason: evictedReason, Pod: e.Pod, Message: evictedMessage})
		kills[i].Tried = true
		kills[i].Err = kubelet.Kill(ctx, e.Pod, evictedStatus)
	}
	return kills, ended
}

// evictable returns an error for an admission that cannot be carried out: the kubelet or
// an evicted pod is nil.
func evictable(a Admission, kubelet Kubelet) error {
	var problems []outrank.Problem
	if kubelet == nil {
		problems = append(problems, missing("kubelet"))
	}
	for i, e := range a.Evictions {
		if e.Pod == nil {
			problems = append(problems, missing(fmt.Sprintf("evictions[%d].Pod", i)))
		}
	}
	return inputError(problems)
}
