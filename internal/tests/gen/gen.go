// Package gen draws clusters that put preemption to the test, for the tests of this module: small, nearly
// full, and made of few distinct values, so that ties and conflicts are the rule.
//
// The drawing is done by internal/tests/clusters, with numbers that come from rapid. Failing cases therefore
// shrink towards few pods with small requests. Every cluster is valid: names are unique, amounts are not
// negative, and [outrank.Cluster.Validate] and [outrank.Pod.Validate] return nil. Budgets with selectors that
// cover nothing, nominations to nodes that do not exist, and finished pods occur as well, because real
// clusters have them, too.
//
//	rapid.Check(t, func(t *rapid.T) {
//		shape := gen.Full()
//		cluster := gen.Cluster(shape).Draw(t, "cluster")
//		pod := gen.Preemptor(shape).Draw(t, "preemptor")
//		...
//	})
//
// Package preemption/preemptiontest/clustergen offers the same clusters, drawn from a seed, outside this
// module.
package gen

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/tests/clusters"
	"github.com/outrank-go/outrank/internal/tests/draw"
	"pgregory.net/rapid"
)

// Now is the time at which drawn clusters are decided about. A few of their pods start after it.
var Now = draw.Now()

// Shape says how large a cluster may get and what is in it beside nodes, pods and resources. The zero value
// draws nothing else: up to 5 nodes with up to 6 pods each. A cluster and its preemptor are drawn with the
// same shape.
type Shape struct {
	// Nodes and PodsPerNode are maxima; zero means 5 and 6.
	Nodes, PodsPerNode int
	// Budgets is the largest number of budgets; zero means none.
	Budgets int
	// Nominated is the largest number of pending pods with a nomination; zero
	// means none, and a preemptor without one.
	Nominated int
	// Groups is the exact number of pod groups; zero means none.
	Groups int
	// Units draws composite groups above some of the groups. Half of the clusters get a release with the
	// gates under which victims are units.
	Units bool
	// Alike fills each node with equal pods of one kind that differ in their starts alone: up to 12, or up to
	// PodsPerNode if that is set. The preemptor requests several times as much as one of them. So exact ties,
	// and decisions with seven or more victims, are common.
	Alike bool

	// Each of these adds a subject. Taints adds taints, tolerations and cordoned nodes; Selectors adds node
	// selectors, node affinity and node names; Ports adds host ports; Affinity adds required pod affinity and
	// anti-affinity; Spread adds topology spread constraints; Volumes adds claims, disks and limits of
	// attached volumes; Features adds features that pods need and nodes declare; Rest adds what the other
	// filters read.
	Taints, Selectors, Ports, Affinity, Spread, Volumes, Features, Rest bool
}

// Full returns a shape with every subject, and with budgets, nominated pods and groups.
func Full() Shape {
	return Shape{
		Budgets: 4, Nominated: 4, Groups: 2,
		Taints: true, Selectors: true, Ports: true, Affinity: true, Spread: true, Volumes: true, Features: true, Rest: true,
	}
}

// withDefaults returns the shape with the defaults filled in.
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

// asking returns the part of the shape that preemptors depend on. How large a cluster was drawn is no part of
// it, so that a preemptor can be drawn before or after its cluster.
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

// cluster draws the exact numbers of a cluster. Its values are mostly the few that are likely to expose
// mistakes; sometimes they are a number of values at equal distances.
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

// Cluster draws a cluster. Its pods come in no particular order, and its nodes are not in the order of their
// names.
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

// Preemptor draws a pod that looks for a place in a cluster of the same shape. It mostly outranks the pods
// that run there, and one to four of them must leave for it.
func Preemptor(shape Shape) *rapid.Generator[*outrank.Pod] {
	return rapid.Custom(func(t *rapid.T) *outrank.Pod {
		from := numbers{t}
		return clusters.Preemptor(shape.asking(from), from)
	})
}

// Lookalikes draws count preemptors that differ only in fields that filters read.
func Lookalikes(shape Shape, count int) *rapid.Generator[[]*outrank.Pod] {
	return rapid.Custom(func(t *rapid.T) []*outrank.Pod {
		from := numbers{t}
		return clusters.Lookalikes(shape.asking(from), from, count)
	})
}

// PreemptorGroup draws the pods of a group that look for places in a cluster of the same shape: one to four,
// equal or not, of one namespace, priority and preemption policy. Now and then their group already has pods
// in the cluster.
func PreemptorGroup(shape Shape) *rapid.Generator[[]*outrank.Pod] {
	return rapid.Custom(func(t *rapid.T) []*outrank.Pod {
		from := numbers{t}
		return clusters.PreemptorGroup(shape.asking(from), from, false)
	})
}
