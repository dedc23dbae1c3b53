package execution_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// The ends of what an ExecutorConfig may ask for, and what lies beyond them.
func TestExecutorLimits(t *testing.T) {
	actions := &executiontest.Recorder{}
	for _, c := range []struct {
		name   string
		config execution.Config
		want   string
	}{
		{"only actions", execution.Config{Actions: actions.Actions()}, ""},
		{"the last order", execution.Config{Actions: actions.Actions(), Order: execution.Asynchronous}, ""},
		{"an order beyond", execution.Config{Actions: actions.Actions(), Order: "soon"}, `executor config: Order: "soon" is none`},
		{"most at a time", execution.Config{Actions: actions.Actions(), Parallel: 1024}, ""},
		{"more at a time", execution.Config{Actions: actions.Actions(), Parallel: 1025}, "executor config: Parallel: 1025 is not between 0 and 1024"},
		{"less than none at a time", execution.Config{Actions: actions.Actions(), Parallel: -1}, "executor config: Parallel: -1 is not between 0 and 1024"},
		{"less than none in mind", execution.Config{Actions: actions.Actions(), Remember: -1}, "executor config: Remember: -1 is negative"},
		{"nobody to act", execution.Config{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := execution.NewExecutor(c.config)
			if c.want == "" {
				require.NoError(t, err)
				require.NotNil(t, e)
				return
			}
			require.ErrorIs(t, err, outrank.ErrInvalid)
			assert.EqualError(t, err, c.want)
			assert.Nil(t, e)
		})
	}
}

// What has no action to evict deals with failures, and executes nothing.
func TestExecutorThatCannotEvict(t *testing.T) {
	e := newExecutor(t, execution.Config{})
	report, err := e.Execute(context.Background(), planFor(victimsNamed("a")...))
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.Equal(t, execution.Interrupted, report.Result)
	_, err = e.ExecuteGroup(context.Background(), gang("a").Group, gangPlan([]string{"a"}, "v"))
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.False(t, e.Preempting(pendingPod("p")))

	v, err := e.Fail(context.Background(), execution.Failure{Entry: entryOf(pendingPod("p")), Err: errBusy})
	require.NoError(t, err)
	assert.Equal(t, execution.Requeued, v.Result)
}

// Actions that are left out do nothing, and the plan is carried out all the same.
func TestExecutorThatEvictsAlone(t *testing.T) {
	var evicted []string
	e := newExecutor(t, execution.Config{Parallel: 1, Actions: execution.Actions{Evict: func(_ context.Context, e execution.Eviction) error {
		evicted = append(evicted, e.Victim.Name)
		return nil
	}}})
	plan := planFor(victimsNamed("a b")...)
	report, err := e.Execute(context.Background(), plan)
	require.NoError(t, err)
	assert.Same(t, plan, report.Plan)
	assert.Equal(t, []string{"a", "b"}, evicted)
	assert.Equal(t, execution.Completed, report.Result)
	assert.True(t, report.Nominated)
}

// The zero order is what kube-scheduler does by default, and what it does where the gate of the
// release for it is off (rule 14.2.2).
func TestOrderOfARelease(t *testing.T) {
	const (
		beside = "latest p|nominate p n1|clear nomination lower|evict a|event a|evict b|event b"
		before = "latest p|evict a|event a|evict b|event b|clear nomination lower|nominate p n1"
	)
	off := func(r outrank.Release) outrank.Release {
		r, err := r.With(map[string]bool{"SchedulerAsyncPreemption": false})
		require.NoError(t, err)
		return r
	}
	for _, c := range []struct {
		name   string
		config execution.Config
		plans  outrank.Release
		want   string
	}{
		{"nothing is set", execution.Config{}, 0, beside},
		{"v1.36", execution.Config{}, outrank.V1_36, beside},
		{"v1.37", execution.Config{}, outrank.V1_37, beside},
		{"v1.36 without the gate", execution.Config{}, off(outrank.V1_36), before},
		{"v1.37 without the gate", execution.Config{}, off(outrank.V1_37), before},
		{"synchronous is set", execution.Config{Order: execution.Synchronous}, 0, before},
		{"asynchronous is set", execution.Config{Order: execution.Asynchronous}, off(outrank.V1_37), beside},
	} {
		r := &executiontest.Recorder{}
		plan := planFor(victimsNamed("a b")...)
		plan.Release = c.plans
		plan.ClearedNominations = []*outrank.Pod{waitingPod("lower", 1)}
		_, err := newExecutor(t, with(c.config, r)).Execute(context.Background(), plan)
		require.NoError(t, err)
		assert.Equal(t, c.want, strings.Join(story(r), "|"), c.name)
	}
}
