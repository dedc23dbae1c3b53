package actions

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/execution"
)

// Evict sets the condition on the victim and deletes it then. Both are asked for the very
// pod that was chosen: one of the same name with another UID is left alone, and counts as
// not found (rule 14.1.9). Only what the condition fails with is retriable (rule 14.1.6).
func (c *Client) Evict(ctx context.Context, e execution.Eviction) error {
	victim, err := c.current(e.Victim)
	if err != nil {
		return err
	}
	if patch, ok := conditionPatch(victim, e.Condition, metav1.Now()); ok {
		if err := c.patchStatus(ctx, e.Victim, victim, patch); err != nil {
			return err
		}
	}
	return c.delete(ctx, e.Victim, victim, e.Grace)
}

// conditionPatch has the condition in a patch of the pod's status, and false where the pod
// has it already.
func conditionPatch(pod *v1.Pod, want outrank.PodCondition, now metav1.Time) (map[string]any, bool) {
	set := v1.PodCondition{
		Type: v1.PodConditionType(want.Type), Status: v1.ConditionStatus(want.Status), Reason: want.Reason, Message: want.Message,
		ObservedGeneration: pod.Generation, LastTransitionTime: now,
	}
	for _, has := range pod.Status.Conditions {
		if has.Type != set.Type {
			continue
		}
		if has.Status == set.Status {
			set.LastTransitionTime = has.LastTransitionTime
		}
		set.LastProbeTime = has.LastProbeTime
		if has == set {
			return nil, false
		}
	}
	return map[string]any{"conditions": []v1.PodCondition{set}}, true
}

// delete asks for the end of the pod, once.
func (c *Client) delete(ctx context.Context, victim *outrank.Pod, pod *v1.Pod, grace *time.Duration) error {
	options := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(pod.UID))}
	if grace != nil {
		seconds := int64((*grace + time.Second - 1) / time.Second)
		options.GracePeriodSeconds = &seconds
	}
	err := c.API.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, options)
	if apierrors.IsConflict(err) { // the UID is the only precondition
		return fmt.Errorf("deleting pod %s: another pod has its name: %w: %w", victim.Key(), preemption.ErrNotFound, err)
	}
	return c.said(victim, "deleting", err)
}
