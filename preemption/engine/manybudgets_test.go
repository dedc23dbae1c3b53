package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/hostile"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/kube"
)

// cost is what it takes to answer, beside how much text asks for it.
type cost struct {
	input, answer int
	// allocated counts all bytes of the snapshot and the explanation, so that it
	// bounds what is held at any time.
	allocated uint64
}

func costOf(t *testing.T, c *outrank.Cluster, p *outrank.Pod) cost {
	var text bytes.Buffer
	require.NoError(t, kube.WriteCluster(&text, c))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	e, err := newEvaluator(t, preemption.Config{}).Explain(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	said, err := json.Marshal(e)
	require.NoError(t, err)
	require.Len(t, e.Victims, len(c.Pods)/10, "all pods of a node")
	require.Len(t, e.Candidates, 10)
	return cost{text.Len(), len(said), after.TotalAlloc - before.TotalAlloc}
}

// Thousands of budgets over thousands of pods take memory in proportion to the input. The
// time that they take is counted by internal/tests/structure/growth.
func TestManyBudgetsOverManyPods(t *testing.T) {
	for _, crowd := range hostile.Crowds {
		t.Run(crowd.Name, func(t *testing.T) {
			sizes := []int{500, 2000}
			for _, n := range sizes[:seeded.Sample(1, 2)] {
				k := costOf(t, crowd.Cluster(n), crowd.Asking(n))
				require.Less(t, k.allocated, uint64(10*k.input))
				require.Less(t, k.answer, 5*k.input)
			}
		})
	}
}

// Groups are charged budget by budget, in the order of the cluster.
func TestManyBudgetsOverGroups(t *testing.T) {
	const n = 1000
	crowd := hostile.Crowds[1]
	c := crowd.Cluster(n)
	for i, b := range c.Budgets {
		b.Name = fmt.Sprintf("budget-%040d", n-i) // another order than that of names
	}
	snap, e := newSnapshot(t, withGroups(c)), newEvaluator(t, preemption.Config{})
	var plan *preemption.GroupPlan
	allocated := testing.AllocsPerRun(1, func() {
		var err error
		plan, err = e.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: []*outrank.Pod{crowd.Asking(n)}, Now: gen.Now})
		require.NoError(t, err)
	})
	require.Len(t, plan.Victims, n/10)
	for _, v := range plan.Victims {
		require.Len(t, v.Violated, 1)
		require.Same(t, c.Budgets[0], v.Violated[0])
	}
	require.Less(t, allocated, 200.0*n, "nothing for each budget of each pod")
}
