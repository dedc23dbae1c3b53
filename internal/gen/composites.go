package gen

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"pgregory.net/rapid"
)

// withUnits is v1.37 with units of victims, and if wanted with composite groups.
func withUnits(composites bool) outrank.Release {
	gates := map[string]bool{"GenericWorkload": true, "CompositePodGroup": composites, "TopologyAwareWorkloadScheduling": composites}
	r, err := outrank.V1_37.With(gates)
	if err != nil {
		panic(err)
	}
	return r
}

// composites draws up to four composite groups, and puts some of the groups below them.
// Mostly they are trees of a few levels; now and then there is a parent that does not
// exist, a tree that is too deep, or a circle.
func composites(t *rapid.T, groups []*outrank.PodGroup) []*outrank.CompositePodGroup {
	count := rapid.IntRange(0, 4).Draw(t, "composite groups")
	parent := func(after int) string {
		if oneIn(t, "any parent", 8) {
			after = 0
		}
		if after > count || !rapid.Bool().Draw(t, "has a parent") {
			return ""
		}
		return fmt.Sprintf("c%d", rapid.IntRange(after, count).Draw(t, "parent"))
	}
	var list []*outrank.CompositePodGroup
	for i := range count {
		c := &outrank.CompositePodGroup{
			Name: fmt.Sprintf("c%d", i), Namespace: pick(t, "composite namespace", "default", "", "default", "team-a"),
			DisruptionMode: pick(t, "composite disruption", outrank.DisruptPodGroup, outrank.DisruptPod, ""),
			Policy:         outrank.BasicPolicy,
			Parent:         parent(i + 1),
		}
		if oneIn(t, "composite has a priority", 2) {
			c.Priority = residentPriority(t)
		}
		list = append(list, c)
	}
	for _, g := range groups {
		g.Parent = parent(0)
	}
	return list
}

// takeGroupPriorities gives pods the priority that they count with as victims
// where composite groups count, as admission does.
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
		p.Priority = g.Priority
		for at, level := above[g.ParentKey()], 2; at != nil && level <= outrank.MaxGroupLevels; at, level = above[at.ParentKey()], level+1 {
			p.Priority = at.Priority
		}
	}
}
