package actions

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/net"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// patchStatus patches the status of the pod with this UID, which the patch contains.
func (c *Client) patchStatus(ctx context.Context, pod *outrank.Pod, patch []byte) error {
	_, err := c.API.CoreV1().Pods(pod.NamespaceName()).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	switch {
	case apierrors.IsConflict(err) && c.replaced(ctx, pod):
		return fmt.Errorf("patching pod %s: another pod has its name: %w: %w", pod.Key(), preemption.ErrNotFound, err)
	case apierrors.IsConflict(err), passes(err):
		return fmt.Errorf("patching pod %s: %w: %w", pod.Key(), execution.ErrRetriable, err)
	}
	return c.said(pod, "patching", err)
}

// replaced asks the server whether the pod is gone, which the informer may not have seen yet.
func (c *Client) replaced(ctx context.Context, pod *outrank.Pod) bool {
	now, err := c.API.CoreV1().Pods(pod.NamespaceName()).Get(ctx, pod.Name, metav1.GetOptions{})
	if err != nil {
		return apierrors.IsNotFound(err)
	}
	return pod.UID != "" && string(now.UID) != pod.UID
}

// passes reports whether an error is temporary.
func passes(err error) bool {
	return apierrors.IsInternalError(err) || apierrors.IsServiceUnavailable(err) || net.IsConnectionRefused(err)
}

// ClearNomination clears the nomination of the pod. The scheduler sees the change and tries the pod again. If
// the scheduler queues its API calls, the call goes there. For a pod that is being deleted nothing is written,
// because its nomination has no effect (rule 7.16.6).
func (c *Client) ClearNomination(ctx context.Context, pod *outrank.Pod) error {
	latest, err := c.current(pod)
	if err != nil || latest.DeletionTimestamp != nil {
		return err
	}
	if c.Scheduler != nil {
		if queued, err := c.Scheduler.Nominate(latest, ""); queued || err != nil {
			return err
		}
	}
	if latest.Status.NominatedNodeName == "" {
		return nil
	}
	return c.patchStatus(ctx, pod, convert.NominationPatch(pod, ""))
}

// Nominate writes the nomination, or leaves that to the scheduler (see
// [Config.WriteNominations]).
func (c *Client) Nominate(ctx context.Context, pod *outrank.Pod, node string) error {
	if !c.WriteNominations {
		return nil
	}
	latest, err := c.current(pod)
	if err != nil || latest.Status.NominatedNodeName == node {
		return err
	}
	return c.patchStatus(ctx, pod, convert.NominationPatch(pod, node))
}

// Wait waits for the duration plus a random part of up to a tenth of it (rule 14.1.10), or until the context
// ends. It is meant for [execution.Config].
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d + time.Duration(rand.Float64()*float64(d)/10))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
