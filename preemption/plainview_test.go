package preemption_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// looking looks at a view when an attempt begins.
func looking(look func(view preemption.View)) preemption.Config {
	return preemption.Config{Filters: []*preemption.Filter{{Name: "Looking", Start: func(_ *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		look(view)
		return nil, nil
	}}}}
}

// A view shows the cluster as it is when an attempt begins.
func TestViews(t *testing.T) {
	x, y, z := pod("x", "a", 1, cpu("300m"), started(1)), pod("y", "a", 1, asks("cpu", "200m", "memory", "1Ki"), started(9)), pod("z", "a", 5)
	n, m, o := pod("n", "", 1, nominatedTo("a")), pod("m", "", 2, nominatedTo("a")), pod("o", "", 3, nominatedTo("b"))
	p := preemptor(nominatedTo("b"))
	c := clusterOf(
		node("b"), node("a"), x, y, z, n, m, o, p, pod("gone", "gone", 1), pod("lost", "", 1, nominatedTo("gone")),
		pod("done", "a", 1, cpu("1"), func(p *outrank.Pod) { p.Phase = outrank.PhaseSucceeded }),
	)
	looked := false
	explain(t, c, p, looking(func(view preemption.View) {
		looked = true
		assert.Equal(t, outrank.DefaultRelease, view.Release())
		assert.Equal(t, c.Nodes, slices.Collect(view.Nodes()))
		b, ok := view.Node("b")
		assert.True(t, ok)
		assert.Same(t, c.Nodes[0], b)
		_, ok = view.Node("gone")
		assert.False(t, ok)

		on := view.PodsOn("a")
		assert.Equal(t, []*outrank.Pod{z, y, x}, on, "by importance")
		on[0] = nil
		assert.Equal(t, []*outrank.Pod{z, y, x}, view.PodsOn("a"), "the slice is the caller's")
		assert.Empty(t, view.PodsOn("b"))
		assert.Empty(t, view.PodsOn("gone"))

		var nominated []string
		for q, at := range view.Nominated() {
			nominated = append(nominated, q.Name+" to "+at)
		}
		assert.Equal(t, []string{"p to b", "o to b", "m to a", "n to a"}, nominated, "node by node and by importance")
		for range view.Nominated() {
			break // whoever has seen enough stops
		}

		assert.Equal(t, int64(500), view.Used("a", resource.CPU), "millicores")
		assert.Equal(t, int64(1024), view.Used("a", resource.Memory))
		assert.Equal(t, int64(3), view.Used("a", resource.Pods))
		assert.Zero(t, view.Used("gone", resource.Pods))
	}))
	assert.True(t, looked)
}

// What pods use stops at the largest int64.
func TestViewsDoNotWrap(t *testing.T) {
	c := clusterOf(node("a"), pod("x", "a", 1, asks("memory", "7Ei")), pod("y", "a", 1, asks("memory", "7Ei")))
	explain(t, c, preemptor(), looking(func(view preemption.View) {
		assert.Equal(t, int64(1<<63-1), view.Used("a", resource.Memory))
	}))
}

// A view says which group a pod leaves with (rules 12.6.3 and 12.6.4).
func TestViewsKnowUnits(t *testing.T) {
	top := composite("top", 1, func(g *outrank.CompositePodGroup) { g.DisruptionMode = outrank.DisruptPodGroup })
	g, h, i := group("g", 1, whole), group("h", 1, below("top")), group("i", 1)
	x, y, z, w := pod("x", "a", 1, ofGroup("g")), pod("y", "a", 1, ofGroup("h")), pod("z", "a", 1, ofGroup("i")), pod("w", "", 1, ofGroup("g"))
	c := clusterOf(node("a"), g, h, i, top, x, y, z, w)
	look := func(view preemption.View) (found []any) {
		for _, p := range []*outrank.Pod{x, y, z, w, nil} {
			group, above := view.LeavesWith(p)
			found = append(found, group, above)
		}
		return found
	}
	var none *outrank.PodGroup
	var noTree *outrank.CompositePodGroup
	alone := []any{none, noTree, none, noTree, none, noTree, none, noTree, none, noTree}
	explain(t, c, preemptor(), looking(func(view preemption.View) { assert.Equal(t, alone, look(view)) }))
	c.Release = withGroups(t)
	together := slices.Clone(alone)
	together[0], together[3] = g, top
	explain(t, c, preemptor(), looking(func(view preemption.View) { assert.Equal(t, together, look(view)) }))
}

// namesOnNodes is the state of a tracker: who runs where.
type namesOnNodes map[string]string

func (s namesOnNodes) Add(p *outrank.Pod, n *outrank.Node)    { s[p.Name] = n.Name }
func (s namesOnNodes) Remove(p *outrank.Pod, _ *outrank.Node) { delete(s, p.Name) }
func (s namesOnNodes) Clone() preemption.ClusterState         { return maps.Clone(s) }

// A view tracks the running pods that a tracker is about.
func TestViewsTrack(t *testing.T) {
	c := clusterOf(node("a"), node("b"), pod("x", "a", 1, web), pod("y", "b", 1, web), pod("z", "b", 1), pod("n", "", 1, web, nominatedTo("a")))
	tracker := &preemption.Tracker{
		Concerns: func(p *outrank.Pod) bool { return p.Labels["app"] == "web" },
		New:      func() preemption.ClusterState { return namesOnNodes{} },
	}
	explain(t, c, preemptor(), looking(func(view preemption.View) {
		assert.Equal(t, namesOnNodes{"x": "a", "y": "b"}, view.Tracked(tracker))
		all := *tracker
		all.Concerns = nil
		assert.Equal(t, namesOnNodes{"x": "a", "y": "b", "z": "b"}, view.Tracked(&all))
		assert.Nil(t, view.Tracked(nil))
		assert.Nil(t, view.Tracked(&preemption.Tracker{}))
		assert.Nil(t, view.Tracked(&preemption.Tracker{New: func() preemption.ClusterState { return nil }}))
	}))
}
