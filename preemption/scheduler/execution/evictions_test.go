package execution_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// Two plans share a victim: the second execution waits for the result of the
// first.
func TestSharedVictim(t *testing.T) {
	for name, c := range map[string]struct {
		why     string
		fail    error
		cancel  bool
		evicted int
		second  string
	}{
		"first works": {"once is enough", nil, false, 1, "default/q on n1: completed; default/a evicted before; nominated"},
		"first fails": {"then it is the second's", errBusy, false, 2, "default/q on n1: interrupted; default/a failed"},
		"second gives up": {
			"waiting ends with the context", nil, true, 1,
			"default/q on n1: interrupted; default/a skipped",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				door := &gate{open: make(chan struct{}), fail: c.fail}
				e := newExecutor(t, execution.Config{Actions: door.Actions(), Order: execution.Synchronous})
				go func() { _, _ = e.Execute(context.Background(), planFor(victimsNamed("a")...)) }()
				synctest.Wait()
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				done := make(chan string)
				go func() {
					other := planFor(victimsNamed("a")...)
					other.Pod = pendingPod("q")
					report, _ := e.Execute(ctx, other)
					done <- report.String()
				}()
				synctest.Wait()
				if c.cancel {
					cancel()
					synctest.Wait()
				} else {
					door.open <- struct{}{}
					synctest.Wait()
				}
				if c.evicted > 1 || c.cancel {
					door.open <- struct{}{}
				}
				assert.Equal(t, c.second, <-done, c.why)
				synctest.Wait()
				evicted := 0
				for _, call := range door.Calls() {
					if call.Op == "evict" {
						evicted++
					}
				}
				assert.Equal(t, c.evicted, evicted, c.why)
			})
		})
	}
}

func TestOnePlanOfAPreemptorAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		door := &gate{open: make(chan struct{})}
		e := newExecutor(t, execution.Config{Actions: door.Actions()})
		go func() { _, _ = e.Execute(context.Background(), planFor(victimsNamed("a")...)) }()
		synctest.Wait()
		_, err := e.Execute(context.Background(), planFor(victimsNamed("b")...))
		require.ErrorIs(t, err, preemption.ErrState)
		assert.True(t, e.Preempting(pendingPod("p")), "the first goes on")
		close(door.open)
	})
}

// The last victim may be reported gone before its eviction has returned. The
// preemptor must then not be kept out of the queue, or nothing would let it in
// again.
func TestGoneDuringTheLastEviction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		door := &gate{open: make(chan struct{})}
		e := newExecutor(t, execution.Config{Actions: door.Actions(), Order: execution.Asynchronous})
		victims := victimsNamed("a b")
		go func() { _, _ = e.Execute(context.Background(), planFor(victims...)) }()
		synctest.Wait()
		e.Gone(victims[0])
		e.Gone(victims[1])
		assert.True(t, e.Preempting(pendingPod("p")), "the last has not had its turn")
		door.open <- struct{}{}
		synctest.Wait()
		assert.True(t, e.Preempting(pendingPod("p")))
		e.Gone(victims[1])
		assert.False(t, e.Preempting(pendingPod("p")))
		door.open <- struct{}{}
		synctest.Wait()
		assert.Zero(t, remembered(e), "those that are gone are not kept in mind")
	})
}

func TestWhichVictimsAreRemembered(t *testing.T) {
	run := func(t *testing.T, e *execution.Executor, victims ...*outrank.Pod) string {
		report, _ := e.Execute(context.Background(), planFor(victims...))
		var deeds []string
		for _, v := range report.Victims {
			deeds = append(deeds, string(v.Result))
		}
		return strings.Join(deeds, "|")
	}
	t.Run("evicted, until it is gone", func(t *testing.T) {
		e := newExecutor(t, execution.Config{Actions: (&executiontest.Recorder{}).Actions()})
		assert.Equal(t, "evicted", run(t, e, victimsNamed("a")...))
		assert.Equal(t, "already-evicted|evicted", run(t, e, victimsNamed("a b")...))
		e.Gone(victimsNamed("a")[0])
		assert.Equal(t, 1, remembered(e))
		assert.Equal(t, "evicted", run(t, e, victimsNamed("a")...))
	})
	t.Run("a pod of the same name is another", func(t *testing.T) {
		e := newExecutor(t, execution.Config{Actions: (&executiontest.Recorder{}).Actions()})
		assert.Equal(t, "evicted", run(t, e, pendingPod("a", withUID("1"))))
		assert.Equal(t, "evicted", run(t, e, pendingPod("a", withUID("2"))))
	})
	t.Run("without a UID the name counts", func(t *testing.T) {
		e := newExecutor(t, execution.Config{Actions: (&executiontest.Recorder{}).Actions()})
		assert.Equal(t, "evicted", run(t, e, pendingPod("a")))
		assert.Equal(t, "already-evicted", run(t, e, pendingPod("a")))
	})
	t.Run("a failure is tried again", func(t *testing.T) {
		r := &executiontest.Recorder{Do: failOn(errBusy, "evict b")}
		e := newExecutor(t, execution.Config{Actions: r.Actions(), Parallel: 1})
		assert.Equal(t, "evicted|failed|skipped", run(t, e, victimsNamed("a b c")...))
		r.Do = nil
		assert.Equal(t, "already-evicted|evicted|evicted", run(t, e, victimsNamed("a b c")...))
	})
	t.Run("one that was rejected may come back", func(t *testing.T) {
		r := &executiontest.Recorder{Waiting: func(*outrank.Pod) bool { return true }}
		e := newExecutor(t, execution.Config{Actions: r.Actions()})
		assert.Equal(t, "rejected-while-waiting", run(t, e, victimsNamed("a")...))
		assert.Zero(t, remembered(e))
	})
	t.Run("no more than asked for", func(t *testing.T) {
		e := newExecutor(t, execution.Config{Actions: (&executiontest.Recorder{}).Actions(), Remember: 2, Parallel: 1})
		run(t, e, victimsNamed("a b c")...)
		assert.Equal(t, 2, remembered(e))
		assert.Equal(t, "evicted", run(t, e, victimsNamed("a")...), "the oldest is forgotten")
		assert.Equal(t, "already-evicted", run(t, e, victimsNamed("c")...))
	})
}

// A plan whose context ends while another call has its victim says so, of the
// victim and as a whole.
func TestContextEndsWhileAnotherHasTheVictim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		victim := runningPod("victim", "uid-victim")
		door := make(chan struct{})
		actions := &cluster{during: map[string]func(){"victim": func() { <-door }}}
		e, err := execution.NewExecutor(execution.Config{Actions: actions.Actions()})
		require.NoError(t, err)
		go func() {
			_, err := e.Execute(context.Background(), evicting("first", victim))
			assert.NoError(t, err)
		}()
		synctest.Wait()

		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			synctest.Wait()
			cancel()
		}()
		report, err := e.Execute(ctx, evicting("second", victim))
		require.ErrorIs(t, err, context.Canceled)
		assert.ErrorContains(t, err, "victim default/victim: ")
		assert.Equal(t, []execution.PodReport{{Pod: victim, Result: execution.Skipped, Err: context.Canceled}}, report.Victims)
		close(door)
	})
}

// Where refusing a victim fails, it does not count as refused, whatever else
// the answer says.
func TestRejectionThatFails(t *testing.T) {
	var recorder executiontest.Recorder
	actions := recorder.Actions()
	actions.Reject = func(context.Context, *outrank.Pod) (bool, error) { return true, context.DeadlineExceeded }
	e, err := execution.NewExecutor(execution.Config{Actions: actions})
	require.NoError(t, err)
	report, err := e.Execute(context.Background(), evicting("p", runningPod("a", "uid-a")))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, execution.Failed, report.Victims[0].Result)
	assert.Empty(t, eventsOf(&recorder))
}
