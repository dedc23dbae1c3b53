package trace

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/workload"
	"github.com/outrank-go/outrank/examples/study/internal/devices"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
	"github.com/outrank-go/outrank/resource"
)

// kind is one of the sizes of generated pods.
type kind struct {
	weight    int // of 100 pods
	cpu       int64
	memoryMiB int64
}

var kinds = []kind{{50, 500, 1024}, {30, 1000, 4096}, {15, 4000, 8192}, {5, 8000, 16384}}

// gpuKinds are the amounts of GPU, in thousandths, that generated pods ask for if nodes have GPUs.
var gpuKinds = []struct {
	weight int // of 100 pods
	milli  int64
}{{40, 0}, {12, 300}, {18, 500}, {20, 1000}, {6, 2000}, {4, 4000}}

// shares are the percentages of generated pods by class. The classes are those of the openb traces.
var shares = []struct {
	weight int
	class  string
}{{55, "BE"}, {20, "Burstable"}, {20, "LS"}, {5, "Guaranteed"}}

// generate makes a trace (see [spec.Generate]).
func generate(g *spec.Generate, classes workload.Classes) (*Trace, error) {
	draw := &drawing{
		dice: rand.New(rand.NewPCG(g.Seed, 1)), gpus: int64(g.GPUs) * devices.Whole,
		requests: make([]resource.List, len(kinds)), priorities: map[string]*int32{},
	}
	for i, k := range kinds {
		draw.requests[i] = resource.MustList("cpu", fmt.Sprintf("%dm", k.cpu), "memory", fmt.Sprintf("%dMi", k.memoryMiB))
	}
	for _, s := range shares {
		value, ok := classes.Priority(s.class)
		if !ok {
			return nil, fmt.Errorf("%w: generated pods have the class %s, which the mapping leaves out", outrank.ErrInvalid, s.class)
		}
		draw.priorities[s.class] = outrank.Priority(value)
	}

	t := &Trace{Cluster: &outrank.Cluster{Nodes: draw.nodes(g.Nodes)}, Items: make([]workload.Item, g.Pods)}
	for i := range t.Items {
		t.Items[i] = draw.item(g, i)
	}
	slices.SortFunc(t.Items, func(a, b workload.Item) int {
		return cmp.Or(cmp.Compare(a.Arrival, b.Arrival), cmp.Compare(a.Pod.Name, b.Pod.Name))
	})
	return t, nil
}

// drawing draws the pods of a trace. Pods of the same kind share their requests.
type drawing struct {
	dice *rand.Rand
	// gpus is the amount of GPU of each node.
	gpus       int64
	requests   []resource.List   // by kind
	priorities map[string]*int32 // by class
}

// nodes makes the nodes, which are all equal.
func (d *drawing) nodes(n int) []*outrank.Node {
	var out []*outrank.Node
	for i := range n {
		n := &outrank.Node{Name: fmt.Sprintf("node-%07d", i), Allocatable: resource.MustList("cpu", "16", "memory", "64Gi", "pods", "110")}
		if d.gpus > 0 {
			n.Allocatable[workload.GPU] = resource.New(d.gpus)
		}
		out = append(out, n)
	}
	return out
}

// item draws the i-th pod. The order in which random numbers are drawn must not change, because a seed would
// then yield other pods.
func (d *drawing) item(g *spec.Generate, i int) workload.Item {
	class := shares[pick(d.dice, shares, func(j int) int { return shares[j].weight })].class
	requests := d.requests[pick(d.dice, kinds, func(j int) int { return kinds[j].weight })]
	arrival := time.Duration(d.dice.Float64() * g.Hours * float64(time.Hour)).Truncate(time.Second)
	duration := time.Duration(math.Min(d.dice.ExpFloat64(), 20) * g.Minutes * float64(time.Minute)).Truncate(time.Second)
	if d.gpus > 0 {
		kind := pick(d.dice, gpuKinds, func(j int) int { return gpuKinds[j].weight })
		requests = withGPUs(requests, min(gpuKinds[kind].milli, d.gpus))
	}

	return workload.Item{
		Class: class, Arrival: arrival, Duration: max(time.Second, duration),
		Pod: &outrank.Pod{
			Name: fmt.Sprintf("pod-%08d", i), Priority: d.priorities[class], PriorityClassName: class,
			Containers: []outrank.Container{{Name: "main", Requests: requests}},
		},
	}
}

// withGPUs returns requests with an amount of GPU added.
func withGPUs(l resource.List, milli int64) resource.List {
	if milli == 0 {
		return l
	}
	l = maps.Clone(l)
	l[workload.GPU] = resource.New(milli)
	return l
}

// pick draws an index by weights, which add up to 100.
func pick[T any](dice *rand.Rand, of []T, weight func(int) int) int {
	left := dice.IntN(100)
	for i := range of {
		if left -= weight(i); left < 0 {
			return i
		}
	}
	return len(of) - 1
}
