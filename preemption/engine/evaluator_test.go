package engine_test

import (
	"cmp"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

func TestPreemptRefuses(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n"}}, Pods: []*outrank.Pod{{Name: "runs", NodeName: "n"}}}
	snap := newSnapshot(t, c)
	e := newEvaluator(t, preemption.Config{})
	for _, test := range []struct {
		name string
		snap *engine.Snapshot
		pod  *outrank.Pod
		is   error
		text string
	}{
		{"no snapshot", nil, &outrank.Pod{Name: "p"}, outrank.ErrInvalid, "no snapshot"},
		{"no pod", snap, nil, outrank.ErrInvalid, "pod: is nil"},
		{"an invalid pod", snap, &outrank.Pod{Name: "p", PreemptionPolicy: "Sometimes"}, outrank.ErrInvalid, `pod default/p: spec.preemptionPolicy: "Sometimes" is neither`},
		{"a pod that runs already", snap, c.Pods[0], preemption.ErrState, "pod default/runs: not in the right state: it runs on node n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := e.Preempt(context.Background(), test.snap, preemption.Request{Pod: test.pod, Now: gen.Now})
			assert.ErrorIs(t, err, test.is)
			assert.ErrorContains(t, err, test.text)
			_, err = e.Explain(context.Background(), test.snap, preemption.Request{Pod: test.pod, Now: gen.Now})
			assert.ErrorIs(t, err, test.is)
		})
	}
}

// In an empty cluster no node turns the pod down.
func TestPreemptWithoutNodes(t *testing.T) {
	plan := preempt(t, &outrank.Cluster{}, &outrank.Pod{Name: "p"})
	assert.Equal(t, &preemption.Plan{Pod: plan.Pod, Now: gen.Now, Release: outrank.DefaultRelease, Outcome: preemption.NothingHelps}, plan)
}

// Amounts at the limits of int64 neither wrap nor panic.
func TestHugeAmounts(t *testing.T) {
	huge := func(name string, priority int32) *outrank.Pod {
		return &outrank.Pod{Name: name, NodeName: "n", Priority: outrank.Priority(priority), Containers: []outrank.Container{{Requests: resource.MustList("memory", "8E", "cpu", "1e100000")}}}
	}
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("memory", "9E", "cpu", "1e100000", "pods", "9e30")}},
		Pods:  []*outrank.Pod{huge("a", -2147483648), huge("b", 1), huge("c", 2147483646)},
	}
	p := huge("p", 2147483647)
	p.NodeName = ""
	plan := preempt(t, c, p)
	require.Equal(t, preemption.Preempts, plan.Outcome)
	assert.Equal(t, "[default/c default/b default/a]", fmt.Sprint(plan.Victims))
	assert.Equal(t, int64(2147483646+1-2147483648)+3*(1<<31), plan.Score.PrioritySum)
}

// A status reports more resources than it has bits for.
func TestManyResources(t *testing.T) {
	requests, offers := resource.List{}, resource.MustList("pods", "9")
	for i := range 100 {
		name := resource.Name(fmt.Sprintf("example.com/r%02d", i))
		requests[name] = resource.New(1)
		offers[name] = resource.New(int64(i % 2))
	}
	c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n", Allocatable: offers}}}
	p := &outrank.Pod{Name: "p", Containers: []outrank.Container{{Requests: requests}}}
	ex := explain(t, c, p)
	require.Equal(t, preemption.UnschedulableAndUnresolvable, ex.Nodes[0].Status.Code)
	assert.Contains(t, ex.Nodes[0].Status.Reasons, "Insufficient example.com/r00")
	assert.NotContains(t, ex.Nodes[0].Status.Reasons, "Insufficient example.com/r01")
	assert.Contains(t, ex.Nodes[0].Status.Reasons, "Insufficient example.com/r98")
}

// Each rank decides if all before it tie.
func TestRanks(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	type pod struct {
		priority int32
		start    int // hours
		app      string
	}
	node := func(name string, pods ...pod) (*outrank.Node, []*outrank.Pod) {
		n := &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", fmt.Sprint(len(pods)), "pods", "9")}
		var out []*outrank.Pod
		for i, p := range pods {
			out = append(out, &outrank.Pod{
				Name: fmt.Sprintf("%s-%d", name, i), NodeName: name, Labels: map[string]string{"app": p.app},
				Priority: outrank.Priority(p.priority), StartTime: start.Add(time.Duration(p.start) * time.Hour),
				Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}},
			})
		}
		return n, out
	}
	budget := &outrank.PodDisruptionBudget{Name: "b", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "guarded"}}}
	for _, test := range []struct {
		by           string
		better, less []pod
		cpu          string
	}{
		{preemption.ByViolations.Name, []pod{{priority: 90}}, []pod{{priority: 1, app: "guarded"}}, "1"},
		{preemption.ByTopPriority.Name, []pod{{priority: 5}, {priority: 5}}, []pod{{priority: 6}, {priority: -6}}, "2"},
		{preemption.ByPrioritySum.Name, []pod{{priority: 5}, {priority: -9}}, []pod{{priority: 5}, {priority: -8}}, "2"},
		{preemption.ByStart.Name, []pod{{priority: 5, start: 2}, {priority: 1, start: 0}}, []pod{{priority: 5, start: 1}, {priority: 1, start: 3}}, "2"},
		{"", []pod{{priority: 5}}, []pod{{priority: 5}}, "1"},
	} {
		t.Run(cmp.Or(test.by, "node-order"), func(t *testing.T) {
			better, pods := node("better", test.better...)
			less, more := node("less", test.less...)
			c := &outrank.Cluster{Nodes: []*outrank.Node{less, better}, Pods: append(pods, more...), Budgets: []*outrank.PodDisruptionBudget{budget}}
			if test.by == "" {
				c.Nodes = []*outrank.Node{better, less}
			}
			ex := explain(t, c, &outrank.Pod{Name: "p", Priority: outrank.Priority(100), Containers: []outrank.Container{{Requests: resource.MustList("cpu", test.cpu)}}})
			require.Len(t, ex.Candidates, 2)
			assert.Equal(t, "better", ex.Node)
			assert.Equal(t, test.by, ex.DecidedBy, "%+v against %+v", ex.Candidates[0].Score, ex.Candidates[1].Score)
		})
	}
}

// The number of victims can only decide if the sums tie: a victim of the lowest
// possible priority adds nothing to the sum.
func TestFewerVictims(t *testing.T) {
	lowest := int32(-2147483648)
	pod := func(name, node, cpu string) *outrank.Pod {
		return &outrank.Pod{Name: name, NodeName: node, Priority: &lowest, Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}}
	}
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{
			{Name: "two", Allocatable: resource.MustList("cpu", "2", "pods", "9")},
			{Name: "one", Allocatable: resource.MustList("cpu", "2", "pods", "9")},
		},
		Pods: []*outrank.Pod{pod("a", "two", "1"), pod("b", "two", "1"), pod("c", "one", "2")},
	}
	ex := explain(t, c, &outrank.Pod{Name: "p", Containers: []outrank.Container{{Requests: resource.MustList("cpu", "2")}}})
	assert.Equal(t, "one", ex.Node)
	assert.Equal(t, preemption.ByVictims.Name, ex.DecidedBy)
}

func TestTexts(t *testing.T) {
	for got, want := range map[string]string{
		preemption.Success.String():                                                             "success",
		preemption.Contradiction.String():                                                       "contradiction",
		preemption.Status{}.String():                                                            "success",
		preemption.Status{Code: preemption.Unschedulable, Filter: "F"}.String():                 "F: ",
		preemption.Status{Code: preemption.Unschedulable, Reasons: []string{"a", "b"}}.String(): "a, b",
	} {
		assert.Equal(t, want, got)
	}
}
