package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// The caller may refuse and allow in place of chapter 8, and is told what that says
// (rule 8.13). The text is the caller's, and the nomination stays.
func TestRefuse(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a")},
		Pods:  []*outrank.Pod{pod("a", 1, "1", on("n1")), pod("b", 1, "1", on("n2"), leaving(outrank.PreemptionByScheduler))},
	}
	never := pod("never", 9, "1")
	never.PreemptionPolicy = outrank.PreemptNever
	var told []any
	for _, test := range []struct {
		name string
		p    *outrank.Pod
		says func(by preemption.Ineligibility) preemption.Ineligibility
		want string // of the plan
		text string // of the event
		told []any
	}{
		{
			"it refuses", pod("p", 9, "1"), func(preemption.Ineligibility) preemption.Ineligibility { return "not on Sundays." }, "not on Sundays",
			"0/2 nodes are available: 2 Insufficient cpu. preemption: not on Sundays.", []any{preemption.Success, preemption.Ineligibility("")},
		},
		{
			"it agrees", pod("p", 9, "1", nominated("n2")), func(by preemption.Ineligibility) preemption.Ineligibility { return by }, "not eligible due to a terminating pod on the nominated node",
			"0/2 nodes are available: 2 Insufficient cpu. preemption: not eligible due to a terminating pod on the nominated node.",
			[]any{preemption.Unschedulable, preemption.VictimsTerminating},
		},
		{
			"it allows", never, func(preemption.Ineligibility) preemption.Ineligibility { return "" }, "preempts on n1", "", []any{preemption.Success, preemption.PolicyNever},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := newEvaluator(t, preemption.Config{
				Eligibility: preemption.Eligibility{Refuse: func(_ *outrank.Pod, by preemption.Ineligibility, nominated preemption.Status) preemption.Ineligibility {
					told = []any{nominated.Code, by}
					return test.says(by)
				}},
			})
			plan, err := e.Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: test.p, Now: gen.Now})
			require.NoError(t, err)
			assert.Equal(t, test.told, told)
			assert.Contains(t, plan.String(), test.want)
			require.NoError(t, e.Verify(context.Background(), newSnapshot(t, c), plan))
			if test.text == "" {
				return
			}
			v, err := (&execution.Failure{Entry: queue.Entry{Pod: test.p}, Plan: plan}).Verdict()
			require.NoError(t, err)
			assert.Equal(t, test.text, v.Condition.Message)
			assert.Equal(t, execution.Nomination{}, v.Nomination)
		})
	}
	plan, err := newEvaluator(t, preemption.Config{
		Profile: preemption.Profile{Off: []string{preemption.DefaultPreemption}},
		Eligibility: preemption.Eligibility{Refuse: func(*outrank.Pod, preemption.Ineligibility, preemption.Status) preemption.Ineligibility {
			panic("not asked")
		}},
	}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, preemption.Disabled, plan.Ineligible)
}

// Where to begin is said modulo the number of nodes, and how many candidates are enough is what
// is said (rule 10.1.2).
func TestSampleBeginsAtTheOffset(t *testing.T) {
	c := &outrank.Cluster{}
	for _, name := range []string{"n1", "n2", "n3", "n4"} {
		c.Nodes = append(c.Nodes, node(name, "1", "a"))
		c.Pods = append(c.Pods, pod("on-"+name, 1, "1", on(name)))
	}
	for _, test := range []struct {
		offset, first, percent, minimum, candidates int
	}{{0, 0, -1, 1, 1}, {2, 2, -1, 2, 2}, {3, 3, -1, 9, 4}, {6, 2, -1, 1, 1}, {-1, 3, -1, 2, 2}, {-6, 2, 50, -1, 2}, {1, 1, 24, -1, 0}} {
		e := newEvaluator(t, preemption.Config{Sample: &preemption.Sample{Percent: test.percent, Minimum: test.minimum}})
		ex, err := e.Explain(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now, Offset: test.offset})
		require.NoError(t, err)
		assert.Len(t, ex.Candidates, test.candidates, "%+v", test)
		for i, report := range ex.Nodes {
			at := (i - test.first + 4) % 4
			assert.Equal(t, at < test.candidates, report.AfterRemoval != nil, "%+v %s", test, report.Node)
		}
	}
}
