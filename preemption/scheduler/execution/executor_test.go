package execution_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// alsoClearing has a plan clear the nomination of a further pod.
func alsoClearing(plan *preemption.Plan, name string) *preemption.Plan {
	plan.ClearedNominations = []*outrank.Pod{pendingPod(name, withNomination("n1"))}
	return plan
}

func TestOrders(t *testing.T) {
	lower := pendingPod("lower", withNomination("n1"))
	for name, c := range map[string]struct {
		why    string
		way    way
		plan   *preemption.Plan
		change func(*executiontest.Recorder)
		want   string
		report string
		err    error
	}{
		"synchronous": {
			"victims, nominations of others, the preemptor's own", synchronous, planFor(victimsNamed("a b")...), nil,
			"latest p|evict a|event a|evict b|event b|clear nomination lower|nominate p n1",
			"default/p on n1: completed; default/a evicted; default/b evicted; default/lower not nominated any more; nominated", nil,
		},
		"asynchronous": {
			"the preemptor first, as others are scheduled meanwhile", asynchronous, planFor(victimsNamed("a b")...), nil,
			"latest p|nominate p n1|clear nomination lower|evict a|event a|evict b|event b",
			"default/p on n1: completed; default/a evicted; default/b evicted; default/lower not nominated any more; nominated", nil,
		},
		"v1.13": {
			"as v1.13 does it: its own nomination, victims, nominations of others (rule 13.2.7)", old, planFor(victimsNamed("a b")...), nil,
			"latest p|nominate p n1|evict a|event a|evict b|event b|clear nomination lower",
			"default/p on n1: completed; default/a evicted; default/b evicted; default/lower not nominated any more; nominated", nil,
		},
		"nominating first fails": {
			"no victim has to go for it, and nobody waits to be activated", old, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) { r.Do = failOn(errBusy, "nominate p") },
			"latest p|nominate p n1!", "default/p on n1: interrupted; default/a skipped", errBusy,
		},
		"a victim of v1.13 fails": {
			"the rest is skipped; the nomination stays", old, planFor(victimsNamed("a b c")...),
			func(r *executiontest.Recorder) { r.Do = failOn(errBusy, "evict b") },
			"latest p|nominate p n1|evict a|event a|evict b!",
			"default/p on n1: interrupted; default/a evicted; default/b failed; default/c skipped; nominated", errBusy,
		},
		"a victim of v1.13 that leaves": {
			"it is deleted again", old, planFor(pendingPod("a", withDeletion)), nil,
			"latest p|nominate p n1|evict a|event a|clear nomination lower",
			"default/p on n1: completed; default/a evicted; default/lower not nominated any more; nominated", nil,
		},
		"a victim of v1.13 that is gone": {
			"deleting fails for whatever reason", old, planFor(victimsNamed("a b")...),
			func(r *executiontest.Recorder) { r.Do = failOn(preemption.ErrNotFound, "evict a") },
			"latest p|nominate p n1|evict a!", "default/p on n1: interrupted; default/a failed; default/b skipped; nominated", preemption.ErrNotFound,
		},
		"victims of v1.13 that violate budgets": {
			"they come first", old, violating(planFor(victimsNamed("a b c d")...), "b d"), nil,
			"latest p|nominate p n1|evict b|event b|evict d|event d|evict a|event a|evict c|event c|clear nomination lower",
			"default/p on n1: completed; default/a evicted; default/b evicted; default/c evicted; default/d evicted; default/lower not nominated any more; nominated", nil,
		},
		"simplified": {
			"from the least important up, also those that leave", simplified, planFor(pendingPod("a", withDeletion), victimsNamed("b")[0]), nil,
			"latest p|evict b|event b|evict a|event a|clear nomination lower|nominate p n1|event p",
			"default/p on n1: completed; default/a evicted; default/b evicted; default/lower not nominated any more; nominated", nil,
		},
		"a victim of the simplified form that is gone": {
			"there is nothing to tell", simplified, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) { r.Do = failOn(preemption.ErrNotFound, "evict a") },
			"latest p|evict a!|clear nomination lower|nominate p n1|event p",
			"default/p on n1: completed; default/a gone already; default/lower not nominated any more; nominated", nil,
		},
		"clearing fails in v1.13": {
			"not critical", old, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) { r.Do = failOn(errBusy, "clear nomination lower") },
			"latest p|nominate p n1|evict a|event a|clear nomination lower!",
			"default/p on n1: completed; default/a evicted; nominated", nil,
		},
		"waiting": {
			"a victim that waits is rejected, not deleted", synchronous, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) { r.Waiting = func(*outrank.Pod) bool { return true } },
			"latest p|reject a|event a|clear nomination lower|nominate p n1",
			"default/p on n1: completed; default/a rejected while waiting; default/lower not nominated any more; nominated", nil,
		},
		"terminating": {
			"nothing has to be done about it", synchronous, planFor(pendingPod("a", withDeletion), victimsNamed("b")[0]), nil,
			"latest p|evict b|event b|clear nomination lower|nominate p n1",
			"default/p on n1: completed; default/a terminating already; default/b evicted; default/lower not nominated any more; nominated", nil,
		},
		"all terminating": {
			"no victim to wait for", asynchronous, planFor(pendingPod("a", withDeletion)), nil,
			"latest p|nominate p n1",
			"default/p on n1: completed; default/a terminating already; nominated", nil,
		},
		"twice in the plan": {
			"taken once", synchronous, planFor(append(victimsNamed("a"), victimsNamed("a")...)...), nil,
			"latest p|evict a|event a|clear nomination lower|nominate p n1",
			"default/p on n1: completed; default/a evicted; default/lower not nominated any more; nominated", nil,
		},
		"victim not found": {
			"it is gone, and there is nothing to tell", synchronous, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) {
				r.Do = failOn(fmt.Errorf("pods a: %w", preemption.ErrNotFound), "evict a")
			},
			"latest p|evict a!|clear nomination lower|nominate p n1",
			"default/p on n1: completed; default/a gone already; default/lower not nominated any more; nominated", nil,
		},
		"preemptor not found": {
			"no pod needs the room", synchronous, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) { r.Find = func(outrank.Key) (*outrank.Pod, bool) { return nil, false } },
			"latest p", "default/p on n1: the preemptor is gone; default/a skipped", nil,
		},
		"preemptor reborn": {
			"another pod of its name is another pod", synchronous, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) {
				r.Find = func(outrank.Key) (*outrank.Pod, bool) { return pendingPod("p", withUID("other")), true }
			},
			"latest p", "default/p on n1: the preemptor is gone; default/a skipped", nil,
		},
		"preemptor terminating": {
			"it will not use the room", asynchronous, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) {
				r.Find = func(outrank.Key) (*outrank.Pod, bool) { return pendingPod("p", withDeletion), true }
			},
			"latest p", "default/p on n1: the preemptor is gone; default/a skipped", nil,
		},
		"preemptor bound": {
			"it has found room elsewhere", synchronous, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) {
				r.Find = func(outrank.Key) (*outrank.Pod, bool) { return pendingPod("p", withNode("n7")), true }
			},
			"latest p", "default/p on n1: the preemptor runs already; default/a skipped", nil,
		},
		"fetching fails": {
			"nothing is done on old news", synchronous, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) { r.Do = failOn(errBusy, "latest p") },
			"latest p!", "default/p on n1: interrupted; default/a skipped", errBusy,
		},
		"fetching fails in the background": {
			"nothing else lets it try again", asynchronous, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) { r.Do = failOn(errBusy, "latest p") },
			"latest p!|activate p", "default/p on n1: interrupted; default/a skipped", errBusy,
		},
		"a victim fails": {
			"the rest is skipped, the preemptor is not nominated", synchronous, planFor(victimsNamed("a b c")...),
			func(r *executiontest.Recorder) { r.Do = failOn(errBusy, "evict b") },
			"latest p|evict a|event a|evict b!",
			"default/p on n1: interrupted; default/a evicted; default/b failed; default/c skipped", errBusy,
		},
		"a victim fails in the background": {
			"the last is skipped, and the preemptor activated", asynchronous, planFor(victimsNamed("a b c")...),
			func(r *executiontest.Recorder) { r.Do = failOn(errBusy, "evict a") },
			"latest p|nominate p n1|clear nomination lower|evict a!|activate p",
			"default/p on n1: interrupted; default/a failed; default/b skipped; default/c skipped; default/lower not nominated any more; nominated", errBusy,
		},
		"the last fails in the background": {
			"the preemptor is activated", asynchronous, planFor(victimsNamed("a b")...),
			func(r *executiontest.Recorder) { r.Do = failOn(errBusy, "evict b") },
			"latest p|nominate p n1|clear nomination lower|evict a|event a|evict b!|activate p",
			"default/p on n1: interrupted; default/a evicted; default/b failed; default/lower not nominated any more; nominated", errBusy,
		},
		"rejecting fails": {
			"it is not evicted instead", synchronous, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) {
				r.Waiting, r.Do = func(*outrank.Pod) bool { return true }, failOn(errBusy, "reject a")
			},
			"latest p|reject a!", "default/p on n1: interrupted; default/a failed", errBusy,
		},
		"clearing fails": {
			"not critical", synchronous, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) { r.Do = failOn(errBusy, "clear nomination lower") },
			"latest p|evict a|event a|clear nomination lower!|nominate p n1",
			"default/p on n1: completed; default/a evicted; nominated", nil,
		},
		"clearing fails in the background": {
			"not critical, but the preemptor is activated", asynchronous, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) { r.Do = failOn(errBusy, "clear nomination lower") },
			"latest p|nominate p n1|clear nomination lower!|evict a|event a|activate p",
			"default/p on n1: completed; default/a evicted; nominated", nil,
		},
		"the first of two is not cleared": {
			"one failure is enough to be activated", asynchronous, alsoClearing(planFor(victimsNamed("a")...), "lowest"),
			func(r *executiontest.Recorder) { r.Do = failOn(errBusy, "clear nomination lower") },
			"latest p|nominate p n1|clear nomination lower!|clear nomination lowest|evict a|event a|activate p",
			"default/p on n1: completed; default/a evicted; default/lowest not nominated any more; nominated", nil,
		},
		"clearing one that is gone": {
			"cleared, and a failure all the same", asynchronous, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) { r.Do = failOn(preemption.ErrNotFound, "clear nomination lower") },
			"latest p|nominate p n1|clear nomination lower!|evict a|event a|activate p",
			"default/p on n1: completed; default/a evicted; default/lower not nominated any more; nominated", nil,
		},
		"nominating fails": {
			"all is done but that", synchronous, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) { r.Do = failOn(errBusy, "nominate p") },
			"latest p|evict a|event a|clear nomination lower|nominate p n1!",
			"default/p on n1: interrupted; default/a evicted; default/lower not nominated any more", errBusy,
		},
		"nominating fails in the background": {
			"no victim has to go for it", asynchronous, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) { r.Do = failOn(errBusy, "nominate p") },
			"latest p|nominate p n1!|activate p", "default/p on n1: interrupted; default/a skipped", errBusy,
		},
		"gone before nominating": {
			"no victim has to go for it, and no pod is activated", asynchronous, planFor(victimsNamed("a")...),
			func(r *executiontest.Recorder) { r.Do = failOn(preemption.ErrNotFound, "nominate p") },
			"latest p|nominate p n1!", "default/p on n1: the preemptor is gone; default/a skipped", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &executiontest.Recorder{}
			if c.change != nil {
				c.change(r)
			}
			plan := c.way.of(c.plan)
			plan.ClearedNominations = append([]*outrank.Pod{lower}, plan.ClearedNominations...)
			e := newExecutor(t, c.way.config(r))
			report, err := e.Execute(context.Background(), plan)
			require.ErrorIs(t, err, c.err, c.why)
			assert.Equal(t, c.want, strings.Join(story(r), "|"), c.why)
			assert.Equal(t, c.report, report.String(), c.why)
			assert.Equal(t, c.err != nil, report.Result == execution.Interrupted)
			assert.False(t, e.Preempting(pendingPod("p")), "it is over")
		})
	}
}

func TestWhatActionsAreTold(t *testing.T) {
	r := &executiontest.Recorder{}
	latest := pendingPod("p", withPriority(100), withUID("uid-p"), withNomination("elsewhere"))
	r.Find = func(outrank.Key) (*outrank.Pod, bool) { return latest, true }
	plan := planFor(victimsNamed("a")...)
	report, err := newExecutor(t, execution.Config{Actions: r.Actions(), Scheduler: "mine", Order: execution.Synchronous}).Execute(context.Background(), plan)
	require.NoError(t, err)
	assert.Same(t, latest, report.Preemptor)
	calls := r.Calls()
	assert.Equal(t, execution.Eviction{
		Victim: plan.Victims[0].Pod, Node: "n1", Preemptor: latest,
		Condition: outrank.PodCondition{
			Type: "DisruptionTarget", Status: "True", Reason: "PreemptionByScheduler",
			Message: "mine: preempting to accommodate a higher priority pod",
		},
	}, calls[1].Eviction)
	assert.Equal(t, outrank.Event{
		Type: "Normal", Reason: "Preempted", Action: "Preempting", Pod: plan.Victims[0].Pod, Related: latest,
		Message: "Preempted by pod uid-p on node n1",
	}, calls[2].Event)
	assert.Same(t, latest, calls[3].Pod, "the latest version is nominated")
}

// The simplified variant gives victims no time to end (rule 13.3.8).
func TestGraceFollowsFromTheVariant(t *testing.T) {
	r, none := &executiontest.Recorder{}, time.Duration(0)
	plan := planFor(victimsNamed("a")...)
	plan.Variant = outrank.VariantSimplified
	_, err := newExecutor(t, execution.Config{Actions: r.Actions()}).Execute(context.Background(), plan)
	require.NoError(t, err)
	var graces []*time.Duration
	for _, call := range r.Calls() {
		if call.Eviction.Victim != nil {
			graces = append(graces, call.Eviction.Grace)
		}
	}
	assert.Equal(t, []*time.Duration{&none}, graces)
}

// The variants word their events in their own ways (rules 13.2.8, 13.3.9 and
// 13.3.10).
func TestEventsOfTheVariants(t *testing.T) {
	for _, c := range []struct {
		name string
		way  way
		want []string
	}{
		{"today", way{}, []string{"Normal Preempted default/a: Preempted by pod uid-p on node n1", "Normal Preempted default/b: Preempted by pod uid-p on node n1"}},
		{"v1.13", old, []string{"Normal Preempted default/a: by default/p on node n1", "Normal Preempted default/b: by default/p on node n1"}},
		{"simplified", simplified, []string{
			"Warning Preempted default/b: Preempted by default/p on node n1", "Warning Preempted default/a: Preempted by default/p on node n1",
			"Normal Preempted default/p: Preempting 2 pods on node n1",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &executiontest.Recorder{}
			_, err := newExecutor(t, c.way.config(r)).Execute(context.Background(), c.way.of(planFor(victimsNamed("a b")...)))
			require.NoError(t, err)
			var got []string
			for _, call := range r.Calls() {
				if call.Op == "event" {
					got = append(got, call.Event.String())
				}
			}
			assert.Equal(t, c.want, got)
		})
	}
	// No event about the preemptor where its victims did not all go.
	r := &executiontest.Recorder{Do: failOn(errBusy, "evict a")}
	_, err := newExecutor(t, simplified.config(r)).Execute(context.Background(), simplified.of(planFor(victimsNamed("a")...)))
	require.ErrorIs(t, err, errBusy)
	assert.Equal(t, "latest p|evict a!", strings.Join(story(r), "|"))
}

// In the order of v1.13 victims go one after another, whatever Parallel says.
func TestV113EvictsOneByOne(t *testing.T) {
	r := &executiontest.Recorder{Do: failOn(errBusy, "evict b")}
	report, err := newExecutor(t, execution.Config{Actions: r.Actions(), Parallel: 8}).Execute(context.Background(), old.of(planFor(victimsNamed("a b c")...)))
	require.ErrorIs(t, err, errBusy)
	assert.Equal(t, "default/p on n1: interrupted; default/a evicted; default/b failed; default/c skipped; nominated", report.String())
}

func TestEndOfTheContext(t *testing.T) {
	for name, c := range map[string]struct {
		order execution.Order
		at    string
		want  string
	}{
		"before":              {execution.Synchronous, "", "default/p on n1: interrupted; default/a skipped; default/b skipped"},
		"after the first":     {execution.Synchronous, "evict a", "default/p on n1: interrupted; default/a evicted; default/b skipped"},
		"after the last":      {execution.Synchronous, "evict b", "default/p on n1: interrupted; default/a evicted; default/b evicted"},
		"after nominating":    {execution.Asynchronous, "nominate p", "default/p on n1: interrupted; default/a skipped; default/b skipped; nominated"},
		"after the last, too": {execution.Asynchronous, "evict b", "default/p on n1: completed; default/a evicted; default/b evicted; default/low not nominated any more; nominated"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if c.at == "" {
				cancel()
			}
			r := &executiontest.Recorder{Do: func(call executiontest.Call) error {
				if string(call.Op)+" "+call.Pod.Name == c.at {
					cancel()
				}
				return nil
			}}
			plan := planFor(victimsNamed("a b")...)
			plan.ClearedNominations = []*outrank.Pod{pendingPod("low")}
			report, err := newExecutor(t, execution.Config{Actions: r.Actions(), Order: c.order, Parallel: 1}).Execute(ctx, plan)
			assert.Equal(t, c.want, report.String())
			if report.Result == execution.Completed {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, context.Canceled)
			assert.Equal(t, c.order == execution.Asynchronous, slices.Contains(story(r), "activate p"))
		})
	}
}

// The victims before the last go at once, as many as Parallel allows, and the
// last when they have all been told.
func TestParallel(t *testing.T) {
	for name, c := range map[string]struct {
		order    execution.Order
		parallel int
		groups   []int
	}{
		"default":         {execution.Synchronous, 0, []int{16, 4}},
		"default, behind": {execution.Asynchronous, 0, []int{16, 3, 1}},
		"seven":           {execution.Synchronous, 7, []int{7, 7, 6}},
		"seven, behind":   {execution.Asynchronous, 7, []int{7, 7, 5, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var names []string
				for i := range 20 {
					names = append(names, fmt.Sprintf("v%02d", i))
				}
				door := &gate{open: make(chan struct{})}
				e := newExecutor(t, execution.Config{Actions: door.Actions(), Order: c.order, Parallel: c.parallel})
				go func() {
					_, err := e.Execute(context.Background(), planFor(victimsNamed(strings.Join(names, " "))...))
					assert.NoError(t, err)
				}()
				for _, size := range c.groups {
					synctest.Wait()
					assert.True(t, e.Preempting(pendingPod("p")))
					require.Equal(t, int64(size), door.inside.Load())
					for range size {
						door.open <- struct{}{}
					}
				}
				synctest.Wait()
				assert.False(t, e.Preempting(pendingPod("p")))
				assert.Zero(t, door.inside.Load(), "nothing goes on behind the call")
			})
		})
	}
}

// A panic in the caller's actions reaches the caller, whichever victim it is about, and
// leaves nothing locked and nothing running.
func TestPanicOfAnAction(t *testing.T) {
	for _, victim := range []string{"a", "c"} {
		r := &executiontest.Recorder{Do: func(c executiontest.Call) error {
			if c.Op == "evict" && c.Pod.Name == victim {
				panic("the caller's")
			}
			return nil
		}}
		e := newExecutor(t, execution.Config{Actions: r.Actions(), Order: execution.Synchronous})
		plan := planFor(victimsNamed("a b c")...)
		require.PanicsWithValue(t, "the caller's", func() { _, _ = e.Execute(context.Background(), plan) })
		assert.False(t, e.Preempting(pendingPod("p")))
		r.Do = nil
		report, err := e.Execute(context.Background(), plan)
		require.NoError(t, err)
		for _, v := range report.Victims {
			want := execution.AlreadyEvicted
			if v.Pod.Name == victim {
				want = execution.Evicted
			}
			assert.Equal(t, want, v.Result, "%s after a panic about %s", v.Pod.Name, victim)
		}
	}
}
