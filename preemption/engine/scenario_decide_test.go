package engine_test

import (
	"context"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// decide asks about the pod of the line in every way there is, and returns what
// Explain says. All of them have to agree:
//
//   - Preempt, three times on the snapshot, of which the later ones may be
//     answered from what the first has left in it;
//   - Explain, before and after;
//   - both, on a snapshot made anew and with three workers;
//   - the book, where the configuration is the default one.
func (w *scenarioWorld) decide(c *scenario.Command) (*preemption.Plan, error) {
	w.t.Helper()
	w.plan, w.group = nil, nil
	if w.snap == nil {
		return nil, errNoCluster
	}
	pod := c.Line.Pod()
	if err := c.Line.Err(); err != nil {
		return nil, err
	}
	var first *preemption.Plan
	var firstErr error
	for i, ask := range []struct {
		how     string
		workers int
		snap    *engine.Snapshot
	}{
		{"again and again", 1, w.snap},
		{"with three workers on a new snapshot", 3, newSnapshot(w.t, w.cluster)},
	} {
		e := newEvaluator(w.t, w.config).Parallel(ask.workers)
		ex, err := w.ask(c, e, ask.snap, pod, ask.how)
		if i == 0 {
			first, firstErr = ex, err
			continue
		}
		assert.Equal(w.t, wholeText(first, firstErr), wholeText(ex, err), "%s: %s", c.Line.Place(), ask.how)
	}
	if firstErr != nil {
		return nil, firstErr
	}
	w.plan = plantest.Unexplained(first)
	if !w.own {
		w.compareBook(c, pod, first)
	}
	return first, nil
}

// ask compares Preempt with Explain, three times each.
func (w *scenarioWorld) ask(c *scenario.Command, e *engine.Evaluator, snap *engine.Snapshot, pod *outrank.Pod, how string) (*preemption.Plan, error) {
	w.t.Helper()
	ctx := context.Background()
	var first *preemption.Plan
	var firstErr error
	for i := range 3 {
		req := preemption.Request{Pod: pod, Now: scenario.Now, Offset: w.offset, Statuses: w.statuses()}
		plan, planErr := e.Preempt(ctx, snap, req)
		ex, err := e.Explain(ctx, snap, req)
		if i == 0 {
			first, firstErr = ex, err
		}
		assert.Equal(w.t, wholeText(first, firstErr), wholeText(ex, err), "%s: Explain, %s", c.Line.Place(), how)
		if planErr != nil || err != nil {
			require.Equal(w.t, refused(err), refused(planErr), "%s: Explain and Preempt, %s", c.Line.Place(), how)
			continue
		}
		if diff := testdiff.Diff(plantest.Unexplained(ex), plan); diff != "" {
			w.t.Errorf("%s: question %d, %s (-Explain +Preempt):\n%s", c.Line.Place(), i+1, how, diff)
		}
	}
	return first, firstErr
}

func wholeText(ex *preemption.Plan, err error) string {
	if err != nil {
		return refused(err)
	}
	return planText(plantest.Unexplained(ex)) + explanationText(ex)
}

// compareBook holds a decision to the book.
func (w *scenarioWorld) compareBook(c *scenario.Command, pod *outrank.Pod, ex *preemption.Plan) {
	w.t.Helper()
	want, err := preemption.Explain(w.cluster, preemption.Request{Pod: pod, Now: scenario.Now}, preemption.Config{})
	require.NoError(w.t, err)
	if diff := diffPlans(want, ex); diff != "" {
		w.t.Errorf("%s: %s (-book +engine):\n%s", c.Line.Place(), c.Line.Text, diff)
	}
}

// across asks for victims on other nodes, too: twice on the snapshot, and on one made anew.
func (w *scenarioWorld) across(c *scenario.Command) (string, error) {
	w.plan, w.group = nil, nil
	if w.snap == nil {
		return "", errNoCluster
	}
	pod := c.Line.Pod()
	if err := c.Line.Err(); err != nil {
		return "", err
	}
	config := w.config
	config.Victims = preemption.Across{}
	e := newEvaluator(w.t, config)
	text := ""
	for i, snap := range []*engine.Snapshot{w.snap, w.snap, newSnapshot(w.t, w.cluster)} {
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: scenario.Now})
		answer := ""
		if err != nil {
			answer = refused(err)
		} else {
			if plan.ClusterCertificate != nil {
				require.True(w.t, plan.ClusterCertificate.Optimal, "%s", c.Line.Place())
			}
			require.NoError(w.t, e.Verify(context.Background(), snap, plan))
			answer = planText(plan)
		}
		if i == 0 {
			if text = answer; err == nil {
				w.plan = plan
			}
			continue
		}
		assert.Equal(w.t, text, answer, "%s: question %d", c.Line.Place(), i+1)
	}
	return text, nil
}

// preemptGroup asks about the pods of the body as a group: twice on the snapshot
// and once on one made anew, and the book.
func (w *scenarioWorld) preemptGroup(c *scenario.Command) (string, error) {
	w.plan, w.group = nil, nil
	if w.snap == nil {
		return "", errNoCluster
	}
	var pods []*outrank.Pod
	for _, l := range c.Body {
		if !l.Accept("pod") {
			l.Fail("a group consists of pods")
		}
		pods = append(pods, l.Pod())
		if err := l.Err(); err != nil {
			return "", err
		}
	}
	e := newEvaluator(w.t, w.config)
	text := ""
	for i, snap := range []*engine.Snapshot{w.snap, w.snap, newSnapshot(w.t, w.cluster)} {
		plan, err := e.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: scenario.Now})
		answer := ""
		if err != nil {
			answer = refused(err)
		} else {
			answer = groupText(plan)
		}
		if i == 0 {
			text = answer
			w.group = plan
		}
		assert.Equal(w.t, text, answer, "%s: question %d", c.Line.Place(), i+1)
	}
	if w.group != nil && !w.own {
		w.compareGroup(c, pods)
	}
	return text, nil
}

// compareGroup holds a decision about a group to the book.
func (w *scenarioWorld) compareGroup(c *scenario.Command, pods []*outrank.Pod) {
	w.t.Helper()
	want, err := preemption.PreemptGroup(w.cluster, preemption.GroupRequest{Pods: pods, Now: scenario.Now}, preemption.Config{})
	require.NoError(w.t, err)
	if diff := diffPlans(want, w.group); diff != "" {
		w.t.Errorf("%s: (-book +engine):\n%s", c.Line.Place(), diff)
	}
}
