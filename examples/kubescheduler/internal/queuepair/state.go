package queuepair

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"

	ourqueue "github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// State is a queue's record of a pod. Times are those since a moment that is the
// same for both queues.
type State struct {
	Part                      string
	Attempts, Refused, Errors int
	Enqueued, BackoffEnd      string
	// Gate holds the pod back, and Failed are the filters that it failed with.
	Gate   string
	Failed []string
}

func stamp(at, since time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Sub(since).String()
}

// Theirs is the reference's queue's record of each pod, by UID. Its names of
// plugins that hold pods back are left out of the filters.
func Theirs(q *queue.PriorityQueue, since time.Time, gates ...string) map[string]State {
	states := map[string]State{}
	note := func(pods []*corev1.Pod, part string) {
		for _, p := range pods {
			info, ok := q.GetPod(p.Name, p.Namespace, p.Spec.SchedulingGroup)
			if !ok {
				states[string(p.UID)] = State{Part: "lost"}
				continue
			}
			s := State{
				Part: part, Attempts: info.Attempts, Refused: info.UnschedulableCount, Errors: info.ConsecutiveErrorsCount,
				Enqueued: stamp(info.Timestamp, since),
			}
			for _, name := range slices.Sorted(maps.Keys(info.UnschedulablePlugins.Union(info.PendingPlugins))) {
				if !slices.Contains(gates, name) {
					s.Failed = append(s.Failed, name)
				}
			}
			if part == "unschedulable" && info.Gated() {
				s.Part, s.Gate = "gated", info.GatingPlugin
			}
			if s.Part == "backoff" {
				s.BackoffEnd = stamp(info.BackoffExpiration, since)
			}
			states[string(p.UID)] = s
		}
	}
	note(q.PodsInActiveQ(), "active")
	note(q.PodsInBackoffQ(), "backoff")
	note(q.UnschedulablePods(), "unschedulable")
	for _, p := range q.IncompletePodGroupPodsPods() {
		states[string(p.UID)] = State{Part: "incomplete"}
	}
	for _, p := range q.InFlightPods() {
		states[string(p.UID)] = State{Part: "in flight"}
	}
	return states
}

// Ours is this library's queue's record of each pod that is queued by itself.
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
	for _, e := range pending.Incomplete {
		states[e.Pod.UID] = State{Part: "incomplete"}
	}
	for _, e := range pending.InFlight {
		states[e.Pod.UID] = State{Part: "in flight"}
	}
	return states
}
