package priority_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/priority"
	"github.com/stretchr/testify/require"
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
	}
	require.Equal(t, slices.Sorted(maps.Keys(names)), priority.HelpedBy())
}

// A simulator on virtual time: the important pod is tried first, does not fit,
// waits out its backoff and fits in the end.
func ExampleQueue() {
	queue, err := priority.NewQueue(priority.QueueConfig{})
	if err != nil {
		panic(err)
	}
	now := midnight
	for _, pod := range []*outrank.Pod{{Name: "batch"}, {Name: "urgent", Priority: outrank.Priority(1000)}} {
		if err := queue.Add(pod, now); err != nil {
			panic(err)
		}
	}
	fits := map[string]bool{"batch": true}
	for {
		next, ok := queue.NextReady(now)
		if !ok {
			break
		}
		now = next
		entry, _ := queue.TryPop(now)
		fmt.Printf("%v: attempt %d of %s\n", now.Sub(midnight), entry.Attempts, entry.Pod.Name)
		if fits[entry.Pod.Name] {
			queue.Done(entry)
			continue
		}
		entry.FailedFilters = []string{preemption.NodeResourcesFit}
		if err := queue.AddUnschedulableIfNotPresent(entry, now); err != nil {
			panic(err)
		}
		fmt.Println(queue.Counts())
		fits["urgent"] = true // its victim has ended
		queue.MoveAll(priority.Event{Kind: priority.EventAssignedPodDeleted}, now)
	}
	// Output:
	// 0s: attempt 1 of urgent
	// 1 active, 0 in backoff, 1 unschedulable, 0 in flight
	// 0s: attempt 1 of batch
	// 1s: attempt 2 of urgent
}

func ExampleNewQueue() {
	// v1.13's time-out, and pods of the namespace "ops" before all others.
	queue, err := priority.NewQueue(priority.QueueConfig{
		UnschedulableTimeout: priority.UnschedulableTimeoutV113,
		Compare: func(a, b *priority.Entry) int {
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
	_ = queue.Add(&outrank.Pod{Name: "web", Priority: outrank.Priority(1000)}, midnight)
	_ = queue.Add(&outrank.Pod{Name: "probe", Namespace: "ops"}, midnight)
	entry, _ := queue.TryPop(midnight)
	fmt.Println(entry.Pod.Key())

	_, err = priority.NewQueue(priority.QueueConfig{InitialBackoff: time.Minute})
	fmt.Println(err)
	// Output:
	// ops/probe
	// queue config: MaxBackoff: 10s is less than InitialBackoff, 1m0s
}

func ExampleNewFIFO() {
	queue := priority.NewFIFO()
	_ = queue.Add(&outrank.Pod{Name: "batch"}, midnight)
	_ = queue.Add(&outrank.Pod{Name: "urgent", Priority: outrank.Priority(1000)}, midnight)
	first, _ := queue.TryPop(midnight)
	_ = queue.AddUnschedulableIfNotPresent(first, midnight) // to the end
	for {
		entry, ok := queue.TryPop(midnight)
		if !ok {
			break
		}
		fmt.Println(entry.Pod.Name, entry.Attempts)
	}
	// Output:
	// urgent 1
	// batch 2
}

// A scheduler's loop that waits for pods. With a [priority.Queue], something
// else has to call Flush beside it, say once a second.
func ExampleSchedulingQueue() {
	var queue priority.SchedulingQueue = priority.NewFIFO()
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for {
			entry, err := queue.Pop(context.Background())
			if errors.Is(err, priority.ErrClosed) {
				fmt.Println(err)
				return
			}
			fmt.Println("placed", entry.Pod.Name)
			queue.Done(entry)
		}
	}()
	_ = queue.Add(&outrank.Pod{Name: "a"}, midnight)
	_ = queue.Add(&outrank.Pod{Name: "b"}, midnight)
	queue.Close()
	<-finished
	// Output:
	// placed a
	// placed b
	// queue is closed
}

func ExampleQueue_Update() {
	queue, _ := priority.NewQueue(priority.QueueConfig{})
	_ = queue.Add(&outrank.Pod{Name: "web"}, midnight)
	entry, _ := queue.TryPop(midnight)
	entry.FailedFilters = []string{preemption.NodeAffinity}
	_ = queue.AddUnschedulableIfNotPresent(entry, midnight)

	_ = queue.Update(&outrank.Pod{Name: "web", NominatedNode: "n1"}, after(5))
	fmt.Println(queue.Counts())
	_ = queue.Update(&outrank.Pod{Name: "web", NodeSelector: map[string]string{"disk": "ssd"}}, after(5))
	fmt.Println(queue.Counts())
	// Output:
	// 0 active, 0 in backoff, 1 unschedulable, 0 in flight
	// 1 active, 0 in backoff, 0 unschedulable, 0 in flight
}

func ExampleQueue_AssignedPodAdded() {
	queue, _ := priority.NewQueue(priority.QueueConfig{})
	for _, wanted := range []string{"cache", "db"} {
		_ = queue.Add(&outrank.Pod{Name: "near-" + wanted, Affinity: outrank.Affinity{Pods: []outrank.PodAffinityTerm{{
			Selector:    &outrank.LabelSelector{Labels: map[string]string{"app": wanted}},
			TopologyKey: "zone",
		}}}}, midnight)
		entry, _ := queue.TryPop(midnight)
		entry.FailedFilters = []string{preemption.InterPodAffinity}
		_ = queue.AddUnschedulableIfNotPresent(entry, midnight)
	}
	placed := &outrank.Pod{Name: "db-0", NodeName: "n1", Labels: map[string]string{"app": "db"}}
	fmt.Println(queue.AssignedPodAdded(placed, after(0.5)), "moved to backoff, which is not over")
	fmt.Println(queue.Flush(after(1)), "flushed")
	for _, entry := range queue.Pending().Active {
		fmt.Println(entry.Pod.Name)
	}
	// Output:
	// 1 moved to backoff, which is not over
	// 1 flushed
	// near-db
}

func ExampleQueue_Activate() {
	queue, _ := priority.NewQueue(priority.QueueConfig{})
	pod := &outrank.Pod{Name: "web"}
	_ = queue.Add(pod, midnight)
	entry, _ := queue.TryPop(midnight)
	_ = queue.AddUnschedulableIfNotPresent(entry, midnight) // an error: no filter failed
	fmt.Println(queue.Counts())
	queue.Activate(pod)
	fmt.Println(queue.Counts())
	// Output:
	// 0 active, 1 in backoff, 0 unschedulable, 0 in flight
	// 1 active, 0 in backoff, 0 unschedulable, 0 in flight
}

func ExampleHelps() {
	entry := &priority.Entry{FailedFilters: []string{preemption.NodeResourcesFit, preemption.TaintToleration}}
	for _, kind := range []priority.EventKind{priority.EventAssignedPodAdded, priority.EventAssignedPodDeleted, priority.EventNodeUpdated} {
		fmt.Println(kind, priority.Helps(entry, priority.Event{Kind: kind}))
	}
	// Output:
	// AssignedPodAdded false
	// AssignedPodDeleted true
	// NodeUpdated true
}

func ExampleCompareEntries() {
	entries := []priority.Entry{
		{Pod: &outrank.Pod{Name: "late"}, Enqueued: after(2)},
		{Pod: &outrank.Pod{Name: "early"}, Enqueued: after(1)},
		{Pod: &outrank.Pod{Name: "urgent", Priority: outrank.Priority(1000)}, Enqueued: after(3)},
	}
	slices.SortFunc(entries, func(a, b priority.Entry) int { return priority.CompareEntries(&a, &b) })
	for _, e := range entries {
		fmt.Println(e.Pod.Name)
	}
	// Output:
	// urgent
	// early
	// late
}
