package measure

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/study/internal/spec"
	"github.com/outrank-go/outrank/examples/study/internal/trace"
)

var mostPods = flag.Int("pods", 40_000, "how many pods the largest trace of TestMemory has")

// The README's figures, in bytes for each pod: the trace, which a worker has
// once, and a simulation of it, of which it has one for each run at a time.
const (
	traceBytes = 900
	runBytes   = 1500
	// peakBytes is both with the garbage that the collector has not yet taken away, by its
	// default.
	peakBytes = 5120
	// apart is the part that does not depend on the trace.
	apart = 16 << 20
)

// Memory grows with the pods of the trace, by no more than is stated, and a run leaves
// nothing behind but its result.
func TestMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // a program's setting
	for _, pods := range []int{*mostPods / 2, *mostPods} {
		study, err := spec.Read(fmt.Appendf(nil, "name: x\ntraces: [{name: g, generate: {nodes: 100, pods: %d, hours: %g, minutes: 10, seed: 1}}]",
			pods, float64(pods)/4000), ".")
		require.NoError(t, err)
		setting, err := study.Cells()[0].Setting()
		require.NoError(t, err)
		before := live()
		held, err := trace.Load(t.Context(), &study.Traces[0], setting.Classes)
		require.NoError(t, err)
		loaded := live() - before
		require.LessOrEqual(t, loaded, pods*traceBytes+apart, "the trace of %d pods", pods)

		peak := watchPeak()
		w := &watch{}
		run, err := prepare(held, setting, 1, w)
		require.NoError(t, err)
		w.use.resources = run.Resources()
		result, err := run.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, pods, result.Pods.Finished)
		most := peak() - before
		ran := live() - before - loaded
		runtime.KeepAlive(run)
		t.Logf("%d pods: %d bytes each for the trace, %d for a run; %d MiB at the peak", pods, loaded/pods, ran/pods, most>>20)
		require.LessOrEqual(t, ran, pods*runBytes+apart, "a run of %d pods", pods)
		require.LessOrEqual(t, most, pods*peakBytes+2*apart, "the peak of %d pods", pods)
		require.LessOrEqual(t, live()-before, pods*traceBytes+apart, "after a run of %d pods", pods)
		runtime.KeepAlive(held)
	}
}

// live is the heap in use.
func live() int {
	runtime.GC()
	return heap()
}

func heap() int {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}

// watchPeak begins to follow the heap, garbage included, until the function that
// it returns is called.
func watchPeak() func() int {
	quit, most := make(chan struct{}), make(chan int)
	go func() {
		highest, tick := 0, time.NewTicker(5*time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				highest = max(highest, heap())
			case <-quit:
				most <- max(highest, heap())
				return
			}
		}
	}()
	return func() int { close(quit); return <-most }
}
