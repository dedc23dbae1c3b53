package actions

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// Bind binds the pod to the node. It never binds another pod of the same name. Temporary errors wrap
// [execution.ErrRetriable]; a conflict does not (rule 14.1.13).
func (c *Client) Bind(ctx context.Context, pod *outrank.Pod, node string) error {
	err := c.API.CoreV1().Pods(pod.NamespaceName()).Bind(ctx, &v1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.NamespaceName(), Name: pod.Name, UID: types.UID(pod.UID)},
		Target:     v1.ObjectReference{Kind: "Node", Name: node},
	}, metav1.CreateOptions{})
	if passes(err) {
		return fmt.Errorf("binding pod %s: %w: %w", pod.Key(), execution.ErrRetriable, err)
	}
	return c.said(pod, "binding", err)
}

// UpdateStatus sets the condition and changes the nomination of the pod with this UID, in one patch of its
// status. It writes nothing if neither changes.
func (c *Client) UpdateStatus(ctx context.Context, pod *outrank.Pod, want outrank.PodCondition, nomination execution.Nomination) error {
	latest, err := c.current(pod)
	if err != nil {
		return err
	}
	var change convert.StatusChange
	if condition, changes := conditionOf(latest, want, time.Now()); changes && want.Type != "" {
		change.Condition = &condition
	}
	if nomination.Override && nomination.Node != latest.Status.NominatedNodeName { // no override if there is nothing to clear
		change.NominatedNode = &nomination.Node
	}
	if change == (convert.StatusChange{}) {
		return nil
	}
	return c.patchStatus(ctx, pod, convert.StatusPatch(pod, change))
}
