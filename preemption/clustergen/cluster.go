package clustergen

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// Cluster generates a cluster. Its pods come in no particular order, and its
// nodes are not in the order of their names. The error is that of
// [Shape.Validate].
func Cluster(shape Shape, seed uint64) (*outrank.Cluster, error) {
	g, err := newGenerator(shape, seed)
	if err != nil {
		return nil, err
	}
	kinds := g.kinds()
	shared := g.layouts(kinds)
	c := &outrank.Cluster{Namespaces: namespaces()}
	var pods []placedPod
	for i := range g.Nodes {
		l := g.layoutOf(kinds, &shared, i)
		c.Nodes = append(c.Nodes, g.node(l, i))
		pods = append(pods, g.residents(l, i)...)
	}
	pods = append(pods, g.bystanders(kinds)...)
	pods = append(pods, g.nominated(kinds)...)
	c.Pods = inOrder(pods)
	for i := range g.Budgets {
		c.Budgets = append(c.Budgets, g.budget(i))
	}
	for i := range g.Groups {
		c.Groups = append(c.Groups, g.group(i))
	}
	return c, nil
}

// inOrder sorts pods by place, and by how they were generated where two are the
// same.
func inOrder(pods []placedPod) []*outrank.Pod {
	slices.SortStableFunc(pods, func(a, b placedPod) int {
		if a.place < b.place {
			return -1
		}
		if a.place > b.place {
			return 1
		}
		return 0
	})
	list := make([]*outrank.Pod, len(pods))
	for i, p := range pods {
		list[i] = p.Pod
	}
	return list
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
