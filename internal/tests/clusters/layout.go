package clusters

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
	"github.com/outrank-go/outrank/resource"
)

// layout holds what nodes that look the same share: their allocatable resources, and their pods, which are
// copied for each node. Several nodes of one layout tie in every rank but the last.
type layout struct {
	pods        []*outrank.Pod
	allocatable resource.List
}

// layouts draws the layouts that several nodes share.
func (g *generator) layouts(kinds []*outrank.Pod) []layout {
	shared := make([]layout, g.Layouts)
	for i := range shared {
		shared[i] = g.layout(g.numbers.Of("layout", i), kinds)
	}
	return shared
}

// layoutOf chooses the layout of the node with index i: a shared one, or one that is drawn for it alone.
func (g *generator) layoutOf(kinds []*outrank.Pod, shared []layout, i int) layout {
	s := g.numbers.Of("layout of a node", i)
	if g.Apart > 0 && draw.OneIn(s, "apart", g.Apart) {
		return g.layout(s, kinds)
	}
	return draw.Pick(s, "layout", shared...)
}

func (g *generator) layout(s draw.Source, kinds []*outrank.Pod) layout {
	var l layout
	room := g.room(s)
	least := min(g.Least, g.Most)
	if !g.Alike && draw.OneIn(s, "few pods", 8) {
		least = 0
	}

	pod := func(s draw.Source) *outrank.Pod { return g.resident(s, kinds) }
	if g.Alike {
		kind := draw.Pick(s, "kind", kinds...)
		pod = func(draw.Source) *outrank.Pod { return kind }
	}

	l.pods = draw.List(s, "pods", draw.Between(least, g.Most), pod)
	l.allocatable = g.allocatable(l.pods, &room)
	return l
}

// node draws the node with index i, which offers what the layout says.
func (g *generator) node(l layout, i int) *outrank.Node {
	s := g.numbers.Of("node", i)
	n := &outrank.Node{Name: g.Named.Name(i), Labels: draw.Topology(s), Allocatable: l.allocatable.Clone()}
	if !draw.OneIn(s, "no hostname", 12) {
		n.Labels[draw.HostnameKey] = n.Name
	}

	for _, e := range g.entries {
		if e.Draw.Node != nil {
			e.Draw.Node(g.numbers.Of("node for "+e.Name, i), n)
		}
	}
	return n
}
