package execution_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
)

// Executing a plan on a simulated cluster ends in the same state as
// [engine.Snapshot.Apply].
func TestPropertyExecutingIsApplying(t *testing.T) {
	shape := gen.Shape{Budgets: 3, Nominated: 4, Taints: true}
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		want, err := engine.NewSnapshot(gen.Cluster(shape).Draw(t, "cluster"))
		require.NoError(t, err)
		plan, err := eval.Preempt(context.Background(), want, preemption.Request{Pod: gen.Preemptor(shape).Draw(t, "preemptor"), Now: gen.Now})
		require.NoError(t, err)
		if plan.Outcome != preemption.Preempts {
			return
		}
		got := want.Clone()
		_ = got.RemovePod(plan.Pod.Key()) // an older version, if there is one
		require.NoError(t, errOf(got.PutPod(plan.Pod)))
		require.NoError(t, want.Apply(plan))
		way := rapid.SampledFrom(ways).Draw(t, "way")
		report, err := newExecutor(t, way.config(simulated(got))).Execute(context.Background(), way.of(plan))
		require.NoError(t, err)
		require.Equal(t, execution.Completed, report.Result)
		for _, v := range report.Victims {
			if v.Result == execution.AlreadyTerminating { // it ends by itself
				require.NoError(t, got.RemovePod(v.Pod.Key()))
			}
		}
		for n := range want.Nodes() {
			require.Equal(t, want.PodsOn(n.Name), got.PodsOn(n.Name), n.Name)
			require.Equal(t, want.NominatedTo(n.Name), got.NominatedTo(n.Name), n.Name)
		}
	})
}

// simulated is a recorder that changes a snapshot as it is told.
func simulated(snap *engine.Snapshot) *executiontest.Recorder {
	return &executiontest.Recorder{Do: func(c executiontest.Call) error {
		switch c.Op {
		case "evict":
			return snap.RemovePod(c.Pod.Key())
		case "nominate":
			return snap.Nominate(c.Pod.Key(), c.Node)
		case "clear nomination":
			return snap.Nominate(c.Pod.Key(), "")
		}
		return nil
	}}
}

// Whatever fails, trying again completes every plan, no victim is evicted twice,
// and the same failures give the same reports in any timing.
func TestPropertyRetryingFinishesTheJob(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := victimsNamed("a b c d e f g")[:rapid.IntRange(1, 7).Draw(t, "victims")]
		order := rapid.SampledFrom([]execution.Order{execution.Synchronous, execution.Asynchronous}).Draw(t, "order")
		parallel := rapid.IntRange(1, 4).Draw(t, "parallel")
		failures := map[string]int{} // how often each call still fails
		for _, v := range names {
			failures["evict "+v.Name] = rapid.IntRange(0, 2).Draw(t, "failures of "+v.Name)
		}
		failures["nominate p"] = rapid.IntRange(0, 2).Draw(t, "failures of nominating")
		failures["latest p"] = rapid.IntRange(0, 1).Draw(t, "failures of fetching")

		play := func() (reports []string) {
			left, evicted := map[string]int{}, map[string]int{}
			for k, n := range failures {
				left[k] = n
			}
			r := &executiontest.Recorder{Do: func(c executiontest.Call) error {
				key := c.Op + " " + c.Pod.Name
				if left[key] > 0 {
					left[key]--
					return errBusy
				}
				if c.Op == "evict" {
					evicted[c.Pod.Name]++
				}
				return nil
			}}
			e := newExecutor(t, execution.Config{Actions: r.Actions(), Order: order, Parallel: parallel})
			for range 30 {
				report, err := e.Execute(context.Background(), planFor(names...))
				reports = append(reports, fmt.Sprint(report, err))
				require.Len(t, report.Victims, len(names))
				require.Equal(t, err != nil, report.Result == execution.Interrupted)
				if err != nil {
					require.ErrorIs(t, err, errBusy)
					continue
				}
				for _, v := range report.Victims {
					require.Contains(t, []execution.Result{execution.Evicted, execution.AlreadyEvicted}, v.Result)
				}
				require.True(t, report.Nominated)
				for _, v := range names {
					require.Equal(t, 1, evicted[v.Name], v.Name)
				}
				return reports
			}
			t.Fatalf("never finished: %q", reports)
			return nil
		}
		require.Equal(t, play(), play())
	})
}

// Many preemptors share few victims: each victim is evicted once, and every plan
// is completed.
func TestManyPreemptorsShareVictims(t *testing.T) {
	meter, n, r := &metrics.Meter{}, &execution.Nominator{}, &executiontest.Recorder{}
	e := newExecutor(t, execution.Config{Actions: r.Actions(), Nominator: n, Parallel: 4})
	victims := victimsNamed("a b c d e f g h")
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			plan := planFor(victims[i%5 : i%5+4]...)
			plan.Pod = pendingPod(fmt.Sprint("p", i), withPriority(100))
			report, err := e.Execute(context.Background(), plan)
			meter.AddExecution(report, err)
			assert.NoError(t, err)
			assert.Equal(t, execution.Completed, report.Result)
		})
	}
	all.Wait()
	evicted := map[string]int{}
	for _, c := range r.Calls() {
		if c.Op == "evict" {
			evicted[c.Pod.Name]++
		}
	}
	for _, v := range victims {
		assert.Equal(t, 1, evicted[v.Name], v.Name)
	}
	assert.Len(t, eventsOf(r), len(victims))
	assert.Equal(t, 32, len(n.NominatedTo("n1")))
	counts := meter.Values()
	assert.Equal(t, uint64(32), counts.PreemptionVictims.Count())
	assert.Equal(t, 4*32, counts.PreemptionVictims.Sum)
}
