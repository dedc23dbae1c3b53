package clustergen

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/tests/clusters"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// Cluster generates a cluster. Its pods are in no particular order, and its nodes are not in the order of their
// names. The error is that of [Shape.Validate].
func Cluster(shape Shape, seed uint64) (*outrank.Cluster, error) {
	if err := shape.Validate(); err != nil {
		return nil, err
	}
	return clusters.Cluster(shape.drawn(), draw.Seeded(seed)), nil
}

// Preemptor generates a pod that looks for a place in a cluster of the same shape. It outranks most pods there,
// and usually needs one to four of them to leave. The error is that of [Shape.Validate].
func Preemptor(shape Shape, seed uint64) (*outrank.Pod, error) {
	if err := shape.Validate(); err != nil {
		return nil, err
	}
	return clusters.Preemptor(shape.drawn(), draw.Seeded(seed)), nil
}

// PreemptorGroup generates the pods of a group that look for places in the cluster of the same shape and seed:
// one to four pods, alike or not, with the same priority and preemption policy. Now and then their group has
// pods in the cluster already, or does not exist, or they name no group. The error is that of [Shape.Validate].
func PreemptorGroup(shape Shape, seed uint64) ([]*outrank.Pod, error) {
	if err := shape.Validate(); err != nil {
		return nil, err
	}
	return clusters.PreemptorGroup(shape.drawn(), draw.Seeded(seed), true), nil
}

// minKinds is the least number of kinds of pods. There are at least as many kinds as sizes, so that every size
// occurs.
const minKinds = 4

// drawn returns the shape in the form of package clusters, with settings added that users cannot choose.
func (s Shape) drawn() clusters.Shape {
	s = s.withDefaults()
	return clusters.Shape{
		Nodes: s.Nodes, Named: draw.Nodes(s.Nodes), Least: (s.PodsPerNode + 1) / 2, Most: s.PodsPerNode,
		Kinds: max(minKinds, s.Sizes), Layouts: 3, Apart: 3,
		Budgets: s.Budgets, Nominated: s.Nominated, Groups: s.Groups, Nominates: s.Nominated > 0,
		Topics: filter.Topics{
			filter.Taints: s.Taints, filter.Selectors: s.Selectors, filter.Ports: s.Ports, filter.Affinity: s.Affinity,
			filter.Spread: s.Spread, filter.Volumes: s.Volumes, filter.Features: s.Features,
			// No field of Shape selects the remaining topic. It is on if all others are.
			filter.Rest: s.Taints && s.Selectors && s.Ports && s.Affinity && s.Spread && s.Volumes && s.Features,
		},
		Fill: s.Fill, Priorities: s.Priorities, Sizes: s.Sizes, Starts: s.Starts, OwnPriority: 1,
	}
}
