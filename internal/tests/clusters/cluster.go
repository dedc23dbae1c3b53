package clusters

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// Cluster draws a cluster. Its pods come in no particular order, and its nodes are not in the order of their
// names. A shape with fewer nodes gives the first of the same nodes, with the same pods on them. A shape
// without a topic gives the same nodes and pods without what the topic adds; only the room that is left on
// the nodes may differ.
func Cluster(shape Shape, numbers draw.Numbers) *outrank.Cluster {
	g := newGenerator(shape, numbers)
	kinds := g.kinds()
	shared := g.layouts(kinds)
	c := &outrank.Cluster{Namespaces: draw.Namespaces()}

	var pods []placedPod
	for i := range g.Nodes {
		l := g.layoutOf(kinds, shared, i)
		c.Nodes = append(c.Nodes, g.node(l, i))
		pods = append(pods, g.residents(l, i)...)
	}
	pods = append(pods, g.bystanders(kinds)...)
	pods = append(pods, g.nominated(kinds)...)

	c.Pods = inOrder(pods)
	running := slices.DeleteFunc(slices.Clone(c.Pods), func(p *outrank.Pod) bool { return p.NodeName == "" })

	for i := range g.Budgets {
		c.Budgets = append(c.Budgets, g.budget(i, running))
	}
	for i := range g.Groups {
		c.Groups = append(c.Groups, g.group(i))
	}
	return c
}

// placedPod is a pod with its place among the pods of the cluster. The place is drawn with the pod, so two
// pods keep their order when the cluster has fewer others.
type placedPod struct {
	*outrank.Pod
	place int
}

// placed draws the place of a pod.
func placed(s draw.Source, p *outrank.Pod) placedPod {
	return placedPod{p, s.Int("place", 0, 1<<30)}
}

// inOrder sorts pods by place. Pods of the same place stay in the order in which they were drawn.
func inOrder(pods []placedPod) []*outrank.Pod {
	slices.SortStableFunc(pods, func(a, b placedPod) int { return cmp.Compare(a.place, b.place) })
	list := make([]*outrank.Pod, len(pods))
	for i, p := range pods {
		list[i] = p.Pod
	}
	return list
}
