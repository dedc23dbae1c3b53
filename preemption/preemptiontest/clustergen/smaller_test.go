package clustergen_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// A shape with fewer nodes gives the first nodes of a cluster, with the pods on
// them.
func TestFewerNodesAreTheFirstNodes(t *testing.T) {
	small, large := clustergen.Full(), clustergen.Full()
	small.Nodes, large.Nodes = 3, 8
	for seed := range uint64(100) {
		few, many := cluster(t, small, seed), cluster(t, large, seed)
		require.Equal(t, text(few.Nodes), text(many.Nodes[:3]))
		on := func(c *outrank.Cluster) []*outrank.Pod {
			return slices.DeleteFunc(slices.Clone(c.Pods), func(p *outrank.Pod) bool {
				return !slices.ContainsFunc(few.Nodes, func(n *outrank.Node) bool { return n.Name == p.NodeName })
			})
		}
		require.Equal(t, text(on(few)), text(on(many)), "seed %d", seed)
	}
}

// withoutFeatures removes everything that the features of a shape bring.
func withoutFeatures(c *outrank.Cluster) {
	for _, n := range c.Nodes {
		n.Allocatable, n.Taints, n.AttachLimits, n.MissingDrivers, n.Unschedulable = nil, nil, nil, nil, false
		n.DeclaredFeatures, n.DisableResizePreemption = nil, nil
		delete(n.Labels, outrank.RegionLabel)
		delete(n.Labels, outrank.BetaZoneLabel)
	}
	for _, p := range c.Pods {
		p.Affinity, p.Volumes = outrank.Affinity{}, nil
		for _, list := range [][]outrank.Container{p.Containers, p.InitContainers} {
			for i := range list {
				list[i].Ports = nil
			}
		}
	}
}

// Features add to nodes and pods and leave everything else as it is.
func TestFeaturesLeaveTheRest(t *testing.T) {
	for name, shape := range shapes {
		plain := shape
		plain.Taints, plain.Selectors, plain.Ports, plain.Affinity = false, false, false, false
		plain.Spread, plain.Volumes, plain.Features = false, false, false
		for seed := range uint64(seeded.Sample(12, 50)) {
			with, without := cluster(t, shape, seed), cluster(t, plain, seed)
			withoutFeatures(with)
			withoutFeatures(without)
			require.Equal(t, text(without), text(with), "%s seed %d", name, seed)
		}
	}
}

// Fewer budgets and groups are the first ones.
func TestFewerBudgetsAreTheFirst(t *testing.T) {
	for seed := range uint64(50) {
		few, many := cluster(t, clustergen.Shape{Budgets: 2}, seed), cluster(t, clustergen.Shape{Budgets: 6}, seed)
		require.Equal(t, text(few.Budgets), text(many.Budgets[:2]))
	}
}

// Ties between nodes and names that come twice are common.
func TestNodesAndNamesComeTwice(t *testing.T) {
	alike, names := 0, 0
	const clusters = 200
	for seed := range uint64(clusters) {
		c := cluster(t, clustergen.Shape{Starts: 1}, seed)
		seen, byName := map[string]bool{}, map[string]bool{}
		twice, twoNames := false, false
		for _, n := range c.Nodes {
			h := text(n.Allocatable)
			twice = twice || seen[h]
			seen[h] = true
		}
		for _, p := range c.Pods {
			twoNames = twoNames || byName[p.Name]
			byName[p.Name] = true
		}
		if twice {
			alike++
		}
		if twoNames {
			names++
		}
		assert.False(t, slices.IsSortedFunc(c.Nodes, func(a, b *outrank.Node) int { return slices.Compare([]byte(a.Name), []byte(b.Name)) }))
	}
	assert.Greater(t, alike, clusters*6/10, "clusters with two nodes of one layout")
	assert.Greater(t, names, clusters*6/10, "clusters with two pods of one name")
}
