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

// PodReference returns a reference to a pod in the form used by events. It is nil for no pod.
func PodReference(p *outrank.Pod) *corev1.ObjectReference {
	if p == nil {
		return nil
	}
	return &corev1.ObjectReference{
		APIVersion: "v1", Kind: "Pod",
		Namespace: p.NamespaceName(), Name: p.Name, UID: types.UID(p.UID),
	}
}

// PodName returns the name of a pod in the form used by listers and queues.
func PodName(p *outrank.Pod) types.NamespacedName {
	return types.NamespacedName{Namespace: p.NamespaceName(), Name: p.Name}
}

// DeleteOptions returns the options for deleting this pod and no later one of the same name. grace is the time
// that the pod has to end. If it is nil, the pod's own grace period applies.
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

// Condition returns a condition of the API, to be set at time now on a pod of the given generation.
func Condition(c outrank.PodCondition, generation int64, now time.Time) corev1.PodCondition {
	return corev1.PodCondition{
		Type: corev1.PodConditionType(c.Type), Status: corev1.ConditionStatus(c.Status),
		Reason: c.Reason, Message: c.Message,
		ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(now),
	}
}

// ConditionApply returns a condition for server-side apply to the status of this pod and no later one of the
// same name. It leaves out LastTransitionTime if that is zero.
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

// ConditionPatch returns a strategic merge patch of the status that sets a condition, for this pod and no later
// one of the same name.
func ConditionPatch(p *outrank.Pod, c corev1.PodCondition) []byte {
	return StatusPatch(p, StatusChange{Condition: &c})
}

// NominationPatch returns a merge patch of the status that nominates this pod, and no later one of the same
// name, to a node. With an empty node it clears the nomination.
func NominationPatch(p *outrank.Pod, node string) []byte {
	return StatusPatch(p, StatusChange{NominatedNode: &node})
}

// StatusChange says what a patch of a pod's status changes. The zero value changes nothing.
type StatusChange struct {
	// Condition, if not nil, replaces the condition of the same type.
	Condition *corev1.PodCondition
	// NominatedNode, if not nil, is the node to nominate the pod to. An empty name clears the nomination.
	NominatedNode *string
}

// StatusPatch returns a strategic merge patch of the status, for this pod and no later one of the same name.
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

// patch returns a patch of the status. If the pod's UID differs, the API server answers with a conflict.
func patch(p *outrank.Pod, status map[string]any) []byte {
	object := map[string]any{"status": status}
	if p.UID != "" {
		object["metadata"] = map[string]any{"uid": p.UID}
	}
	text, _ := json.Marshal(object) // strings, a list and a time always have a JSON form
	return text
}

// Event returns an event of the API as the given instance of a controller creates it at time now. The API
// server completes its name.
func Event(e outrank.Event, controller, instance string, now time.Time) *eventsv1.Event {
	out := &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: e.Pod.NamespaceName(), GenerateName: e.Pod.Name + "."},
		EventTime:  metav1.NewMicroTime(now), ReportingController: controller, ReportingInstance: instance,
		Type: string(e.Type), Reason: e.Reason, Action: e.Action, Note: e.Message,
		Regarding: *PodReference(e.Pod), Related: PodReference(e.Related),
	}
	return out
}
