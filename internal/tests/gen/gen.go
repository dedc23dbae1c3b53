// Package gen draws clusters that put preemption to the test, for the tests of this module: small,
// nearly full, and made of few distinct values, so that ties and conflicts are the rule.
//
// Clusters are drawn by internal/tests/clusters, whose numbers come from rapid here, and shrink towards
// few pods that want little. Every cluster is valid: names are unique, amounts are not negative,
// and [outrank.Cluster.Validate] and [outrank.Pod.Validate] return nil. Budgets with selectors that
// cover nothing, nominations to nodes that do not exist and pods that have finished are part of
// it, for the real system lives with them too.
//
//	rapid.Check(t, func(t *rapid.T) {
//		shape := gen.Full()
//		cluster := gen.Cluster(shape).Draw(t, "cluster")
//		pod := gen.Preemptor(shape).Draw(t, "preemptor")
//		...
//	})
//
// Package preemption/preemptiontest/clustergen draws with the same functions, from a seed alone, for everybody
// else.
package gen

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/tests/clusters"
	"github.com/outrank-go/outrank/internal/tests/draw"
	"pgregory.net/rapid"
)

// Now is the time at which generated clusters are looked at. A few of their
// pods start after it.
var Now = draw.Now()

// Shape says how large a cluster may get and what is in it beside nodes, pods
// and resources. The zero value is a shape for resources alone: up to 5 nodes
// with up to 6 pods each. A cluster and its preemptor are drawn with the same
// shape.
type Shape struct {
	// Nodes and PodsPerNode are maxima; zero means 5 and 6.
	Nodes, PodsPerNode int
	// Budgets is the largest number of budgets; zero means none.
	Budgets int
	// Nominated is the largest number of pending pods with a nomination; zero
	// means none, and a preemptor without one.
	Nominated int
	// Groups is the number of pod groups; zero means none.
	Groups int
	// Units draws composite groups above some of the groups, and for half of the
	// clusters a release with the gates under which victims are units.
	Units bool
	// Alike fills each node with up to 12 pods of one kind, or PodsPerNode, all
	// equal but for their starts, and has the preemptor ask for several times
	// what such a pod has: exact ties, and seven victims or more, are common.
	Alike bool

	// Each of these adds a subject. Taints adds taints, tolerations and cordoned nodes; Selectors adds node
	// selectors, node affinity and node names; Ports adds host ports; Affinity adds
	// required pod affinity and anti-affinity; Spread adds topology spread
	// constraints; Volumes adds claims, disks and limits of attached volumes; Features
	// adds features that pods need and nodes declare; Rest adds what is drawn for filters
	// of none of these subjects.
	Taints, Selectors, Ports, Affinity, Spread, Volumes, Features, Rest bool
}

// Full is a shape with everything in it.
func Full() Shape {
	return Shape{
		Budgets: 4, Nominated: 4, Groups: 2,
		Taints: true, Selectors: true, Ports: true, Affinity: true, Spread: true, Volumes: true, Features: true, Rest: true,
	}
}

// withDefaults returns the shape with defaults in the place of what is zero.
func (s Shape) withDefaults() Shape {
	if s.Nodes == 0 {
		s.Nodes = 5
	}
	if s.PodsPerNode == 0 {
		s.PodsPerNode = 6
		if s.Alike {
			s.PodsPerNode = 12
		}
	}
	return s
}

// asking returns the shape for a pod that looks for a place. It does not depend on how large the drawn
// cluster is.
func (s Shape) asking(from draw.Source) clusters.Shape {
	s = s.withDefaults()
	return clusters.Shape{
		Named: draw.Nodes(s.Nodes), Nominates: s.Nominated > 0, Groups: s.Groups, Alike: s.Alike,
		Topics: filter.Topics{
			filter.Taints: s.Taints, filter.Selectors: s.Selectors, filter.Ports: s.Ports, filter.Affinity: s.Affinity,
			filter.Spread: s.Spread, filter.Volumes: s.Volumes, filter.Features: s.Features,
			filter.Rest: s.Rest,
		},
		Priorities: s.rarely(from, "priorities", 4), Sizes: s.rarely(from, "sizes", 3),
	}
}

// rarely returns the number in one case of eight, and otherwise 0. For pods that are alike it always
// returns 0, because the features that it switches on make ties rarer.
func (s Shape) rarely(from draw.Source, label string, number int) int {
	if s.Alike || !draw.OneIn(from, label, 8) {
		return 0
	}
	return number
}

// cluster draws the exact numbers of a cluster. Mostly its values are the few that matter, and
// sometimes a number of values at equal distances.
func (s Shape) cluster(from draw.Source) clusters.Shape {
	s = s.withDefaults()
	c := s.asking(from)
	c.Nodes = from.Int("nodes", 1, s.Nodes)
	c.Budgets = from.Int("budgets", 0, s.Budgets)
	c.Nominated = from.Int("nominated", 0, s.Nominated)

	c.Least, c.Most = 2, s.PodsPerNode
	if s.Alike {
		c.Least = 6
	}
	c.Kinds = from.Int("kinds of pods", 2, 5)
	c.Layouts = from.Int("layouts of nodes", 1, 3)
	c.Apart = s.rarely(from, "layouts apart", 3)

	c.Fill = s.rarely(from, "fill", 95)
	c.Starts = s.rarely(from, "starts", 3)
	c.OwnPriority = 4 - s.rarely(from, "own priorities", 3)
	return c
}

// Cluster draws a cluster. Its pods come in no particular order, and nodes are
// not in the order of their names.
func Cluster(shape Shape) *rapid.Generator[*outrank.Cluster] {
	return rapid.Custom(func(t *rapid.T) *outrank.Cluster {
		from := numbers{t}
		c := clusters.Cluster(shape.cluster(from), from)
		c.Nodes = draw.Shuffled(from, "node order", c.Nodes)
		if shape.Units {
			c.Composites = composites(from, c.Groups)
			if draw.OneIn(from, "pods have the priority of their groups", 2) {
				takeGroupPriorities(c)
			}
		}
		c.Release = draw.Pick(from, "release", append([]outrank.Release{0}, outrank.Releases()...)...)
		if shape.Units && draw.OneIn(from, "units of victims", 2) {
			c.Release = withUnits(draw.OneIn(from, "composite groups count", 2))
		}
		return c
	})
}

// Preemptor draws a pod that looks for a place in a cluster of the same shape.
// It mostly outranks what is there and needs one to four pods to leave.
func Preemptor(shape Shape) *rapid.Generator[*outrank.Pod] {
	return rapid.Custom(func(t *rapid.T) *outrank.Pod {
		from := numbers{t}
		return clusters.Preemptor(shape.asking(from), from)
	})
}

// Lookalikes draws pods that look for a place and differ only in what filters look at.
func Lookalikes(shape Shape, count int) *rapid.Generator[[]*outrank.Pod] {
	return rapid.Custom(func(t *rapid.T) []*outrank.Pod {
		from := numbers{t}
		return clusters.Lookalikes(shape.asking(from), from, count)
	})
}

// PreemptorGroup draws the pods of a group that look for places in a cluster of
// the same shape: one to four, alike or not, of one priority and preemption
// policy. Now and then they are of a group that has pods in the cluster
// already.
func PreemptorGroup(shape Shape) *rapid.Generator[[]*outrank.Pod] {
	return rapid.Custom(func(t *rapid.T) []*outrank.Pod {
		from := numbers{t}
		return clusters.PreemptorGroup(shape.asking(from), from, false)
	})
}
