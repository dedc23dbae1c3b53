package queue

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// BenchmarkQueue is one pod that is popped, done and added as if it were new, or
// popped, put back and made active again, in a queue where others wait.
func BenchmarkQueue(b *testing.B) {
	for _, kind := range []string{"queue", "fifo"} {
		for _, others := range []int{0, 1000, 100000} {
			name := fmt.Sprintf("kind=%s/pods=%d", kind, others)
			b.Run("op=add-pop-done/"+name, func(b *testing.B) {
				q := filled(b, kind, others)
				b.ReportAllocs()
				for now := noon; b.Loop(); now = now.Add(time.Second) {
					e, _ := q.TryPop(now)
					q.Done(e)
					if err := q.Add(e.Pod, now); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("op=pop-putback/"+name, func(b *testing.B) {
				q := filled(b, kind, others)
				failed := []string{fit}
				b.ReportAllocs()
				for now := noon; b.Loop(); now = now.Add(time.Minute) {
					e, ok := q.TryPop(now)
					if !ok {
						b.Fatal("nothing to pop")
					}
					e.FailedFilters = failed
					if err := q.AddUnschedulableIfNotPresent(e, now); err != nil {
						b.Fatal(err)
					}
					if others == 0 {
						q.MoveAll(ClusterEvent{}, now.Add(time.Minute))
					} else {
						q.Activate(e.Pod)
					}
				}
			})
		}
	}
}

// BenchmarkMoveAll is an event that wakes all pods, each put back afterwards.
func BenchmarkMoveAll(b *testing.B) {
	const others = 10000
	q := filled(b, "queue", others-1)
	now := noon
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Minute)
		for e, ok := q.TryPop(now); ok; e, ok = q.TryPop(now) {
			e.FailedFilters = []string{fit}
			if err := q.AddUnschedulableIfNotPresent(e, now); err != nil {
				b.Fatal(err)
			}
		}
		if moved := q.MoveAll(ClusterEvent{}, now.Add(time.Minute)); moved != others {
			b.Fatal(moved)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/others, "ns/pod")
}

func filled(b *testing.B, kind string, others int) *Queue {
	var q *Queue = NewFIFO()
	if kind == "queue" {
		var err error
		q, err = New(Config{})
		require.NoError(b, err)
	}
	for i := range others + 1 {
		p := &outrank.Pod{Name: fmt.Sprintf("pod-%06d", i), Priority: outrank.Priority(int32(i * 7919 % 1000))}
		require.NoError(b, q.Add(p, noon))
	}
	return q
}
