package trial

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/outrank-go/outrank/examples/realcluster/internal/observe"
)

// Observed is what happened to a pod and because of it.
type Observed struct {
	UID types.UID
	// Bound is the node that the pod was bound to, Nominated the one that room is made
	// on. Both are empty where the attempt came to nothing.
	Bound, Nominated string
	// Condition is what the first attempt left in PodScheduled, nil for a pod that was
	// bound at once.
	Condition *corev1.PodCondition
	// Failed are the events about the pod, and Preempted those about victims.
	Failed, Preempted []corev1.Event
	// Evicted are the pods that began to leave.
	Evicted map[string]Evicted
	// Cleared are pods that lost a nomination, sorted.
	Cleared []string
	// Metrics are by how much the scheduler's have grown.
	Metrics map[string]float64
	// Before is what others did between the dump and the decision.
	Before []string
	// Arrived is the node that a nominated pod was bound to in the end, empty if it
	// waited too long.
	Arrived string
}

// Evicted is a pod that began to leave.
type Evicted struct {
	UID types.UID
	// Condition is DisruptionTarget, and Generation that of the pod when it was set.
	Condition  *corev1.PodCondition
	Generation int64
}

func key(p *corev1.Pod) string { return p.Namespace + "/" + p.Name }

// decided returns the pod as the first attempt left it, nil while there was none.
func decided(history []observe.Version) *corev1.Pod {
	for _, v := range history {
		c := observe.Condition(v.Pod, corev1.PodScheduled)
		if v.Pod.Spec.NodeName != "" || v.Pod.Status.NominatedNodeName != "" || c != nil {
			return v.Pod
		}
	}
	return nil
}

// fromMoves fills in what the pods themselves say.
func (o *Observed) fromMoves(pods *observe.Pods) {
	var seen bool
	o.Evicted = map[string]Evicted{}
	cleared := map[string]bool{}
	for _, m := range pods.Moves() {
		switch {
		case m.Pod.UID == o.UID:
			seen = seen || m.What != "was created"
			continue
		case !seen:
			o.Before = append(o.Before, m.String())
		}
		if strings.Contains(m.What, "is being deleted") {
			o.Evicted[key(m.Pod)] = leaving(m.Pod, pods.History(m.Pod.UID))
		}
		if strings.Contains(m.What, `was nominated to ""`) {
			cleared[key(m.Pod)] = true
		}
	}
	o.Cleared = []string{}
	for k := range cleared {
		o.Cleared = append(o.Cleared, k)
	}
	slices.Sort(o.Cleared)
}

func leaving(p *corev1.Pod, history []observe.Version) Evicted {
	e := Evicted{UID: p.UID}
	for _, v := range history {
		if c := observe.Condition(v.Pod, corev1.DisruptionTarget); c != nil {
			e.Condition, e.Generation = c, v.Pod.Generation
			break
		}
	}
	return e
}

// events fills in the events that name the pod.
func (o *Observed) events(ctx context.Context, c kubernetes.Interface) error {
	about, err := c.CoreV1().Events("").List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.uid=" + string(o.UID) + ",reason=FailedScheduling"})
	if err != nil {
		return err
	}
	o.Failed = about.Items
	slices.SortFunc(o.Failed, func(a, b corev1.Event) int { return eventTime(a).Compare(eventTime(b)) })
	all, err := c.CoreV1().Events("").List(ctx, metav1.ListOptions{FieldSelector: "reason=Preempted"})
	if err != nil {
		return err
	}
	o.Preempted = nil
	for _, e := range all.Items {
		if strings.Contains(e.Message, string(o.UID)) {
			o.Preempted = append(o.Preempted, e)
		}
	}
	return nil
}

func eventTime(e corev1.Event) time.Time {
	if !e.EventTime.IsZero() {
		return e.EventTime.Time
	}
	return e.FirstTimestamp.Time
}

// complete reports whether all events that belong to what the pods say are there.
func (o *Observed) complete() bool {
	return len(o.Preempted) >= len(o.Evicted) && (o.Bound != "" || len(o.Failed) > 0)
}
