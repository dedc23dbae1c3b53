package gen

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
)

// Cluster draws a cluster. Its pods come in no particular order, and nodes are
// not in the order of their names.
func Cluster(shape Shape) *rapid.Generator[*outrank.Cluster] {
	s := shape.withDefaults()
	return rapid.Custom(func(t *rapid.T) *outrank.Cluster {
		kinds := rapid.SliceOfN(podKind(s), 2, 5).Draw(t, "kinds of pods")
		layouts := rapid.SliceOfN(layout(s, kinds), 1, 3).Draw(t, "layouts of nodes")
		count := rapid.IntRange(1, s.Nodes).Draw(t, "nodes")
		names := rapid.Permutation(s.nodeNames()[:count]).Draw(t, "node order")
		c := &outrank.Cluster{Namespaces: namespaces()}
		for _, name := range names {
			l := rapid.SampledFrom(layouts).Draw(t, "layout")
			c.Nodes = append(c.Nodes, l.node(t, s, name))
			c.Pods = append(c.Pods, l.residents(t, name)...)
		}
		c.Pods = append(c.Pods, bystanders(t, kinds)...)
		c.Pods = append(c.Pods, nominated(t, s, kinds)...)
		nameAll(c.Pods)
		c.Budgets = budgets(t, s, c.Pods)
		c.Groups = groups(t, s, c.Pods)
		if s.Units {
			c.Composites = composites(t, c.Groups)
			if rapid.Bool().Draw(t, "pods have the priority of their groups") {
				takeGroupPriorities(c)
			}
		}
		c.Pods = rapid.Permutation(c.Pods).Draw(t, "pod order")
		c.Release = pick(t, "release", append([]outrank.Release{0}, outrank.Releases()...)...)
		if s.Units && rapid.Bool().Draw(t, "units of victims") {
			c.Release = withUnits(rapid.Bool().Draw(t, "composite groups count"))
		}
		return c
	})
}

// namespaces are the namespaces of every cluster, with labels that namespace
// selectors ask for.
func namespaces() []*outrank.Namespace {
	return []*outrank.Namespace{
		{Name: "default", Labels: map[string]string{"env": "prod"}},
		{Name: "team-a", Labels: map[string]string{"env": "dev"}},
		{Name: "team-b"},
	}
}

// nameAll gives each pod without a name one that is free in its namespace. Every
// second pod has the same name as the one before it, if that is in another
// namespace.
func nameAll(pods []*outrank.Pod) {
	taken := map[outrank.Key]bool{}
	for i, p := range pods {
		if p.Name == "" {
			rename(p, fmt.Sprintf("p%02d", i-i%2))
		}
		if taken[p.Key()] {
			rename(p, fmt.Sprintf("p%02d", i))
		}
		taken[p.Key()] = true
	}
}
