package clusters

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// PreemptorName is the name of a pod that looks for a place, and the first part of the names of
// several.
const PreemptorName = "preemptor"

// Preemptor draws a pod that looks for a place in a cluster of the same shape. It mostly outranks
// what is there and needs one to four pods to leave.
func Preemptor(shape Shape, numbers draw.Numbers) *outrank.Pod {
	return newGenerator(shape, numbers).preemptor(0)
}

// Lookalikes draws pods that differ in nothing but what filters read of pods that look for a place.
func Lookalikes(shape Shape, numbers draw.Numbers, count int) []*outrank.Pod {
	g := newGenerator(shape, numbers)
	plain, pods := g.plainPreemptor(0), make([]*outrank.Pod, count)
	for i := range pods {
		p := *plain
		p.Containers, p.InitContainers = slices.Clone(p.Containers), slices.Clone(p.InitContainers)
		pods[i] = g.askOfFilters(&p, i)
	}
	return pods
}

// preemptor draws the pod with this number: 0 is one by itself, others are those of a group.
func (g *generator) preemptor(number int) *outrank.Pod {
	return g.askOfFilters(g.plainPreemptor(number), number)
}

// plainPreemptor is that pod without what filters read, but for its requests.
func (g *generator) plainPreemptor(number int) *outrank.Pod {
	s := g.numbers.Of("preemptor", number)
	p := &outrank.Pod{
		Name:             PreemptorName,
		Namespace:        draw.Namespace(s),
		Labels:           draw.Labels(s),
		Priority:         g.askingPriority(s),
		PreemptionPolicy: policy(s),
	}
	if g.Alike {
		p.Containers = []outrank.Container{{Name: "c0", Requests: units(s)}}
	} else {
		demand(s, p, g.askingRequests(s))
	}
	if s := g.numbers.Of("nomination of the preemptor", number); g.Nominates && draw.OneIn(s, "was nominated", 2) {
		p.NominatedNodeName = g.nomination(s)
	}
	return p
}

// askOfFilters adds what the entries read of a pod that looks for a place.
func (g *generator) askOfFilters(p *outrank.Pod, number int) *outrank.Pod {
	for _, e := range g.entries {
		if e.Draw.Asking != nil {
			e.Draw.Asking(g.numbers.Of("preemptor for "+e.Name, number), g.Named, p)
		}
	}
	return p
}

// PreemptorGroup draws the pods of a group that look for places in a cluster of the same shape: one
// to four, alike or not, of one priority and preemption policy. Now and then they are of a group
// that has pods in the cluster, or of one that does not exist, or name none. With known, those of a
// group of the cluster with the same numbers have its namespace and, if it has one, its priority.
func PreemptorGroup(shape Shape, numbers draw.Numbers, known bool) []*outrank.Pod {
	g := newGenerator(shape, numbers)
	s := g.numbers.Of("group of preemptors", 0)
	count, alike := s.Int("pods of the group", 1, 4), draw.OneIn(s, "all alike", 2)
	name := draw.Pick(s, "own group", "gang", "gang", "")
	first := g.preemptor(1)
	if g.Groups > 0 && draw.OneIn(s, "a group of the cluster", 2) {
		i := s.Int("which", 0, g.Groups)
		if name = groupName(i); known && i < g.Groups {
			belong(first, g.group(i))
		}
	}
	pods := make([]*outrank.Pod, count)
	for i := range pods {
		p := *first
		if i > 0 && !alike {
			p = *g.preemptor(1 + i)
		}
		p.Namespace, p.Priority, p.PreemptionPolicy = first.Namespace, first.Priority, first.PreemptionPolicy
		draw.Rename(&p, fmt.Sprintf("%s-%d", PreemptorName, i))
		p.Group = name
		pods[i] = &p
	}
	return pods
}

// belong gives the pod the namespace of the group and the priority that the group has, if it has
// one.
func belong(p *outrank.Pod, group *outrank.PodGroup) {
	p.Namespace = group.Namespace
	if group.Priority != nil {
		p.Priority = group.Priority
	}
}
