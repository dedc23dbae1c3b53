package execution_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// clearedFor lists the pods that lost the nomination to n1 while a plan was
// carried out.
func clearedFor(t *testing.T, e *execution.Executor, plan *preemption.Plan) []string {
	report, err := e.Execute(context.Background(), plan)
	require.NoError(t, err)
	var names []string
	for _, c := range report.Cleared {
		assert.NoError(t, c.Err, c.Pod.Name)
		names = append(names, c.Pod.Name)
	}
	return names
}

// The plan names those who lose their nomination. With a nominator they lose it only if they
// still have it at that time, and the latest version of the preemptor decides whether it is
// lower (rule 14.3.7).
func TestWhoLosesTheNomination(t *testing.T) {
	lower := []*outrank.Pod{waitingPod("nine", 9), waitingPod("five", 5)}
	for _, c := range []struct {
		name   string
		latest int32 // the preemptor's priority by now; 10 when planned
		plan   []*outrank.Pod
		want   []string
	}{
		{"as planned", 10, lower, []string{"nine", "five"}},
		{"nominated since", 10, lower[:1], []string{"nine"}},
		{"all nominated since, or kept by the plan", 10, nil, nil},
		{"not nominated any more", 10, append([]*outrank.Pod{waitingPod("gone", 1)}, lower...), []string{"nine", "five"}},
		{"nominated to another node by now", 10, append([]*outrank.Pod{waitingPod("far", 1)}, lower...), []string{"nine", "five"}},
		{"another pod has the name", 10, []*outrank.Pod{lower[0], pendingPod("five", withUID("earlier"))}, []string{"nine"}},
		{"the preemptor has risen", 21, lower, []string{"nine", "five"}},
		{"the preemptor has fallen", 6, lower, []string{"five"}},
		{"the preemptor has fallen as low", 5, lower, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := &execution.Nominator{}
			for name, priority := range map[string]int32{"five": 5, "nine": 9, "ten": 10, "twenty": 20} {
				n.Add(waitingPod(name, priority), "n1")
			}
			n.Add(waitingPod("far", 1), "n2")
			actions := &executiontest.Recorder{Find: func(outrank.Key) (*outrank.Pod, bool) { return waitingPod("p", c.latest), true }}
			e, err := execution.NewExecutor(execution.Config{Actions: actions.Actions(), Nominator: n})
			require.NoError(t, err)
			plan := evicting("p", runningPod("victim", "uid-victim"))
			plan.Pod, plan.ClearedNominations = waitingPod("p", 10), c.plan
			assert.Equal(t, c.want, clearedFor(t, e, plan))
		})
	}
}

// A pod that is gone has lost its nomination, and nothing went wrong. Any other
// error stands in the report.
func TestReportOfClearing(t *testing.T) {
	busy := errors.New("busy")
	for _, c := range []struct {
		name string
		err  error
		want execution.PodReport
	}{
		{"done", nil, execution.PodReport{Result: execution.Completed}},
		{"gone", preemption.ErrNotFound, execution.PodReport{Result: execution.Gone}},
		{"failed", busy, execution.PodReport{Result: execution.Failed, Err: busy}},
	} {
		t.Run(c.name, func(t *testing.T) {
			actions := &executiontest.Recorder{Do: func(call executiontest.Call) error {
				if call.Op == "clear nomination" {
					return c.err
				}
				return nil
			}}
			e, err := execution.NewExecutor(execution.Config{Actions: actions.Actions()})
			require.NoError(t, err)
			plan := evicting("p", runningPod("victim", "uid-victim"))
			plan.ClearedNominations = []*outrank.Pod{waitingPod("low", 1)}
			c.want.Pod = plan.ClearedNominations[0]
			report, err := e.Execute(context.Background(), plan)
			require.NoError(t, err)
			assert.Equal(t, []execution.PodReport{c.want}, report.Cleared)
		})
	}
}

func TestExecutorKeepsTheNominatorInLine(t *testing.T) {
	for name, c := range map[string]struct {
		why  string
		fail string
		want map[string]string
	}{
		"all well": {"the lower pod made way", "", map[string]string{"p": "n1", "low": "", "equal": "n1", "far": "n2"}},
		"not cleared": {
			"what stands in the pod stands in memory", "clear nomination low",
			map[string]string{"p": "n1", "low": "n1", "equal": "n1", "far": "n2"},
		},
		"not nominated": {
			"back to what the pod itself says", "nominate p",
			map[string]string{"p": "old", "low": "", "equal": "n1", "far": "n2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var n execution.Nominator
			n.Add(pendingPod("low", withPriority(99)), "n1")
			n.Add(pendingPod("equal", withPriority(100)), "n1")
			n.Add(pendingPod("far", withPriority(1)), "n2")
			latest := pendingPod("p", withPriority(100), withUID("uid-p"), withNomination("old"))
			n.Add(latest, "")
			r := &executiontest.Recorder{
				Do:   failOn(errBusy, c.fail),
				Find: func(outrank.Key) (*outrank.Pod, bool) { return latest, true },
			}
			plan := planFor(victimsNamed("a")...)
			plan.ClearedNominations = []*outrank.Pod{pendingPod("low", withPriority(99)), pendingPod("far", withPriority(1))} // of when it was made
			_, err := newExecutor(t, execution.Config{Actions: r.Actions(), Nominator: &n, Order: execution.Synchronous}).Execute(context.Background(), plan)
			assert.Equal(t, name == "not nominated", err != nil)
			require.NoError(t, checkNominator(&n))
			for pod, node := range c.want {
				assert.Equal(t, node, n.NodeOf(outrank.NewKey("default", pod)), "%s: %s", pod, c.why)
			}
			assert.NotContains(t, story(r), "clear nomination far")
		})
	}
}
