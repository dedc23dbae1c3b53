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

// Observed has what happened to a pod, and to other pods because of it.
type Observed struct {
	UID types.UID
	// Bound is the node that the pod was bound to. Nominated is the node on which room was made for it. Both
	// are empty if the attempt found no node.
	Bound, Nominated string
	// Condition is the condition PodScheduled after the first attempt. It is nil if the pod was bound at once.
	Condition *corev1.PodCondition
	// Failed are the events about the pod, and Preempted the events about its victims.
	Failed, Preempted []corev1.Event
	// Evicted are the pods that began to leave.
	Evicted map[string]Evicted
	// Cleared are pods that lost their nomination to the same node, sorted.
	Cleared []string
	// Metrics has the growth of the scheduler's metrics.
	Metrics map[string]float64
	// Others is the number of pods that were evicted for other pods in the meantime.
	Others int
	// Before lists the changes made by others between the dump and the decision.
	Before []string
	// Arrived is the node that a nominated pod was finally bound to. It is empty if that took too long.
	Arrived string
}

// Evicted is a pod that began to leave.
type Evicted struct {
	UID types.UID
	// Condition is the condition DisruptionTarget.
	Condition *corev1.PodCondition
	// Generation is the observed generation of the pod in the condition.
	Generation int64
}

func key(p *corev1.Pod) string { return p.Namespace + "/" + p.Name }

// decided returns the pod as it was after the first attempt, or nil if there was no attempt yet.
func decided(history []observe.Version) *corev1.Pod {
	for _, v := range history {
		c := observe.Condition(v.Pod, corev1.PodScheduled)
		if v.Pod.Spec.NodeName != "" || v.Pod.Status.NominatedNodeName != "" || c != nil {
			return v.Pod
		}
	}
	return nil
}

// look observes the moves of pods and the events since the trial began. Each call starts from scratch.
func (o *Observed) look(ctx context.Context, pods *observe.Pods, c kubernetes.Interface) error {
	by, err := o.events(ctx, c)
	if err != nil {
		return err
	}

	o.Before, o.Cleared = nil, []string{}
	o.Others, o.Evicted = 0, map[string]Evicted{}

	// tried says whether the pod had been tried before the move. Earlier moves that are not its own disturb the
	// trial.
	tried := false
	for _, m := range pods.Moves() {
		if m.Pod.UID == o.UID {
			tried = tried || m.What != "was created"
			continue
		}

		switch o.cause(m, by) {
		case mine:
			if m.Deleted {
				o.Evicted[key(m.Pod)] = leaving(m.Pod, pods.History(m.Pod.UID))
			} else if !slices.Contains(o.Cleared, key(m.Pod)) {
				o.Cleared = append(o.Cleared, key(m.Pod))
			}
			continue
		case anothers:
			o.Others++
		}
		if !tried {
			o.Before = append(o.Before, m.String())
		}
	}
	slices.Sort(o.Cleared)
	return nil
}

// cause says which pod made another one move: the trial's pod, some other pod, or none.
type cause int

const (
	nobodys cause = iota
	mine
	anothers
)

// cause returns which pod made another one move. The events name the preemptor. A deletion that no event mentions yet is
// attributed to the trial's pod, because the scheduler may write about a victim later than it deletes it.
func (o *Observed) cause(m observe.Move, by map[types.UID][]string) cause {
	switch {
	case m.Deleted && slices.ContainsFunc(by[m.Pod.UID], func(text string) bool { return strings.Contains(text, string(o.UID)) }):
		return mine
	case m.Deleted && len(by[m.Pod.UID]) > 0:
		return anothers
	case m.Deleted:
		return mine
	case m.Lost != "" && m.Lost == o.Nominated:
		return mine
	}
	return nobodys
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

// events records the events that mention the pod. It returns the texts of all events about evicted pods, by the
// pod's UID.
func (o *Observed) events(ctx context.Context, c kubernetes.Interface) (map[types.UID][]string, error) {
	about, err := c.CoreV1().Events("").List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.uid=" + string(o.UID) + ",reason=FailedScheduling"})
	if err != nil {
		return nil, err
	}
	o.Failed = about.Items
	slices.SortFunc(o.Failed, func(a, b corev1.Event) int { return eventTime(a).Compare(eventTime(b)) })

	all, err := c.CoreV1().Events("").List(ctx, metav1.ListOptions{FieldSelector: "reason=Preempted"})
	if err != nil {
		return nil, err
	}
	o.Preempted = nil
	by := map[types.UID][]string{}
	for _, e := range all.Items {
		by[e.InvolvedObject.UID] = append(by[e.InvolvedObject.UID], e.Message)
		if strings.Contains(e.Message, string(o.UID)) {
			o.Preempted = append(o.Preempted, e)
		}
	}
	return by, nil
}

func eventTime(e corev1.Event) time.Time {
	if !e.EventTime.IsZero() {
		return e.EventTime.Time
	}
	return e.FirstTimestamp.Time
}

// complete reports whether there is an event for each victim, and one about the pod if it has no node.
func (o *Observed) complete() bool {
	return len(o.Preempted) >= len(o.Evicted) && (o.Bound != "" || len(o.Failed) > 0)
}
