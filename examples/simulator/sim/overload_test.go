package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/resource"
)

// overload is a small cluster for which many pods of a few kinds come within ten
// seconds; each runs for ten.
func overload(pods int) (*outrank.Cluster, []Work) {
	c := &outrank.Cluster{}
	for i := range 20 {
		c.Nodes = append(c.Nodes, &outrank.Node{
			Name: fmt.Sprintf("n%02d", i), Allocatable: resource.MustList("cpu", "16", "memory", "64Gi", "pods", "110"),
		})
	}
	var work []Work
	for i := range pods {
		work = append(work, Work{
			Pod: &outrank.Pod{
				Name: fmt.Sprintf("p%06d", i*7919%pods), Priority: outrank.Priority(int32(i % 3 * 10)),
				Containers: []outrank.Container{{Name: "main", Requests: resource.MustList("cpu", fmt.Sprint(2+i%7), "memory", fmt.Sprint(1+i%5)+"Gi")}},
			},
			Arrival: time.Duration(i) * 10 * time.Second / time.Duration(pods), Duration: 10*time.Second + time.Duration(i%1000)*time.Millisecond,
		})
	}
	return c, work
}

// In a full cluster only the first attempt of a pod is made by itself, and those
// that succeed.
func TestOverload(t *testing.T) {
	cluster, work := overload(5000)
	s, err := New(cluster, work, Config{End: 60 * time.Second, Recreate: Recreate{Rule: RecreateWhenGone}})
	require.NoError(t, err)
	r, err := s.Run(t.Context())
	require.NoError(t, err)
	refused := metrics.Attempt{Result: "unschedulable", Profile: outrank.DefaultScheduler}
	made, all := s.tally.metrics.Values().ScheduleAttempts[refused], r.Metrics.ScheduleAttempts[refused]
	require.Greater(t, all, uint64(1_000_000))
	require.Less(t, made, uint64(2*len(work)), "of %d attempts", all)
	require.Greater(t, r.Steps, int(all))
}

// BenchmarkOverload is a minute of a full cluster.
func BenchmarkOverload(b *testing.B) {
	for _, pods := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) {
			cluster, work := overload(pods)
			attempts := 0
			for b.Loop() {
				s, err := New(cluster, work, Config{End: 60 * time.Second, Recreate: Recreate{Rule: RecreateWhenGone}})
				require.NoError(b, err)
				r, err := s.Run(b.Context())
				require.NoError(b, err)
				attempts = r.Steps
			}
			b.ReportMetric(float64(attempts), "steps/op")
		})
	}
}
