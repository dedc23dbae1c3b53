package clustergen

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// Now returns the present time of generated clusters, to be used in requests. A few of their
// pods start after it.
func Now() time.Time { return draw.Now() }

// Shape says how large a generated cluster is and which features it has beyond nodes, pods and resources. Its
// zero value is a small cluster with resources alone. A cluster and its preemptor are generated with the same
// shape, and may have different seeds.
type Shape struct {
	// Nodes is the number of nodes; zero means 5.
	Nodes int
	// PodsPerNode is the largest number of pods on a node; zero means 6. Most nodes hold at
	// least half of that.
	PodsPerNode int
	// Budgets is the number of disruption budgets; zero means none. They overlap and allow little.
	Budgets int
	// Nominated is the number of pending pods with a nomination; zero means none, and that the preemptor has no
	// nomination either. In one cluster of four the preemptor itself is among the pending pods in addition.
	Nominated int
	// Groups is the number of pod groups; zero means none, and no pods in groups.
	Groups int

	// Taints brings taints, tolerations and cordoned nodes.
	Taints bool
	// Selectors brings node selectors, node affinity and node names.
	Selectors bool
	// Ports brings host ports.
	Ports bool
	// Affinity brings required pod affinity and anti-affinity.
	Affinity bool
	// Spread brings topology spread constraints.
	Spread bool
	// Volumes brings claims, disks and limits of attached volumes.
	Volumes bool
	// Features brings features that pods need and nodes declare. A shape with Taints to Features all
	// set also has nodes on which a resize must not preempt.
	Features bool

	// Fill is the share of a node that its pods request, in percent; zero means 95. Nodes differ from
	// it by up to 5. Above 100, pods request more than the node has. With Ports, Affinity, Spread or Volumes
	// every second node has twice as much allocatable, because otherwise resources would decide before
	// these filters do.
	Fill int
	// Priorities is the number of distinct priorities of pods on nodes; zero means
	// 4. The fewer there are, the more candidates tie.
	Priorities int
	// Sizes is the number of distinct amounts that the first containers of pods request; zero means 3.
	Sizes int
	// Starts is the number of distinct start times before Now; zero means 3.
	Starts int
}

// Full returns a small shape with everything in it.
func Full() Shape {
	return Shape{
		Budgets: 4, Nominated: 4, Groups: 2,
		Taints: true, Selectors: true, Ports: true, Affinity: true, Spread: true, Volumes: true, Features: true,
	}
}

// Limits of a [Shape].
const (
	maxNodes = 100_000
	// maxPods is the largest number of pods that a shape may ask for: Nodes times PodsPerNode, plus
	// Nominated.
	maxPods = 5_000_000
	// maxBudgets, maxGroups and maxDistinct are the largest numbers of budgets, of groups, and of
	// distinct priorities, sizes and start times.
	maxBudgets  = 100_000
	maxGroups   = 100_000
	maxDistinct = 10_000
	// maxFill is the largest Fill, in percent.
	maxFill = 200
)

// Validate returns one *[outrank.InputError] that names everything that is wrong with the shape:
// negative numbers, and numbers above the limits.
func (s Shape) Validate() error {
	s = s.withDefaults()
	var ps []outrank.Problem
	atMost := func(field string, value, limit int) {
		if value < 0 || value > limit {
			ps = append(ps, problem(field, "%d is not between 0 and %d", value, limit))
		}
	}

	atMost("Nodes", s.Nodes, maxNodes)
	atMost("PodsPerNode", s.PodsPerNode, maxPods)
	atMost("Nominated", s.Nominated, maxPods)
	atMost("Budgets", s.Budgets, maxBudgets)
	atMost("Groups", s.Groups, maxGroups)
	atMost("Fill", s.Fill, maxFill)
	atMost("Priorities", s.Priorities, maxDistinct)
	atMost("Sizes", s.Sizes, maxDistinct)
	atMost("Starts", s.Starts, maxDistinct)

	// Only numbers within their limits can be multiplied without an overflow.
	if pods := int64(s.Nodes)*int64(s.PodsPerNode) + int64(s.Nominated); len(ps) == 0 && pods > maxPods {
		ps = append(ps, problem("PodsPerNode", "%d nodes with %d pods each and %d nominated pods are more than %d pods",
			s.Nodes, s.PodsPerNode, s.Nominated, maxPods))
	}

	if len(ps) > 0 {
		return &outrank.InputError{Problems: ps}
	}
	return nil
}

func problem(field, format string, args ...any) outrank.Problem {
	return outrank.Problem{Object: "cluster shape", Field: field, Text: fmt.Sprintf(format, args...)}
}

func (s Shape) withDefaults() Shape {
	for _, d := range []struct {
		field *int
		value int
	}{
		{&s.Nodes, 5}, {&s.PodsPerNode, 6}, {&s.Fill, 95}, {&s.Priorities, 4}, {&s.Sizes, 3}, {&s.Starts, 3},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return s
}
