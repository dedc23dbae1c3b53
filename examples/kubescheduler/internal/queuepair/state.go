package queuepair

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	ourqueue "github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// State is what a queue knows about a pod. Times are counted from a moment that is the same for both queues.
type State struct {
	// Part is the part of the queue in which the pod is: active, backoff, unschedulable, gated, incomplete or in
	// flight. It is lost if the reference lists the pod and does not find it.
	Part string
	// Attempts counts how often the pod was popped, Refused the attempts in which it fitted nowhere, and Errors the
	// latest attempts that ended in an error, one after another.
	Attempts, Refused, Errors int
	// Enqueued is the time at which the pod was added, or put back after an attempt. BackoffEnd is set in the part
	// backoff alone.
	Enqueued, BackoffEnd string
	// Gate is the plugin that holds the pod back; empty for none.
	Gate string
	// Failed are the filters that the pod failed with.
	Failed []string
}

func stamp(at, since time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Sub(since).String()
}

// Theirs returns the states of the pods in the reference's queue, by UID. The reference lists plugins that hold
// pods back among the failed filters; the gates given by name are left out of them.
func Theirs(q *queue.PriorityQueue, since time.Time, gates ...string) map[string]State {
	states := map[string]State{}
	note := func(pods []*corev1.Pod, part string) {
		for _, p := range pods {
			info, ok := q.GetPod(p.Name, p.Namespace, p.Spec.SchedulingGroup)
			if !ok {
				states[string(p.UID)] = State{Part: "lost"}
				continue
			}
			s := stateOf(info, part, gates)
			s.Enqueued = stamp(info.Timestamp, since)
			if s.Part == "backoff" {
				s.BackoffEnd = stamp(info.BackoffExpiration, since)
			}
			states[string(p.UID)] = s
		}
	}

	note(q.PodsInActiveQ(), "active")
	note(q.PodsInBackoffQ(), "backoff")
	note(q.UnschedulablePods(), "unschedulable")

	// The members of an incomplete group, and pods that were popped, have no more to compare than where they are.
	for _, p := range q.IncompletePodGroupPodsPods() {
		states[string(p.UID)] = State{Part: "incomplete"}
	}
	for _, p := range q.InFlightPods() {
		states[string(p.UID)] = State{Part: "in flight"}
	}
	return states
}

// stateOf returns the state of a pod in a part of the reference's queue, without its times. The reference has no
// part of its own for pods that are held back.
func stateOf(info *framework.QueuedPodInfo, part string, gates []string) State {
	s := State{Part: part, Attempts: info.Attempts, Refused: info.UnschedulableCount, Errors: info.ConsecutiveErrorsCount}
	for _, name := range slices.Sorted(maps.Keys(info.UnschedulablePlugins.Union(info.PendingPlugins))) {
		if !slices.Contains(gates, name) {
			s.Failed = append(s.Failed, name)
		}
	}
	if part == "unschedulable" && info.Gated() {
		s.Part, s.Gate = "gated", info.GatingPlugin
	}
	return s
}

// Ours returns the states of the pods in this library's queue that are queued by themselves, by UID.
func Ours(q *ourqueue.Queue, since time.Time) map[string]State {
	states := map[string]State{}
	pending := q.Pending()

	note := func(entries []ourqueue.Entry, part string) {
		for _, e := range entries {
			s := State{
				Part: part, Attempts: e.Attempts, Refused: e.Refusals, Errors: e.Errors,
				Enqueued: stamp(e.Enqueued, since), Gate: e.Gate, Failed: e.FailedFilters,
			}
			if part == "backoff" {
				s.BackoffEnd = stamp(e.BackoffEnd, since)
			}
			states[e.Pod.UID] = s
		}
	}
	note(pending.Active, "active")
	note(pending.Backoff, "backoff")
	note(pending.Unschedulable, "unschedulable")
	note(pending.Gated, "gated")

	// The members of an incomplete group, and pods that were popped, have no more to compare than where they are.
	for _, e := range pending.Incomplete {
		states[e.Pod.UID] = State{Part: "incomplete"}
	}
	for _, e := range pending.InFlight {
		states[e.Pod.UID] = State{Part: "in flight"}
	}
	return states
}
