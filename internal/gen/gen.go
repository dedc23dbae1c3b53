// Package gen draws clusters that put preemption to the test: small, nearly
// full, and made of few distinct values, so that ties and conflicts are the rule.
//
// Clusters are drawn with rapid from small generators, one per subject, and
// shrink towards few pods that want little. Every cluster is valid: names
// are unique, amounts are not negative, and [outrank.Cluster.Validate] and
// [outrank.Pod.Validate] return nil. Budgets with selectors that cover
// nothing, nominations to nodes that do not exist and pods that have finished
// are part of it, for the real system lives with them too.
//
//	rapid.Check(t, func(t *rapid.T) {
//		shape := gen.Full()
//		cluster := gen.Cluster(shape).Draw(t, "cluster")
//		pod := gen.Preemptor(shape).Draw(t, "preemptor")
//		...
//	})
//
// Package preemption/clustergen has the generators for everybody else, which need
// a seed alone and do not shrink. The two share no code beyond [Benchmark]: what
// is drawn here is drawn in small steps, each of which rapid can make smaller.
package gen

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/preemption/clustergen"
)

// Now is the time at which generated clusters are looked at. A few of their
// pods start after it.
var Now = clustergen.Now()

// Shape says how large a cluster may get and what is in it beside nodes, pods
// and resources. The zero value is a shape for resources alone: up to 5 nodes
// with up to 6 pods each. A cluster and its preemptor are drawn with the same
// shape.
type Shape struct {
	// Nodes and PodsPerNode are maxima; zero means 5 and 6.
	Nodes, PodsPerNode int
	// Budgets is the most budgets there may be; zero means none.
	Budgets int
	// Nominated is the most pending pods with a nomination there may be; zero
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

	// Taints brings taints, tolerations and cordoned nodes; Selectors node
	// selectors, node affinity and node names; Ports host ports; Affinity
	// required pod affinity and anti-affinity; Spread topology spread
	// constraints; Volumes claims, disks and limits of attached volumes; Features
	// features that pods need and nodes declare.
	Taints, Selectors, Ports, Affinity, Spread, Volumes, Features bool
}

const preemptorName = "preemptor"

// Keys of node labels.
const (
	hostnameKey   = "kubernetes.io/hostname"
	zoneKey       = "topology.kubernetes.io/zone"
	rackKey       = "rack"
	diskKey       = "disk"
	generationKey = "generation"
)

// Full is a shape with everything in it.
func Full() Shape {
	return Shape{
		Budgets: 4, Nominated: 4, Groups: 2,
		Taints: true, Selectors: true, Ports: true, Affinity: true, Spread: true, Volumes: true, Features: true,
	}
}

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

// nodeNames are the names nodes may get. A cluster has at least the first of
// them, so a name drawn from here is sometimes that of no node.
func (s Shape) nodeNames() []string {
	names := make([]string, s.Nodes)
	for i := range names {
		names[i] = fmt.Sprintf("n%d", i)
	}
	return names
}

// pick draws one of the options. Repeat an option to make it likelier; the
// first is what a failing case shrinks to.
func pick[T any](t *rapid.T, label string, options ...T) T {
	return rapid.SampledFrom(options).Draw(t, label)
}

// oneIn is true about once in n times, and shrinks to false.
func oneIn(t *rapid.T, label string, n int) bool {
	return rapid.IntRange(0, n-1).Draw(t, label) == n-1
}

// drawList draws up to most elements.
func drawList[T any](t *rapid.T, label string, most int, draw func(*rapid.T) T) []T {
	var list []T
	for range rapid.IntRange(0, most).Draw(t, label) {
		list = append(list, draw(t))
	}
	return list
}
