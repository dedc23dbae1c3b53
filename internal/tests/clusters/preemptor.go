package clusters

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// PreemptorName is the name of a single preemptor. The pods of a group are named after it, with a number
// behind it.
const PreemptorName = "preemptor"

// Preemptor draws a pod that looks for a place in a cluster of the same shape. It mostly outranks the pods
// that run there, and one to four of them must leave for it.
func Preemptor(shape Shape, numbers draw.Numbers) *outrank.Pod {
	return newGenerator(shape, numbers).preemptor(0)
}

// Lookalikes draws count preemptors that differ only in fields that filters read of a preemptor.
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

// preemptor draws one preemptor. Number 0 is the single one; higher numbers belong to a group.
func (g *generator) preemptor(number int) *outrank.Pod {
	return g.askOfFilters(g.plainPreemptor(number), number)
}

// plainPreemptor draws a preemptor without the fields that filters read, except for its requests.
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

// askOfFilters adds the fields that filters read of a preemptor.
func (g *generator) askOfFilters(p *outrank.Pod, number int) *outrank.Pod {
	for _, e := range g.entries {
		if e.Draw.Asking != nil {
			e.Draw.Asking(g.numbers.Of("preemptor for "+e.Name, number), g.Named, p)
		}
	}
	return p
}

// PreemptorGroup draws the pods of a group that look for places in a cluster of the same shape: one to four,
// equal or not, of one namespace, priority and preemption policy. Now and then they belong to a group that
// already has pods in the cluster, to one that does not exist, or to none. If known is set and they belong to
// a group that the cluster declares, they take its namespace and, if it has one, its priority.
func PreemptorGroup(shape Shape, numbers draw.Numbers, known bool) []*outrank.Pod {
	g := newGenerator(shape, numbers)
	s := g.numbers.Of("group of preemptors", 0)
	count, alike := s.Int("pods of the group", 1, 4), draw.OneIn(s, "all alike", 2)
	name := draw.Pick(s, "own group", "gang", "gang", "")

	// The index g.Groups stands for a group that does not exist.
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

		// What members of a group must share comes from the first one.
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
