package queue_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

var midnight = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func after(seconds float64) time.Time {
	return midnight.Add(time.Duration(seconds * float64(time.Second)))
}

// The names that Helps knows are those that a decision reports.
func TestHelpsKnowsTheFilters(t *testing.T) {
	names := map[string]bool{
		preemption.NodeUnschedulable: true, preemption.NodeName: true, preemption.TaintToleration: true,
		preemption.NodeAffinity: true, preemption.NodePorts: true, preemption.NodeResourcesFit: true,
		preemption.VolumeRestrictions: true, preemption.NodeVolumeLimits: true, preemption.VolumeBinding: true,
		preemption.VolumeZone: true, preemption.PodTopologySpread: true, preemption.InterPodAffinity: true,
		preemption.NodeDeclaredFeatures: true, preemption.DeferredPodScheduling: true,
	}
	require.Equal(t, slices.Sorted(maps.Keys(names)), slices.Sorted(slices.Values(filter.Names())))
}

// A simulator on virtual time: the important pod is tried first, does not fit,
// and fits in the end. Its backoff ends early, as there is no other pod to try.
func ExampleQueue() {
	q, err := queue.New(queue.Config{})
	if err != nil {
		panic(err)
	}
	now := midnight
	for _, pod := range []*outrank.Pod{{Name: "batch"}, {Name: "urgent", Priority: outrank.Priority(1000)}} {
		if err := q.Add(pod, now); err != nil {
			panic(err)
		}
	}
	fits := map[string]bool{"batch": true}
	for {
		next, ok := q.NextReady(now)
		if !ok {
			break
		}
		now = next
		entry, _ := q.TryPop(now)
		fmt.Printf("%v: attempt %d of %s\n", now.Sub(midnight), entry.Attempts, entry.Pod.Name)
		if fits[entry.Pod.Name] {
			q.Done(entry)
			continue
		}
		entry.FailedFilters = []string{preemption.NodeResourcesFit}
		if err := q.AddUnschedulableIfNotPresent(entry, now); err != nil {
			panic(err)
		}
		fmt.Println(q.Counts())
		fits["urgent"] = true // its victim has ended
		q.MoveAll(queue.ClusterEvent{Kind: queue.EventAssignedPodDeleted}, now)
	}
	// Output:
	// 0s: attempt 1 of urgent
	// 1 active, 0 in backoff, 1 unschedulable, 0 gated, 0 in flight
	// 0s: attempt 1 of batch
	// 0s: attempt 2 of urgent
}

func ExampleNew() {
	// A time-out of a minute, and pods of the namespace "ops" before all others.
	q, err := queue.New(queue.Config{
		UnschedulableTimeout: time.Minute,
		Compare: func(a, b *queue.Entry) int {
			switch opsA, opsB := a.Pod.Namespace == "ops", b.Pod.Namespace == "ops"; {
			case opsA == opsB:
				return 0
			case opsA:
				return -1
			}
			return 1
		},
	})
	if err != nil {
		panic(err)
	}
	_ = q.Add(&outrank.Pod{Name: "web", Priority: outrank.Priority(1000)}, midnight)
	_ = q.Add(&outrank.Pod{Name: "probe", Namespace: "ops"}, midnight)
	entry, _ := q.TryPop(midnight)
	fmt.Println(entry.Pod.Key())

	_, err = queue.New(queue.Config{InitialBackoff: time.Minute})
	fmt.Println(err)
	// Output:
	// ops/probe
	// queue config: MaxBackoff: 10s is less than InitialBackoff, 1m0s
}

func ExampleNewFIFO() {
	q := queue.NewFIFO()
	_ = q.Add(&outrank.Pod{Name: "batch"}, midnight)
	_ = q.Add(&outrank.Pod{Name: "urgent", Priority: outrank.Priority(1000)}, midnight)
	first, _ := q.TryPop(midnight)
	_ = q.AddUnschedulableIfNotPresent(first, midnight) // to the end
	for {
		entry, ok := q.TryPop(midnight)
		if !ok {
			break
		}
		fmt.Println(entry.Pod.Name, entry.Attempts)
	}
	// Output:
	// urgent 1
	// batch 2
}

// A scheduler's loop that waits for pods. With a [queue.Queue], something
// else has to call Flush beside it, say once a second.
func ExampleQueue_Pop() {
	q := queue.NewFIFO()
	ctx, stop := context.WithCancel(context.Background())
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for {
			entry, err := q.Pop(ctx)
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println("placed", entry.Pod.Name)
			if q.Done(entry); entry.Pod.Name == "b" {
				stop()
			}
		}
	}()
	_ = q.Add(&outrank.Pod{Name: "a"}, midnight)
	_ = q.Add(&outrank.Pod{Name: "b"}, midnight)
	<-finished
	// Output:
	// placed a
	// placed b
	// context canceled
}

func ExampleQueue_Update() {
	q, _ := queue.New(queue.Config{})
	_ = q.Add(&outrank.Pod{Name: "web"}, midnight)
	entry, _ := q.TryPop(midnight)
	entry.FailedFilters = []string{preemption.NodeAffinity}
	_ = q.AddUnschedulableIfNotPresent(entry, midnight)

	_ = q.Update(&outrank.Pod{Name: "web", NominatedNodeName: "n1"}, after(5))
	fmt.Println(q.Counts())
	_ = q.Update(&outrank.Pod{Name: "web", NodeSelector: map[string]string{"disk": "ssd"}}, after(5))
	fmt.Println(q.Counts())
	// Output:
	// 0 active, 0 in backoff, 1 unschedulable, 0 gated, 0 in flight
	// 1 active, 0 in backoff, 0 unschedulable, 0 gated, 0 in flight
}

func ExampleQueue_AssignedPodAdded() {
	q, _ := queue.New(queue.Config{})
	for _, wanted := range []string{"cache", "db"} {
		_ = q.Add(&outrank.Pod{Name: "near-" + wanted, Affinity: outrank.Affinity{PodAffinity: []outrank.PodAffinityTerm{{
			LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": wanted}},
			TopologyKey:   "zone",
		}}}}, midnight)
		entry, _ := q.TryPop(midnight)
		entry.FailedFilters = []string{preemption.InterPodAffinity}
		_ = q.AddUnschedulableIfNotPresent(entry, midnight)
	}
	placed := &outrank.Pod{Name: "db-0", NodeName: "n1", Labels: map[string]string{"app": "db"}}
	fmt.Println(q.AssignedPodAdded(placed, after(0.5)), "moved to backoff, which is not over")
	fmt.Println(q.Flush(after(2)), "flushed")
	for _, entry := range q.Pending().Active {
		fmt.Println(entry.Pod.Name)
	}
	// Output:
	// 1 moved to backoff, which is not over
	// 1 flushed
	// near-db
}

func ExampleQueue_Activate() {
	q, _ := queue.New(queue.Config{})
	pod := &outrank.Pod{Name: "web"}
	_ = q.Add(pod, midnight)
	entry, _ := q.TryPop(midnight)
	_ = q.AddUnschedulableIfNotPresent(entry, midnight) // an error: no filter failed
	fmt.Println(q.Counts())
	q.Activate(pod)
	fmt.Println(q.Counts())
	// Output:
	// 0 active, 1 in backoff, 0 unschedulable, 0 gated, 0 in flight
	// 1 active, 0 in backoff, 0 unschedulable, 0 gated, 0 in flight
}

func ExampleHelps() {
	entry := &queue.Entry{FailedFilters: []string{preemption.NodeResourcesFit, preemption.TaintToleration}}
	for _, kind := range []queue.ClusterEventKind{queue.EventAssignedPodAdded, queue.EventAssignedPodDeleted, queue.EventNodeUpdated} {
		fmt.Println(kind, queue.Helps(outrank.DefaultRelease, entry, queue.ClusterEvent{Kind: kind}))
	}
	// Output:
	// AssignedPodAdded false
	// AssignedPodDeleted true
	// NodeUpdated true
}

func ExampleCompareEntries() {
	entries := []queue.Entry{
		{Pod: &outrank.Pod{Name: "late"}, Enqueued: after(2)},
		{Pod: &outrank.Pod{Name: "early"}, Enqueued: after(1)},
		{Pod: &outrank.Pod{Name: "urgent", Priority: outrank.Priority(1000)}, Enqueued: after(3)},
	}
	slices.SortFunc(entries, func(a, b queue.Entry) int { return queue.CompareEntries(&a, &b) })
	for _, e := range entries {
		fmt.Println(e.Pod.Name)
	}
	// Output:
	// urgent
	// early
	// late
}

func ExampleQueue_AddIfNotPresent() {
	q := queue.NewFIFO()
	pod := &outrank.Pod{Name: "batch"}
	for range 2 {
		added, err := q.AddIfNotPresent(pod, midnight)
		fmt.Println(added, err)
	}
	fmt.Println(q.Remove(pod), q.Counts())
	for _, in := range q.Incoming() {
		fmt.Println(in.Queue, in.Event, in.Pods)
	}
	// Output:
	// true <nil>
	// false <nil>
	// true 0 active, 0 in backoff, 0 unschedulable, 0 gated, 0 in flight
	// active UnscheduledPodAdd 1
}
