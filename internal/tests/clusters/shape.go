// Package clusters answers what a cluster looks like that puts preemption to the test: nearly
// full, and made of few distinct values, so that ties and conflicts are the rule.
//
// It is the one generator of this module. Package preemption/preemptiontest/clustergen draws with it from seeds,
// internal/tests/gen from rapid; each says by a [Shape] how much there is of everything, and by
// [draw.Numbers] where the numbers come from. What matters to a filter is drawn by its entry in
// internal/filter.
package clusters

import (
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// Shape says how large a cluster is and what is in it. Numbers are exact unless their comment says otherwise.
type Shape struct {
	// Nodes is the number of nodes. Pods name nodes out of the first Named ones; if Named is larger than
	// Nodes, some of these do not exist.
	Nodes int
	Named draw.Nodes
	// Least and Most bound the number of pods on a node; one node in eight may hold fewer than Least.
	Least, Most int
	// Kinds is the number of kinds of pods, and Layouts the number of layouts that nodes share. One node in
	// Apart has a layout of its own; if Apart is 0, none has.
	Kinds, Layouts, Apart int
	// Alike fills each node with equal pods of one kind, and lets a preemptor request several times as much
	// as one of them.
	Alike bool

	// Budgets, Nominated and Groups are the numbers of budgets, of pending pods with a nomination, and of pod groups.
	Budgets, Nominated, Groups int
	// Nominates lets some preemptors have a nomination, or an entry among the pending pods.
	Nominates bool
	// Topics selects the subjects that are drawn beside nodes, pods and resources, such as taints or volumes.
	Topics filter.Topics

	// Fill is the percentage of a node's resources that its pods request. If it is 0, a node has a small
	// amount to spare or lacks one.
	Fill int
	// Priorities, Sizes and Starts are the numbers of distinct values, at equal distances. If one is 0, the
	// values are those most likely to expose a mistake: equal ones, the limits of what an API server accepts,
	// and neighbours.
	Priorities, Sizes, Starts int
	// OwnPriority is a ratio: one running pod in OwnPriority has a priority of its own, the others that of
	// their kind.
	OwnPriority int
}

// generator draws one cluster, or one pod for it.
type generator struct {
	Shape
	numbers draw.Numbers
	// entries are the filters for which the shape draws something.
	entries []*filter.Entry
}

func newGenerator(shape Shape, numbers draw.Numbers) *generator {
	return &generator{shape, numbers, shape.Topics.Drawn()}
}

// needsRoom reports whether the shape draws something for a filter that is only asked about nodes with enough
// resources.
func (g *generator) needsRoom() bool {
	for _, e := range g.entries {
		if e.Draw.Room {
			return true
		}
	}
	return false
}
