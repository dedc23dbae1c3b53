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

// Shape says how large a cluster is and what is in it. All numbers are exact where they do not say
// otherwise.
type Shape struct {
	// Nodes is the number of nodes. Pods name any of Named nodes, so that those beyond Nodes do not
	// exist.
	Nodes int
	Named draw.Nodes
	// Least and Most are how many pods a node holds; one node in eight may hold fewer than Least.
	Least, Most int
	// Kinds is the number of kinds of pods. Layouts is the number of layouts that nodes share; one
	// node in Apart has a layout of its own, and none where that is 0.
	Kinds, Layouts, Apart int
	// Alike fills each node with equal pods of one kind, and has a pod that looks for a place ask
	// for several times what such a pod has.
	Alike bool

	Budgets, Nominated, Groups int
	// Nominates gives a pod that looks for a place a nomination in some cases, and has it be among
	// the pods that wait.
	Nominates bool
	// Topics are the subjects that are drawn beside nodes, pods and resources.
	Topics filter.Topics

	// Fill is the share of a node that its pods ask for, in percent. Where it is 0, a node has a
	// small amount to spare, or lacks one.
	Fill int
	// Priorities, Sizes and Starts are the numbers of distinct values. Where one is 0, there are
	// those that matter: equal ones, the limits of what an API server lets in, and some that
	// differ by the least step.
	Priorities, Sizes, Starts int
	// OwnPriority means that one running pod in so many has a priority of its own, and the others
	// that of their kind.
	OwnPriority int
}

// generator draws one cluster, or one pod for it.
type generator struct {
	Shape
	numbers draw.Numbers
	// entries are those of the filters for which the shape draws something.
	entries []*filter.Entry
}

func newGenerator(shape Shape, numbers draw.Numbers) *generator {
	return &generator{shape, numbers, shape.Topics.Drawn()}
}

// needsRoom reports whether resources would decide before a filter for which something is drawn.
func (g *generator) needsRoom() bool {
	for _, e := range g.entries {
		if e.Draw.Room {
			return true
		}
	}
	return false
}
