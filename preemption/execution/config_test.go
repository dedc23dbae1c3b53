package execution_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/execution"
	"github.com/outrank-go/outrank/preemption/execution/executiontest"
)

// The ends of what an ExecutorConfig may ask for, and what lies beyond them.
func TestExecutorLimits(t *testing.T) {
	actions := &executiontest.Recorder{}
	for _, c := range []struct {
		name   string
		config execution.Config
		want   string
	}{
		{"only actions", execution.Config{Actions: actions}, ""},
		{"the last order", execution.Config{Actions: actions, Order: execution.Asynchronous}, ""},
		{"an order beyond", execution.Config{Actions: actions, Order: "soon"}, `executor config: Order: "soon" is none`},
		{"most at a time", execution.Config{Actions: actions, Parallel: 1024}, ""},
		{"more at a time", execution.Config{Actions: actions, Parallel: 1025}, "executor config: Parallel: 1025 is not between 0 and 1024"},
		{"less than none at a time", execution.Config{Actions: actions, Parallel: -1}, "executor config: Parallel: -1 is not between 0 and 1024"},
		{"less than none in mind", execution.Config{Actions: actions, Remember: -1}, "executor config: Remember: -1 is negative"},
		{"nobody to act", execution.Config{}, "executor config: Actions: missing"},
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
		{"the plan is of a release without the gate", execution.Config{}, off(outrank.V1_37), before},
		{"the release of the plan is not meant", execution.Config{Release: outrank.V1_37}, off(outrank.V1_37), beside},
		{"the order is set, whatever the plan's release", execution.Config{Order: execution.Asynchronous}, off(outrank.V1_37), beside},
		{"v1.36", execution.Config{Release: outrank.V1_36}, 0, beside},
		{"v1.37", execution.Config{Release: outrank.V1_37}, 0, beside},
		{"v1.36 without the gate", execution.Config{Release: off(outrank.V1_36)}, 0, before},
		{"v1.37 without the gate", execution.Config{Release: off(outrank.V1_37)}, 0, before},
		{"synchronous is set", execution.Config{Order: execution.Synchronous}, 0, before},
		{"asynchronous is set", execution.Config{Release: off(outrank.V1_37), Order: execution.Asynchronous}, 0, beside},
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
