package gen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Crowd draws a cluster in which bounds decide how much is searched: many nodes that tie in their lowest
// priority, with many pods of few sizes. It also draws a preemptor for it.
func Crowd(t *rapid.T) (*outrank.Cluster, *outrank.Pod) {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	priorities := rapid.SampledFrom([][]int32{
		{0, 0, 0, 10, 100}, {math.MinInt32, math.MinInt32, -5, 0},
		{0, 0, 1, 2}, // neighbours, with no priority between them
	}).Draw(t, "priorities")
	most := rapid.IntRange(1, 16).Draw(t, "most pods")

	// With few sizes, many nodes need the same number of victims.
	step, sizes := rapid.SampledFrom([]int64{1, 300, 1000}).Draw(t, "step"), rapid.SampledFrom([]int64{1, 2, 5}).Draw(t, "sizes")

	c := &outrank.Cluster{}
	for i := range rapid.IntRange(1, 40).Draw(t, "nodes") {
		c.Nodes = append(c.Nodes, crowdStyle{step, sizes, priorities}.node(r, c, i, 1+r.IntN(most)))
	}

	// With eight budgets every pod is covered by one. Where none allows a disruption, every node violates
	// budgets, and nodes are compared by their most important victims.
	allowed := rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "allowed")
	for i := range rapid.SampledFrom([]int{0, 4, 8, 8}).Draw(t, "budgets") {
		c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{
			Name: fmt.Sprint("b", i), DisruptionsAllowed: int32(r.IntN(1 + allowed)),
			Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": fmt.Sprint(i)}},
		})
	}

	p := &outrank.Pod{Name: "asker", Priority: outrank.Priority(rapid.SampledFrom([]int32{5, 50, 1000}).Draw(t, "priority"))}
	p.Containers = []outrank.Container{{Name: "c", Requests: resource.List{
		resource.CPU:    resource.NewMilli(step * rapid.Int64Range(0, 40).Draw(t, "cpu")),
		resource.Memory: resource.New(step * rapid.Int64Range(0, 12).Draw(t, "memory")),
	}}}
	return c, p
}

// crowdStyle says what pods of a crowd look like. Their amounts are one of sizes multiples of step, and their
// priority is one of priorities.
type crowdStyle struct {
	step, sizes int64
	priorities  []int32
}

// size draws the amount of a resource that a pod requests. A single size is not 0, because otherwise no pod
// would request anything.
func (s crowdStyle) size(r *rand.Rand) int64 {
	if s.sizes == 1 {
		return s.step
	}
	return s.step * r.Int64N(s.sizes)
}

// crowdedStart draws a start time: close to now, an hour ago by differences of nanoseconds, or any minute of
// the last hundred.
func crowdedStart(r *rand.Rand) time.Time {
	switch r.IntN(3) {
	case 0:
		return Now.Add(-time.Duration(r.IntN(3)) * time.Second / 2)
	case 1:
		return Now.Add(-time.Hour + time.Duration(r.IntN(4)))
	}
	return Now.Add(-time.Duration(r.IntN(100)) * time.Minute)
}

// node draws the node with index i and adds its pods, of which there are as many as given, to the cluster.
// The node has little room beside them.
func (s crowdStyle) node(r *rand.Rand, c *outrank.Cluster, i, pods int) *outrank.Node {
	n := &outrank.Node{Name: fmt.Sprint("n", i), Labels: map[string]string{"zone": fmt.Sprint(i % 3)}}

	var sum resource.List
	for j := range pods {
		p := &outrank.Pod{
			Name: fmt.Sprintf("p%d-%d", i, j), NodeName: n.Name, Labels: map[string]string{"app": fmt.Sprint(r.IntN(8))},
			Priority: outrank.Priority(s.priorities[r.IntN(len(s.priorities))]),
		}
		if r.IntN(50) > 0 {
			p.StartTime = crowdedStart(r)
		}

		p.Containers = []outrank.Container{{Name: "c", Requests: resource.List{
			resource.CPU: resource.NewMilli(s.size(r)), resource.Memory: resource.New(s.size(r)),
		}}}

		sum = sum.Plus(p.Containers[0].Requests)
		c.Pods = append(c.Pods, p)
	}

	room := resource.List{
		resource.CPU: resource.NewMilli(s.step * r.Int64N(3)), resource.Memory: resource.New(s.step * r.Int64N(3)),
		resource.Pods: resource.New(int64(pods + r.IntN(2))),
	}

	n.Allocatable = sum.Plus(room)
	return n
}
