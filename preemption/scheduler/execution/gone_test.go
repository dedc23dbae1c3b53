package execution_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// While the last victim is being evicted, the news of its own end alone lets the
// preemptor be tried again.
func TestWhoseEndEndsPreempting(t *testing.T) {
	first, last := runningPod("first", "uid-first"), runningPod("last", "uid-last")
	for _, c := range []struct {
		name string
		gone *outrank.Pod
		want bool
	}{
		{"the last victim", last, false},
		{"a newer version of it", &outrank.Pod{Name: "last", UID: "uid-last", Phase: outrank.PhaseFailed}, false},
		{"another victim", first, true},
		{"a stranger", runningPod("stranger", "uid-stranger"), true},
		{"a stranger without a UID", runningPod("stranger", ""), true},
		{"a later pod of the last victim's name", runningPod("last", "uid-later"), true},
		{"a pod of its name without a UID", runningPod("last", ""), true},
		{"a pod of its name elsewhere", &outrank.Pod{Name: "last", Namespace: "ops", UID: "uid-ops"}, true},
		{"the preemptor", &outrank.Pod{Name: "p", UID: "uid-p"}, true},
		{"nobody", nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			actions := &cluster{}
			e, err := execution.NewExecutor(execution.Config{Actions: actions.Actions(), Order: execution.Asynchronous})
			require.NoError(t, err)
			asked := false
			actions.during = map[string]func(){"last": func() {
				asked = true
				e.Gone(c.gone)
				assert.Equal(t, c.want, e.Preempting(pendingPod("p")))
			}}
			_, err = e.Execute(context.Background(), evicting("p", first, last))
			require.NoError(t, err)
			assert.True(t, asked)
			assert.False(t, e.Preempting(pendingPod("p")), "it is over")
		})
	}
}

// Plans know their last victims apart.
func TestGoneIsOfOnePlan(t *testing.T) {
	mine, other := runningPod("mine", "uid-mine"), runningPod("other", "uid-other")
	actions := &cluster{}
	e, err := execution.NewExecutor(execution.Config{Actions: actions.Actions(), Order: execution.Asynchronous})
	require.NoError(t, err)
	actions.during = map[string]func(){
		"mine": func() {
			_, err := e.Execute(context.Background(), evicting("q", other))
			require.NoError(t, err)
		},
		"other": func() {
			e.Gone(other)
			assert.False(t, e.Preempting(pendingPod("q")))
			assert.True(t, e.Preempting(pendingPod("p")), "it waits for another pod")
		},
	}
	_, err = e.Execute(context.Background(), evicting("p", mine))
	require.NoError(t, err)
	assert.Len(t, eventsOf(&actions.Recorder), 2)
}

// Two plans may wait for the same pod; its end is news for both.
func TestGoneIsOfEveryPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := runningPod("shared", "uid-shared")
		door := make(chan struct{})
		actions := &cluster{during: map[string]func(){"shared": func() { <-door }}}
		e, err := execution.NewExecutor(execution.Config{Actions: actions.Actions(), Order: execution.Asynchronous})
		require.NoError(t, err)
		for _, name := range []string{"p", "q", "r"} {
			go func() {
				_, err := e.Execute(context.Background(), evicting(name, shared))
				assert.NoError(t, err)
			}()
		}
		synctest.Wait()
		for _, name := range []string{"p", "q", "r"} {
			assert.True(t, e.Preempting(pendingPod(name)), name)
		}
		e.Gone(shared)
		for _, name := range []string{"p", "q", "r"} {
			assert.False(t, e.Preempting(pendingPod(name)), name)
		}
		close(door)
	})
}
