package queue_test

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// A pod keeps away from pods of two labels, and a pod with one of them goes.
func ExampleHelps_release() {
	with := func(key string) outrank.PodAffinityTerm {
		return outrank.PodAffinityTerm{LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{key: "yes"}}}
	}
	shy := &outrank.Pod{Name: "shy", Affinity: outrank.Affinity{PodAntiAffinity: []outrank.PodAffinityTerm{with("loud"), with("bright")}}}
	loud := &outrank.Pod{Name: "loud", NodeName: "n1", Labels: map[string]string{"loud": "yes"}}
	waits := &queue.Entry{Pod: shy, FailedFilters: []string{"InterPodAffinity"}}
	gone := queue.ClusterEvent{Kind: queue.EventAssignedPodDeleted, Pod: loud}
	for _, release := range []outrank.Release{outrank.V1_36, outrank.V1_37} {
		fmt.Println(release, queue.Helps(release, waits, gone))
	}
	// Output:
	// v1.36 false
	// v1.37 true
}
