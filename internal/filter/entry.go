package filter

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/draw"
)

// Entry is all that this module knows of a filter beside its two checks.
type Entry struct {
	Name string
	// Draw makes random cases that matter to the filter.
	Draw Draw
}

// Draw makes what a filter looks at. A function that is nil draws nothing.
type Draw struct {
	// Topic is the field of shapes of clusters that brings what is drawn.
	Topic Topic
	// Running adds to a pod that runs, or is nominated, what the filter counts of other pods.
	Running func(s draw.Source, p *outrank.Pod)
	// Asking adds to a pod that looks for a place what the filter reads of it. The names of nodes
	// are those of the shape.
	Asking func(s draw.Source, nodes draw.Nodes, p *outrank.Pod)
	// Node adds to a node what the filter reads of it. The labels of draw.Topology are there
	// already.
	Node func(s draw.Source, n *outrank.Node)
	// Room is set where many nodes need room for the pod that asks, because resources would decide
	// before the filter does.
	Room bool
}

// Topic is a subject that shapes of clusters have a field for. Filters that read the same parts
// of pods share one.
type Topic string

// The topics. What has none is drawn where a shape has all of them.
const (
	Taints    Topic = "Taints"
	Selectors Topic = "Selectors"
	Ports     Topic = "Ports"
	Affinity  Topic = "Affinity"
	Spread    Topic = "Spread"
	Volumes   Topic = "Volumes"
	Features  Topic = "Features"
)

// Drawn returns the entries whose draws a shape with these topics asks for.
func Drawn(topics map[Topic]bool) []*Entry {
	all := true
	for _, has := range topics {
		all = all && has
	}
	return slices.DeleteFunc(Entries(), func(e *Entry) bool {
		return !topics[e.Draw.Topic] && (e.Draw.Topic != "" || !all)
	})
}

// alike draws the same for a pod that asks as for one that runs.
func alike(running func(draw.Source, *outrank.Pod)) func(draw.Source, draw.Nodes, *outrank.Pod) {
	return func(s draw.Source, _ draw.Nodes, p *outrank.Pod) { running(s, p) }
}
