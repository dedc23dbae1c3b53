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

// gpuKinds are the amounts of GPU of generated pods, in thousandths, where nodes have GPUs.
var gpuKinds = []struct {
	weight int // of 100 pods
	milli  int64
}{{40, 0}, {12, 300}, {18, 500}, {20, 1000}, {6, 2000}, {4, 4000}}

// shares are the percentages of generated pods by class; the classes are those of
// the openb traces.
var shares = []struct {
	weight int
	class  string
}{{55, "BE"}, {20, "Burstable"}, {20, "LS"}, {5, "Guaranteed"}}

// generate makes a trace (see [spec.Generate]).
func generate(g *spec.Generate, classes workload.Classes) (*Trace, error) {
	dice := rand.New(rand.NewPCG(g.Seed, 1))
	t := &Trace{Cluster: &outrank.Cluster{}}
	for i := range g.Nodes {
		n := &outrank.Node{Name: fmt.Sprintf("node-%07d", i), Allocatable: resource.MustList("cpu", "16", "memory", "64Gi", "pods", "110")}
		if g.GPUs > 0 {
			n.Allocatable[workload.GPU] = resource.New(int64(g.GPUs) * devices.Whole)
		}
		t.Cluster.Nodes = append(t.Cluster.Nodes, n)
	}
	requests := make([]resource.List, len(kinds))
	for i, k := range kinds {
		requests[i] = resource.MustList("cpu", fmt.Sprintf("%dm", k.cpu), "memory", fmt.Sprintf("%dMi", k.memoryMiB))
	}
	priorities := map[string]*int32{}
	for _, s := range shares {
		value, ok := classes.Priority(s.class)
		if !ok {
			return nil, fmt.Errorf("%w: generated pods have the class %s, which the mapping leaves out", outrank.ErrInvalid, s.class)
		}
		priorities[s.class] = outrank.Priority(value)
	}
	t.Items = make([]workload.Item, g.Pods)
	for i := range t.Items {
		class := pick(dice, shares, func(j int) int { return shares[j].weight })
		size := pick(dice, kinds, func(j int) int { return kinds[j].weight })
		t.Items[i] = workload.Item{
			Class:    shares[class].class,
			Arrival:  time.Duration(dice.Float64() * g.Hours * float64(time.Hour)).Truncate(time.Second),
			Duration: max(time.Second, time.Duration(math.Min(dice.ExpFloat64(), 20)*g.Minutes*float64(time.Minute)).Truncate(time.Second)),
			Pod: &outrank.Pod{
				Name: fmt.Sprintf("pod-%08d", i), Priority: priorities[shares[class].class], PriorityClassName: shares[class].class,
				Containers: []outrank.Container{{Name: "main", Requests: requests[size]}},
			},
		}
		if g.GPUs > 0 {
			kind := pick(dice, gpuKinds, func(j int) int { return gpuKinds[j].weight })
			t.Items[i].Pod.Containers[0].Requests = withGPUs(requests[size], min(gpuKinds[kind].milli, int64(g.GPUs)*devices.Whole))
		}
	}
	slices.SortFunc(t.Items, func(a, b workload.Item) int {
		return cmp.Or(cmp.Compare(a.Arrival, b.Arrival), cmp.Compare(a.Pod.Name, b.Pod.Name))
	})
	return t, nil
}

// withGPUs is a request with an amount of GPU more.
func withGPUs(l resource.List, milli int64) resource.List {
	if milli == 0 {
		return l
	}
	l = maps.Clone(l)
	l[workload.GPU] = resource.New(milli)
	return l
}

// pick draws an index by its weight; the weights add up to 100.
func pick[T any](dice *rand.Rand, of []T, weight func(int) int) int {
	left := dice.IntN(100)
	for i := range of {
		if left -= weight(i); left < 0 {
			return i
		}
	}
	return len(of) - 1
}
