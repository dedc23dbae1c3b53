package actions

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// Evict sets the condition on the victim, if the eviction has one, and then deletes the victim. Both concern
// only the pod that was chosen. A pod of the same name with another UID is left alone, and the victim counts as
// not found (rule 14.1.9). Only an error while setting the condition is retriable (rule 14.1.6).
func (c *Client) Evict(ctx context.Context, e execution.Eviction) error {
	victim, err := c.current(e.Victim)
	if err != nil {
		return err
	}
	if condition, changes := conditionOf(victim, e.Condition, time.Now()); changes && e.Condition.Type != "" {
		if err := c.patchStatus(ctx, e.Victim, convert.ConditionPatch(e.Victim, condition)); err != nil {
			return err
		}
	}
	return c.delete(ctx, e.Victim, e.Grace)
}

// conditionOf returns the condition for the pod. It reports false if the pod has it already, whatever its
// generation. If only the text changes, the condition keeps the time of its last change.
func conditionOf(pod *v1.Pod, want outrank.PodCondition, now time.Time) (v1.PodCondition, bool) {
	set := convert.Condition(want, pod.Generation, now)
	for _, has := range pod.Status.Conditions {
		if has.Type != set.Type {
			continue
		}
		if has.Status == set.Status {
			set.LastTransitionTime = has.LastTransitionTime
		}
		set.LastProbeTime = has.LastProbeTime
		has.ObservedGeneration = set.ObservedGeneration
		return set, has != set
	}
	return set, true
}

// delete deletes the pod, without retries.
func (c *Client) delete(ctx context.Context, victim *outrank.Pod, grace *time.Duration) error {
	options := convert.DeleteOptions(victim, grace)
	err := c.API.CoreV1().Pods(victim.NamespaceName()).Delete(ctx, victim.Name, options)
	if apierrors.IsConflict(err) && options.Preconditions != nil { // no other precondition is set
		return fmt.Errorf("deleting pod %s: another pod has its name: %w: %w", victim.Key(), preemption.ErrNotFound, err)
	}
	return c.said(victim, "deleting", err)
}
