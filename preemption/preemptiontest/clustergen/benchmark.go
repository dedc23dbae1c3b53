package clustergen

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/clusters"
	"github.com/outrank-go/outrank/internal/tests/draw"
	"github.com/outrank-go/outrank/resource"
)

// benchmarkSeed makes every call of Benchmark draw the same numbers.
const benchmarkSeed = 20260110

// These numbers shape the benchmark cluster: how many values the label app and the label tier have, how many
// namespaces there are, and over how long pods have started.
const (
	apps       = 40
	tiers      = 3
	spaces     = 4
	startRange = 10_000_000 * time.Second
)

// benchmarkPriorities are the priorities of pods, each entry drawn with the same probability.
var benchmarkPriorities = []int32{0, 0, 0, 10, 10, 100, 100, 1000, 1000, 20000}

// Benchmark builds the cluster that the benchmarks of this module run on, and a preemptor. The same
// arguments give the same cluster: the given number of nodes, nearly full, with podsPerNode pods each,
// and the given number of budgets. The preemptor requests about as much as four of the pods and outranks
// nine in ten of them. All pods have started before [Now]. The error names numbers that are negative or
// above the limits of a [Shape].
func Benchmark(nodes, podsPerNode, budgets int) (*outrank.Cluster, *outrank.Pod, error) {
	if err := (Shape{Nodes: nodes, PodsPerNode: podsPerNode, Budgets: budgets}).Validate(); err != nil {
		return nil, nil, err
	}
	r := rand.New(rand.NewPCG(benchmarkSeed, benchmarkSeed))
	c := &outrank.Cluster{}
	for i := range spaces {
		c.Namespaces = append(c.Namespaces, &outrank.Namespace{Name: benchmarkNamespace(i)})
	}
	for i := range nodes {
		n := &outrank.Node{Name: fmt.Sprintf("node-%05d", i)}
		n.Labels = map[string]string{draw.HostnameKey: n.Name}
		var sum resource.List
		for j := range podsPerNode {
			p := benchmarkPod(r, n.Name, i*podsPerNode+j)
			sum = sum.Plus(p.Containers[0].Requests)
			c.Pods = append(c.Pods, p)
		}
		n.Allocatable = benchmarkAllocatable(r, sum)
		c.Nodes = append(c.Nodes, n)
	}
	for i := range budgets {
		c.Budgets = append(c.Budgets, benchmarkBudget(i))
	}
	return c, benchmarkPreemptor(), nil
}

func benchmarkNamespace(i int) string { return fmt.Sprintf("team-%d", i%spaces) }

func benchmarkPod(r *rand.Rand, node string, index int) *outrank.Pod {
	return &outrank.Pod{
		Name:      fmt.Sprintf("pod-%06d", index),
		Namespace: benchmarkNamespace(r.IntN(spaces)),
		UID:       fmt.Sprintf("uid-%06d", index),
		Labels: map[string]string{
			"app":  fmt.Sprintf("app-%d", r.IntN(apps)),
			"tier": fmt.Sprintf("tier-%d", r.IntN(tiers)),
		},
		NodeName:   node,
		Phase:      outrank.PhaseRunning,
		Priority:   outrank.Priority(benchmarkPriorities[r.IntN(len(benchmarkPriorities))]),
		StartTime:  Now().Add(-time.Duration(1+r.Int64N(int64(startRange/time.Second))) * time.Second),
		Containers: []outrank.Container{{Name: "main", Requests: benchmarkRequests(r)}},
	}
}

// benchmarkRequests draws requests of 100m to 1400m cpu, 128Mi to 2Gi memory and 256Mi to 2Gi
// ephemeral storage, each in equal steps.
func benchmarkRequests(r *rand.Rand) resource.List {
	return resource.List{
		resource.CPU:              resource.NewMilli(100 * (1 + r.Int64N(14))),
		resource.Memory:           mebibytes(128 * (1 + r.Int64N(16))),
		resource.EphemeralStorage: mebibytes(256 * (1 + r.Int64N(8))),
	}
}

// benchmarkAllocatable returns the allocatable resources of a node whose pods request sum in all. It leaves 0
// to 900m cpu and less than 1Gi memory free.
func benchmarkAllocatable(r *rand.Rand, sum resource.List) resource.List {
	spare := resource.List{
		resource.CPU:    resource.NewMilli(100 * r.Int64N(10)),
		resource.Memory: mebibytes(128 * r.Int64N(8)),
		resource.Pods:   resource.New(110),
	}
	return sum.Plus(spare)
}

func benchmarkBudget(i int) *outrank.PodDisruptionBudget {
	return &outrank.PodDisruptionBudget{
		Name:               fmt.Sprintf("budget-%d", i),
		Namespace:          benchmarkNamespace(i),
		Selector:           &outrank.LabelSelector{MatchLabels: map[string]string{"app": fmt.Sprintf("app-%d", i)}},
		DisruptionsAllowed: int32(i % 3),
	}
}

func benchmarkPreemptor() *outrank.Pod {
	return &outrank.Pod{
		Name:      clusters.PreemptorName,
		Namespace: benchmarkNamespace(0),
		Priority:  outrank.Priority(10_000),
		Containers: []outrank.Container{{
			Name:     "main",
			Requests: resource.MustList("cpu", "4", "memory", "6Gi", "ephemeral-storage", "4Gi"),
		}},
	}
}

func mebibytes(n int64) resource.Quantity { return resource.NewBinary(n << 20) }
