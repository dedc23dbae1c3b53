package clustergen_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

func TestAllIsValid(t *testing.T) {
	odd := []clustergen.Shape{
		{Nodes: 1, PodsPerNode: 1, Budgets: 1, Nominated: 1, Groups: 1, Fill: 1, Priorities: 1, Sizes: 1, Starts: 1},
		{Nodes: 40, PodsPerNode: 2, Fill: 200, Priorities: 50, Sizes: 20, Starts: 100},
		{Nodes: 2, PodsPerNode: 400, Sizes: 10_000, Priorities: 10_000, Starts: 10_000},
	}
	for _, shape := range shapes {
		odd = append(odd, shape)
	}
	for _, shape := range odd {
		seeds := uint64(20)
		if shape.Sizes > 100 {
			seeds = 3
		}
		require.NoError(t, shape.Validate())
		for seed := range seeds {
			require.NoError(t, cluster(t, shape, seed).Validate(), "%+v seed %d", shape, seed)
			require.NoError(t, preemptor(t, shape, seed).Validate(), "%+v seed %d", shape, seed)
			for _, p := range preemptorGroup(t, shape, seed) {
				require.NoError(t, p.Validate(), "%+v seed %d", shape, seed)
			}
		}
	}
}

// census counts the objects in clusters of a shape.
type census struct {
	nodes, budgets, nominated, groups, mostOnNode int
	priorities, sizes, starts                     map[any]bool
	fills                                         []float64
}

func takeCensus(c *outrank.Cluster) census {
	s := census{
		nodes: len(c.Nodes), budgets: len(c.Budgets), groups: len(c.Groups),
		priorities: map[any]bool{}, sizes: map[any]bool{}, starts: map[any]bool{},
	}
	onNode, used := map[string]int{}, map[string]int64{}
	for _, p := range c.Pods {
		switch {
		case p.NodeName != "" && p.NodeName != "gone":
			onNode[p.NodeName]++
			s.mostOnNode = max(s.mostOnNode, onNode[p.NodeName])
			s.priorities[p.PriorityValue()] = true
			if !p.StartTime.IsZero() && !p.StartTime.After(clustergen.Now()) {
				s.starts[p.StartTime] = true
			}
			if !p.Finished() {
				used[p.NodeName] += p.RunningRequests(outrank.V1_36).Amount(resource.CPU)
			}
			if cpu := p.Containers[0].Requests.Amount(resource.CPU); cpu > 0 {
				s.sizes[cpu] = true
			}
		case p.NominatedNodeName != "" && p.Name != "preemptor":
			s.nominated++
		}
	}
	for _, n := range c.Nodes {
		if onNode[n.Name] > 2 {
			s.fills = append(s.fills, 100*float64(used[n.Name])/float64(n.Allocatable.Amount(resource.CPU)))
		}
	}
	return s
}

func TestNumbersOfTheShape(t *testing.T) {
	shape := clustergen.Shape{
		Nodes: 60, PodsPerNode: 20, Budgets: 7, Nominated: 11, Groups: 3, Fill: 80, Priorities: 6, Sizes: 5, Starts: 8,
	}
	for seed := range uint64(20) {
		s := takeCensus(cluster(t, shape, seed))
		assert.Equal(t, 60, s.nodes)
		assert.Equal(t, 7, s.budgets)
		assert.Equal(t, 11, s.nominated)
		assert.Equal(t, 3, s.groups)
		assert.LessOrEqual(t, s.mostOnNode, 20)
		assert.Greater(t, s.mostOnNode, 10)
		assert.Len(t, s.priorities, 6)
		assert.LessOrEqual(t, len(s.sizes), 5)
		assert.Greater(t, len(s.sizes), 2)
		assert.Len(t, s.starts, 8)
		for _, fill := range s.fills {
			assert.InDelta(t, 80, fill, 6)
		}
	}
}

func TestDefaultNumbers(t *testing.T) {
	for seed := range uint64(100) {
		s := takeCensus(cluster(t, clustergen.Shape{}, seed))
		assert.Equal(t, 5, s.nodes)
		assert.LessOrEqual(t, s.mostOnNode, 6)
		assert.LessOrEqual(t, len(s.priorities), 4)
		assert.LessOrEqual(t, len(s.starts), 3)
		assert.Zero(t, s.budgets+s.nominated+s.groups)
	}
}

func TestRefusedShapes(t *testing.T) {
	for _, bad := range []struct {
		shape clustergen.Shape
		want  string
	}{
		{clustergen.Shape{Nodes: -1}, "cluster shape: Nodes: -1 is not between 0 and 100000"},
		{clustergen.Shape{Nodes: math.MaxInt}, "cluster shape: Nodes: "},
		{clustergen.Shape{PodsPerNode: -2}, "cluster shape: PodsPerNode: -2 is not between 0 and 5000000"},
		{clustergen.Shape{Nodes: 100_000, PodsPerNode: 51}, "cluster shape: PodsPerNode: 100000 nodes with 51 pods each and 0 nominated pods are more than 5000000 pods"},
		{clustergen.Shape{Nominated: 5_000_000}, "cluster shape: PodsPerNode: 5 nodes with 6 pods each and 5000000 nominated pods are more than 5000000 pods"},
		{clustergen.Shape{Budgets: 100_001}, "cluster shape: Budgets: 100001 is not between 0 and 100000"},
		{clustergen.Shape{Nominated: math.MinInt}, "cluster shape: Nominated: "},
		{clustergen.Shape{Groups: 1 << 30}, "cluster shape: Groups: 1073741824 is not between 0 and 100000"},
		{clustergen.Shape{Fill: 201}, "cluster shape: Fill: 201 is not between 0 and 200"},
		{clustergen.Shape{Priorities: 10_001}, "cluster shape: Priorities: 10001 is not between 0 and 10000"},
		{clustergen.Shape{Sizes: -1}, "cluster shape: Sizes: -1 is not between 0 and 10000"},
		{clustergen.Shape{Starts: 10_001}, "cluster shape: Starts: 10001 is not between 0 and 10000"},
	} {
		_, err := clustergen.Cluster(bad.shape, 1)
		require.ErrorContains(t, err, bad.want)
		require.ErrorIs(t, err, outrank.ErrInvalid)
		_, err = clustergen.Preemptor(bad.shape, 1)
		require.ErrorContains(t, err, bad.want)
		_, err = clustergen.PreemptorGroup(bad.shape, 1)
		require.ErrorContains(t, err, bad.want)
	}
	_, _, err := clustergen.Benchmark(5, -1, 3)
	require.ErrorContains(t, err, "cluster shape: PodsPerNode: -1 is not between 0 and 5000000")
}

func TestRefusalNamesEveryField(t *testing.T) {
	err := clustergen.Shape{Nodes: -1, Budgets: -1, Fill: -1}.Validate()
	var input *outrank.InputError
	require.True(t, errors.As(err, &input))
	assert.Len(t, input.Problems, 3)
}
