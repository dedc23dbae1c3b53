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
	// Count adds 1 to a counter, for a pod that was killed.
	Count(metric Metric)
}

// PodStatus is the status that an evicted pod ends with.
type PodStatus struct {
	Phase           outrank.Phase
	Reason, Message string
	// Condition is added to the others.
	Condition outrank.PodCondition
}

// Metric is a counter with its label.
type Metric struct {
	Name, Label, Value string
}

// What the kubelet says about pods it evicts for a critical one (rules 17.7.2
// to 17.7.6).
const (
	evictedReason  = "Preempting"
	evictedMessage = "Preempted in order to admit critical pod"

	conditionMessage = "Pod was preempted by Kubelet to accommodate a critical pod."

	metricName  = "kubelet_preemptions"
	metricLabel = "preemption_signal"
)

// Event returns the event about one of the evicted pods.
func (a Admission) Event(evicted *outrank.Pod) outrank.Event {
	return outrank.Event{Type: outrank.EventWarning, Reason: evictedReason, Pod: evicted, Message: evictedMessage}
}

// PodStatus returns the status that each of the evicted pods ends with.
func (a Admission) PodStatus() PodStatus {
	return PodStatus{
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
}

// Metric returns the counter for each pod that was killed, labelled with the
// resource of the first shortage found.
func (a Admission) Metric() Metric {
	m := Metric{Name: metricName, Label: metricLabel}
	for _, f := range a.Failures {
		if f.IsShortage() {
			m.Value = string(f.Resource)
			break
		}
	}
	return m
}

// KillResult is the result of evicting one pod.
type KillResult struct {
	Pod *outrank.Pod
	// Tried is set if the kill was begun. It is not set if the context ended
	// before.
	Tried bool
	// Err says why the pod could not be killed: the error of [Kubelet.Kill],
	// or the cause of the context's end where the kill was not tried.
	Err error
}

// Evict carries out the evictions of an admission one by one, in order (group
// 17.7; evictPodsToFreeRequests). For each pod it
//
//  1. records [Admission.Event];
//  2. kills the pod with [Admission.PodStatus];
//  3. counts [Admission.Metric] if the kill succeeded.
//
// A failed kill stops nothing: the other pods are still killed and the pod
// stays admitted. A caller that wants otherwise reads the report, which has an
// entry per eviction in order. If the context ends, Evict stops before the next
// pod, and the error wraps the context's cause. If kubelet, a pod or the context is nil,
// nothing is done and the error is an *[outrank.InputError]. An admission
// without evictions has an empty report.
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
		if ended == nil && ctx.Err() != nil {
			ended = fmt.Errorf("%d of %d evictions not tried: %w", len(kills)-i, len(kills), context.Cause(ctx))
		}
		if ended != nil {
			kills[i].Err = context.Cause(ctx)
			continue
		}
		kills[i].Tried, kills[i].Err = true, evictOne(ctx, a, e.Pod, kubelet)
	}
	return kills, ended
}

// evictOne takes the three steps of Evict for one pod.
func evictOne(ctx context.Context, a Admission, pod *outrank.Pod, kubelet Kubelet) error {
	kubelet.Record(a.Event(pod))
	if err := kubelet.Kill(ctx, pod, a.PodStatus()); err != nil {
		return err
	}
	kubelet.Count(a.Metric())
	return nil
}

// evictable refuses what cannot be carried out.
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
