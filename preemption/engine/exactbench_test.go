package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// denseNode is a full node with so many pods of four resources, drawn from a number: of
// sizes that repeat or all different, and a preemptor that needs a part of the node.
func denseNode(seed uint64, pods int, odd bool, priorities int) (*outrank.Cluster, *outrank.Pod) {
	r := rand.New(rand.NewPCG(seed, 110))
	c := &outrank.Cluster{}
	units := [...]struct {
		name resource.Name
		unit int64
		of   []int64
	}{
		{resource.CPU, 1, []int64{100, 250, 500, 1000, 2000}},
		{resource.Memory, 1 << 20, []int64{128, 256, 512, 1024, 2048, 4096}},
		{resource.EphemeralStorage, 1 << 20, []int64{0, 100, 500, 1000}},
		{"example.com/gpu", 1, []int64{0, 0, 0, 0, 1, 2}},
	}
	var used [4]int64
	draw := func() resource.List {
		l := resource.List{}
		for k, u := range units {
			v := u.of[r.IntN(len(u.of))]
			if odd && k < 3 {
				v = v/2 + r.Int64N(v+1)
			}
			used[k] += v * u.unit
			l[u.name] = amountOf(u.name, v*u.unit)
		}
		return l
	}
	for i := range pods {
		c.Pods = append(c.Pods, &outrank.Pod{
			Name: fmt.Sprintf("p%03d", i), NodeName: "n", Priority: outrank.Priority(int32(r.IntN(priorities)) * 100),
			StartTime: gen.Now.Add(-time.Duration(r.IntN(1e6)) * time.Second), Labels: map[string]string{"app": fmt.Sprint("a", r.IntN(12))},
			Containers: []outrank.Container{{Name: "c", Requests: draw()}},
		})
	}
	for i := range 3 {
		c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{
			Name: fmt.Sprint("b", i), DisruptionsAllowed: int32(i), Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": fmt.Sprint("a", i)}},
		})
	}
	offers, asks := resource.List{resource.Pods: resource.MustParse("250")}, resource.List{}
	share := 0.01 + 0.3*r.Float64()*r.Float64()
	for k, u := range units {
		offers[u.name] = amountOf(u.name, used[k])
		asks[u.name] = amountOf(u.name, int64(float64(used[k])*share*(0.5+r.Float64())))
	}
	c.Nodes = []*outrank.Node{{Name: "n", Allocatable: offers}}
	return c, &outrank.Pod{Name: "new", Priority: outrank.Priority(1000), Containers: []outrank.Container{{Name: "c", Requests: asks}}}
}

func amountOf(name resource.Name, v int64) resource.Quantity {
	if name == resource.CPU {
		return resource.MustParse(fmt.Sprint(v, "m"))
	}
	return resource.MustParse(fmt.Sprint(v))
}

// denseKinds are the sorts of dense nodes that are measured.
var denseKinds = []struct {
	name       string
	odd        bool
	priorities int
}{{"usual sizes, flat", false, 1}, {"usual sizes, four priorities", false, 4}, {"all sizes, flat", true, 1}, {"all sizes, four priorities", true, 4}}

// BenchmarkExactNode decides exactly about single nodes of 110 pods and four resources: the
// times of 500 nodes, drawn from the numbers from EXACT_FROM on, of EXACT_NODES in place of
// 500, and their search steps. It fails where the default limit leaves one open.
func BenchmarkExactNode(b *testing.B) {
	for _, kind := range denseKinds {
		b.Run(kind.name, func(b *testing.B) {
			from, nodes := numberOf(b, "EXACT_FROM", 0), numberOf(b, "EXACT_NODES", 500)
			e, greedy := newEvaluator(b, preemption.Config{Victims: preemption.Exact{}}), newEvaluator(b, preemption.Config{})
			var times []time.Duration
			var steps []int
			better := 0
			for b.Loop() {
				times, steps, better = times[:0], steps[:0], 0
				for i := range uint64(nodes) {
					c, p := denseNode(uint64(from)+i, 110, kind.odd, kind.priorities)
					snap := newSnapshot(b, c)
					begin := time.Now()
					plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
					times = append(times, time.Since(begin))
					require.NoError(b, err)
					if plan.Outcome != preemption.Preempts {
						continue
					}
					steps = append(steps, plan.Certificate.Steps)
					require.True(b, plan.Certificate.Optimal, "node %d: %v", uint64(from)+i, plan.Certificate)
					if usual, _ := greedy.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now}); plan.Score.PrioritySum < usual.Score.PrioritySum {
						better++
					}
				}
			}
			slices.Sort(times)
			slices.Sort(steps)
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "µs-p50")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "µs-p99")
			b.ReportMetric(float64(times[len(times)-1].Microseconds()), "µs-most")
			b.ReportMetric(float64(steps[len(steps)/2]), "steps-p50")
			b.ReportMetric(float64(steps[len(steps)*99/100]), "steps-p99")
			b.ReportMetric(float64(steps[len(steps)-1]), "steps-most")
			b.ReportMetric(float64(better), "better")
		})
	}
}

func numberOf(t testing.TB, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// Nodes that took the most steps of many thousand are solved within the limit.
func TestHardNodesAreSolved(t *testing.T) {
	for _, x := range []struct {
		kind  int
		nodes []uint64
	}{{0, []uint64{14840, 29094}}, {1, []uint64{31, 130, 324, 2064, 2574, 2599, 13355}}, {2, []uint64{238}}, {3, []uint64{52, 132, 270}}} {
		kind := denseKinds[x.kind]
		for _, seed := range x.nodes {
			c, p := denseNode(seed, 110, kind.odd, kind.priorities)
			plan, err := newEvaluator(t, preemption.Config{Victims: preemption.Exact{}}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
			require.NoError(t, err)
			require.True(t, plan.Certificate.Optimal, "%s %d: %v", kind.name, seed, plan.Certificate)
		}
	}
}
