//go:build unix

package devices_test

import (
	"context"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// A decision about a cluster of 1,000 nodes with 8 devices each, all taken: with nothing known
// but the objects (first), and by a filter that has decided before (again).
func BenchmarkAllTaken(b *testing.B) {
	cluster, objects, pod := taken(1000, 8, 2)
	snap, err := engine.NewSnapshot(cluster)
	require.NoError(b, err)
	for _, how := range []string{"first", "again", "asking-each"} {
		first := how != "again"
		b.Run(how, func(b *testing.B) {
			filter, err := devices.New(objects, devices.Config{DRAPreemption: true})
			require.NoError(b, err)
			var eval *engine.Evaluator
			prepare := func() {
				eval, err = engine.New(preemption.Config{Filters: []*preemption.Filter{filter.Filter()}})
				require.NoError(b, err)
			}
			prepare()
			decide := func() {
				plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: pod})
				require.NoError(b, err)
				require.Equal(b, preemption.Preempts, plan.Outcome)
			}
			decide()
			busy := time.Duration(0)
			for b.Loop() {
				if first {
					b.StopTimer()
					require.NoError(b, filter.Set(objects))
					if how == "asking-each" {
						filter.Forget()
					}
					prepare()
					b.StartTimer()
				}
				before := processor()
				decide()
				busy += processor() - before
			}
			b.ReportMetric(float64(busy.Microseconds())/1000/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(filter.Asked()), "asked")
		})
	}
	b.Run("set", func(b *testing.B) {
		filter, err := devices.New(objects, devices.Config{})
		require.NoError(b, err)
		for b.Loop() {
			require.NoError(b, filter.Set(objects))
		}
		b.ReportMetric(float64(held(b, objects)>>10), "KiB-held")
	})
}

// processor is the time that the process has spent on processors, which the neighbours of a
// machine do not add to.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// held is the memory that a filter takes beside its objects, after a decision about all nodes.
func held(b *testing.B, objects devices.Objects) uint64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	filter, err := devices.New(objects, devices.Config{})
	require.NoError(b, err)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(filter)
	return after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc)
}
