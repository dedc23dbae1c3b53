package preemption_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// crowds are ways to have many budgets over many pods: what the i-th budget asks
// for, and which labels the i-th pod has.
var crowds = []struct {
	name     string
	selector func(i int) *outrank.LabelSelector
	labels   func(i int) map[string]string
	// all is set where every budget covers every pod, else each covers one.
	all bool
}{
	{
		"pods alike",
		func(int) *outrank.LabelSelector { return &outrank.LabelSelector{Labels: map[string]string{"app": "x"}} },
		func(int) map[string]string { return map[string]string{"app": "x"} }, true,
	},
	{
		"a label of each pod's own",
		func(int) *outrank.LabelSelector { return &outrank.LabelSelector{Labels: map[string]string{"app": "x"}} },
		func(i int) map[string]string { return map[string]string{"app": "x", "index": fmt.Sprint(i)} }, true,
	},
	{
		"a value of each pod's own",
		func(int) *outrank.LabelSelector { return expecting("app", outrank.Exists) },
		func(i int) map[string]string { return map[string]string{"app": fmt.Sprint("v", i)} }, true,
	},
	{
		"a label each",
		func(i int) *outrank.LabelSelector {
			return &outrank.LabelSelector{Labels: map[string]string{"app": fmt.Sprint("v", i)}}
		},
		func(i int) map[string]string { return map[string]string{"app": fmt.Sprint("v", i)} }, false,
	},
	{
		"a value each",
		func(i int) *outrank.LabelSelector { return expecting("app", outrank.In, fmt.Sprint("v", i)) },
		func(i int) map[string]string { return map[string]string{"app": fmt.Sprint("v", i)} }, false,
	},
	{
		"a key each",
		func(i int) *outrank.LabelSelector { return expecting(fmt.Sprint("k", i), outrank.Exists) },
		func(i int) map[string]string { return map[string]string{fmt.Sprint("k", i): ""} }, false,
	},
}

func expecting(key string, op outrank.Operator, values ...string) *outrank.LabelSelector {
	return &outrank.LabelSelector{Expressions: []outrank.Requirement{{Key: key, Operator: op, Values: values}}}
}

// crowded is a cluster with n budgets over n pods.
func crowded(n int, selector func(int) *outrank.LabelSelector, labels func(int) map[string]string) *outrank.Cluster {
	const nodes = 10
	c := &outrank.Cluster{}
	for i := range nodes {
		c.Nodes = append(c.Nodes, &outrank.Node{Name: fmt.Sprint("n", i), Allocatable: resource.MustList("cpu", fmt.Sprint(n/nodes), "pods", fmt.Sprint(n))})
	}
	for i := range n {
		c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{Name: fmt.Sprint("b", i), Selector: selector(i)})
		c.Pods = append(c.Pods, &outrank.Pod{
			Name: fmt.Sprint("p", i), Labels: labels(i), NodeName: fmt.Sprint("n", i%nodes), Priority: outrank.Priority(0),
			Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "1")}},
		})
	}
	return c
}

// cost is what it takes to answer, beside how much text asks for it.
type cost struct {
	input, answer int
	// allocated counts all bytes of the snapshot and the explanation, so that it
	// bounds what is held at any time.
	allocated uint64
	took      time.Duration
}

func costOf(t *testing.T, c *outrank.Cluster) cost {
	var text bytes.Buffer
	require.NoError(t, outrank.WriteCluster(&text, c))
	p := &outrank.Pod{
		Name: "asks", Priority: outrank.Priority(1),
		Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", fmt.Sprint(len(c.Pods)/10))}},
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	e, err := newEvaluator(t, preemption.Config{}).Explain(context.Background(), newSnapshot(t, c), p, gen.Now)
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	said, err := json.Marshal(e)
	require.NoError(t, err)
	took := time.Since(start)
	require.Len(t, e.Victims, len(c.Pods)/10, "all pods of a node")
	require.Len(t, e.Candidates, 10)
	return cost{text.Len(), len(said), after.TotalAlloc - before.TotalAlloc, took}
}

// Thousands of budgets over thousands of pods take memory in proportion to the
// input, and time in proportion to how many budgets cover how many pods.
func TestManyBudgetsOverManyPods(t *testing.T) {
	const n, times = 500, 4
	for _, crowd := range crowds {
		t.Run(crowd.name, func(t *testing.T) {
			work := float64(times)
			if crowd.all {
				work *= times
			}
			few, many := crowded(n, crowd.selector, crowd.labels), crowded(times*n, crowd.selector, crowd.labels)
			least := [2]time.Duration{time.Hour, time.Hour}
			for range 8 {
				for i, c := range []*outrank.Cluster{few, many} {
					k := costOf(t, c)
					require.Less(t, k.allocated, uint64(10*k.input))
					require.Less(t, k.answer, 5*k.input)
					least[i] = min(least[i], k.took)
				}
				if float64(least[1]) < 2.5*work*float64(least[0]) {
					return // a machine with other work to do only makes it longer
				}
			}
			t.Errorf("%d budgets and pods take %v, %d take %v", n, least[0], times*n, least[1])
		})
	}
}

// Groups are charged budget by budget, in the order of their keys.
func TestManyBudgetsOverGroups(t *testing.T) {
	const n = 1000
	c := crowded(n, crowds[1].selector, crowds[1].labels)
	for i, b := range c.Budgets {
		b.Name = fmt.Sprintf("budget-%040d", n-i) // so long that a key needs memory
	}
	p := &outrank.Pod{
		Name: "asks", Priority: outrank.Priority(1),
		Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", fmt.Sprint(n/10))}},
	}
	snap, e := newSnapshot(t, before37(c)), newEvaluator(t, preemption.Config{})
	var plan *preemption.GroupPlan
	allocated := testing.AllocsPerRun(1, func() {
		var err error
		plan, err = e.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: []*outrank.Pod{p}, Now: gen.Now})
		require.NoError(t, err)
	})
	require.Len(t, plan.Victims, n/10)
	for _, v := range plan.Victims {
		require.Len(t, v.Violated, 1)
		require.Same(t, c.Budgets[n-1], v.Violated[0])
	}
	require.Less(t, allocated, 200.0*n, "not a text for each comparison of two budgets")
}
