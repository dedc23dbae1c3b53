package gen

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/clusters"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// withUnits returns release v1.37 with the gates under which victims are units, and on request with those for
// composite groups.
func withUnits(composites bool) outrank.Release {
	gates := map[string]bool{"GenericWorkload": true, "CompositePodGroup": composites, "TopologyAwareWorkloadScheduling": composites}
	r, err := outrank.V1_37.With(gates)
	if err != nil {
		panic(err)
	}
	return r
}

// composites draws up to four composite groups and puts some of the groups below them. Mostly they form trees
// of a few levels. Now and then a parent does not exist, a tree is too deep, or groups form a circle.
func composites(s draw.Source, groups []*outrank.PodGroup) []*outrank.CompositePodGroup {
	count := s.Int("composite groups", 0, 4)

	// A parent with a higher number cannot make a circle; an arbitrary one can. The number count stands for a
	// composite group that does not exist.
	parent := func(after int) string {
		if draw.OneIn(s, "any parent", 8) {
			after = 0
		}
		if after > count || !draw.OneIn(s, "has a parent", 2) {
			return ""
		}
		return fmt.Sprintf("c%d", s.Int("parent", after, count))
	}

	var list []*outrank.CompositePodGroup
	for i := range count {
		c := &outrank.CompositePodGroup{
			Name: fmt.Sprintf("c%d", i), Namespace: draw.Pick(s, "composite namespace", "default", "", "default", "team-a"),
			DisruptionMode: draw.Pick(s, "composite disruption", outrank.DisruptPodGroup, outrank.DisruptPod, ""),
			Policy:         outrank.BasicPolicy,
			Parent:         parent(i + 1),
		}

		if draw.OneIn(s, "composite has a priority", 2) {
			c.Priority = anyPriority(s)
		}

		list = append(list, c)
	}

	for _, g := range groups {
		g.Parent = parent(0)
	}
	return list
}

// takeGroupPriorities gives each pod of a group the priority that its unit has where composite groups count,
// as admission does: the priority of the top of the group's tree.
func takeGroupPriorities(c *outrank.Cluster) {
	groups, above := map[outrank.Key]*outrank.PodGroup{}, map[outrank.Key]*outrank.CompositePodGroup{}
	for _, g := range c.Groups {
		groups[g.Key()] = g
	}
	for _, g := range c.Composites {
		above[g.Key()] = g
	}

	for _, p := range c.Pods {
		g := groups[p.GroupKey()]
		if p.Group == "" || g == nil {
			continue
		}

		// Each level above overrides the priority below it. The bound ends a circle of parents.
		p.Priority = g.Priority
		for at, level := above[g.ParentKey()], 2; at != nil && level <= outrank.MaxGroupLevels; at, level = above[at.ParentKey()], level+1 {
			p.Priority = at.Priority
		}
	}
}

// anyPriority draws the priority of a pod on a node.
func anyPriority(s draw.Source) *int32 { return new(clusters.Shape).Priority(s) }
