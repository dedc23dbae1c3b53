package clusters

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

func groupName(i int) string { return fmt.Sprintf("g%d", i) }

// group draws the group with index i. Half of the groups are disrupted as a whole, half have a priority of
// their own, and most have a policy.
func (g *generator) group(i int) *outrank.PodGroup {
	s := g.numbers.Of("group", i)
	group := &outrank.PodGroup{
		Name:           groupName(i),
		Namespace:      draw.Pick(s, "group namespace", "default", "", "default", "team-a"),
		DisruptionMode: draw.Pick(s, "disruption", outrank.DisruptPodGroup, outrank.DisruptPodGroup, outrank.DisruptPod, ""),
	}
	if draw.OneIn(s, "has a priority", 2) {
		group.Priority = g.Priority(s)
	}
	group.Policy = draw.Pick(s, "policy", "", outrank.BasicPolicy, outrank.GangPolicy)
	if group.Policy == outrank.GangPolicy {
		group.MinCount = int32(s.Int("min count", 1, 4))
	}
	return group
}

// join puts every second pod into one of the groups or, with an index beyond the last one, into a group that
// does not exist. The pod's namespace does not matter.
func (g *generator) join(s draw.Source, p *outrank.Pod) {
	if g.Groups > 0 && draw.OneIn(s, "is in a group", 2) {
		p.Group = groupName(s.Int("group", 0, g.Groups))
	}
}
