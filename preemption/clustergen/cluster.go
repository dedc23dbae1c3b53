package clustergen

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// generator is a valid shape, its defaults filled in, with a seed.
type generator struct {
	Shape
	seed uint64
}

func newGenerator(shape Shape, seed uint64) (*generator, error) {
	if err := shape.Validate(); err != nil {
		return nil, err
	}
	return &generator{shape.withDefaults(), seed}, nil
}

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

// placedPod is a pod with its place among the pods of the cluster: they are
// sorted by it. A pod keeps its place relative to others when there are fewer.
type placedPod struct {
	*outrank.Pod
	place uint64
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
