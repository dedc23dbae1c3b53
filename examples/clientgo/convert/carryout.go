package convert

import (
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/outrank-go/outrank"
)

// PodReference names a pod as events do; nil for no pod.
func PodReference(p *outrank.Pod) *corev1.ObjectReference {
	if p == nil {
		return nil
	}
	return &corev1.ObjectReference{
		APIVersion: "v1", Kind: "Pod",
		Namespace: p.NamespaceName(), Name: p.Name, UID: types.UID(p.UID),
	}
}

// PodName names a pod as listers and queues do.
func PodName(p *outrank.Pod) types.NamespacedName {
	return types.NamespacedName{Namespace: p.NamespaceName(), Name: p.Name}
}

// DeleteOptions are those of deleting this pod and no later one of its name, with
// the time that it has to end; nil for the pod's own.
func DeleteOptions(p *outrank.Pod, grace *time.Duration) metav1.DeleteOptions {
	var o metav1.DeleteOptions
	if p.UID != "" {
		o.Preconditions = metav1.NewUIDPreconditions(p.UID)
	}
	if grace != nil {
		seconds := int64((*grace + time.Second - 1) / time.Second)
		o.GracePeriodSeconds = &seconds
	}
	return o
}

// Condition is a condition to be set on a pod of this generation, at this time.
func Condition(c outrank.PodCondition, generation int64, now time.Time) corev1.PodCondition {
	return corev1.PodCondition{
		Type: corev1.PodConditionType(c.Type), Status: corev1.ConditionStatus(c.Status),
		Reason: c.Reason, Message: c.Message,
		ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(now),
	}
}

// ConditionApply is a condition for server-side apply to the status of this pod and no
// later one of its name. LastTransitionTime is left out where it is zero.
func ConditionApply(p *outrank.Pod, c corev1.PodCondition) *corev1ac.PodApplyConfiguration {
	condition := corev1ac.PodCondition().WithType(c.Type).WithStatus(c.Status).WithReason(c.Reason).WithMessage(c.Message)
	if c.ObservedGeneration != 0 {
		condition.WithObservedGeneration(c.ObservedGeneration)
	}
	if !c.LastTransitionTime.IsZero() {
		condition.WithLastTransitionTime(c.LastTransitionTime)
	}
	pod := corev1ac.Pod(p.Name, p.NamespaceName()).WithStatus(corev1ac.PodStatus().WithConditions(condition))
	if p.UID != "" {
		pod.ObjectMetaApplyConfiguration = (&metav1ac.ObjectMetaApplyConfiguration{}).WithUID(types.UID(p.UID)).WithName(p.Name).WithNamespace(p.NamespaceName())
	}
	return pod
}

// ConditionPatch is a strategic merge patch of the status that sets a condition, for
// this pod and no later one of its name.
func ConditionPatch(p *outrank.Pod, c corev1.PodCondition) []byte {
	return StatusPatch(p, StatusChange{Condition: &c})
}

// NominationPatch is a merge patch of the status that nominates this pod, and no later
// one of its name, to a node; with an empty node it clears the nomination.
func NominationPatch(p *outrank.Pod, node string) []byte {
	return StatusPatch(p, StatusChange{NominatedNode: &node})
}

// StatusChange is what a patch of a pod's status changes. Its zero value is nothing.
type StatusChange struct {
	// Condition takes the place of that of its type, if not nil.
	Condition *corev1.PodCondition
	// NominatedNode, if not nil, is what the pod is nominated to; an empty one clears that.
	NominatedNode *string
}

// StatusPatch is a strategic merge patch of the status, for this pod and no later one of its name.
func StatusPatch(p *outrank.Pod, change StatusChange) []byte {
	status := map[string]any{}
	if change.Condition != nil {
		status["conditions"] = []corev1.PodCondition{*change.Condition}
	}
	if node := change.NominatedNode; node != nil && *node == "" {
		status["nominatedNodeName"] = nil
	} else if node != nil {
		status["nominatedNodeName"] = *node
	}
	return patch(p, status)
}

// patch is the patch of a status. Where the pod has another UID the API server answers
// with a conflict.
func patch(p *outrank.Pod, status map[string]any) []byte {
	object := map[string]any{"status": status}
	if p.UID != "" {
		object["metadata"] = map[string]any{"uid": p.UID}
	}
	text, _ := json.Marshal(object) // texts, a list and a time: it cannot fail
	return text
}

// Event is an event to be created, by this controller and instance of it, at this time.
// The name is left to the API server.
func Event(e outrank.Event, controller, instance string, now time.Time) *eventsv1.Event {
	out := &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: e.Pod.NamespaceName(), GenerateName: e.Pod.Name + "."},
		EventTime:  metav1.NewMicroTime(now), ReportingController: controller, ReportingInstance: instance,
		Type: string(e.Type), Reason: e.Reason, Action: e.Action, Note: e.Message,
		Regarding: *PodReference(e.Pod), Related: PodReference(e.Related),
	}
	return out
}
