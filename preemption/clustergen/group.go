package clustergen

import (
	"fmt"
	"math/rand/v2"

	"github.com/outrank-go/outrank"
)

func groupName(i int) string { return fmt.Sprintf("g%d", i) }

// group generates group i: most are disrupted as a whole, and some have a
// priority of their own.
func (g *generator) group(i int) *outrank.PodGroup {
	r := g.stream(ofGroups, i)
	group := &outrank.PodGroup{
		Name:           groupName(i),
		Namespace:      pick(r, "default", "", "default", "team-a"),
		DisruptionMode: pick(r, outrank.DisruptPodGroup, outrank.DisruptPodGroup, outrank.DisruptPod, ""),
	}
	if oneIn(r, 2) {
		group.Priority = g.residentPriority(r)
	}
	return group
}

// join puts every second pod in a group, wherever it is, or in one that does
// not exist.
func (g *generator) join(r *rand.Rand, p *outrank.Pod) {
	if g.Groups > 0 && oneIn(r, 2) {
		p.Group = groupName(r.IntN(g.Groups + 1))
	}
}
