package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/amount"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// Headroom is the room that new pods of a class have of a resource, by amounts alone: what the nodes offer,
// minus what pods request that the class cannot push out. Cordoned nodes offer nothing.
type Headroom struct {
	// Class is the class. It is empty for the room that is free for any pod.
	Class string `json:"class,omitempty"`
	Value int32  `json:"value"`
	// Offered is what all nodes offer together. Free is what would be free on all nodes without the pods that
	// the class could push out, and OnOne the largest part of that on one node.
	Resource resource.Name     `json:"resource"`
	Offered  resource.Quantity `json:"offered"`
	Free     resource.Quantity `json:"free"`
	OnOne    resource.Quantity `json:"onOne"`
}

// text formats the amounts that are free on all nodes and on one node.
func (h *Headroom) text(format string) string {
	return fmt.Sprintf(format, amount.Text(h.Resource, h.Free), amount.Text(h.Resource, h.OnOne))
}

// findRoom computes the room of each class that preempts, resource by resource. It leaves out cordoned nodes,
// and counts them.
func (r *Report) findRoom(set *question.Setting) {
	r.Headroom = []Headroom{}
	snap := set.Snapshot
	var open []*outrank.Node
	names := map[resource.Name]bool{}

	for n := range snap.Nodes() {
		if n.Unschedulable {
			r.Closed++
			continue
		}
		open = append(open, n)
		for name, q := range n.Allocatable {
			if !q.IsZero() {
				names[name] = true
			}
		}
	}

	list := slices.Sorted(maps.Keys(names))
	slices.SortStableFunc(list, func(a, b resource.Name) int { return cmp.Compare(rank(a), rank(b)) })

	// The first level stands for pods of no class in particular, which push nobody out.
	levels := []*outrank.PriorityClass{{}}
	for _, c := range classesOf(set.Cluster) {
		if c.PreemptionPolicy != outrank.PreemptNever {
			levels = append(levels, c)
		}
	}
	for _, name := range list {
		r.Headroom = append(r.Headroom, roomOfResource(set, open, name, levels)...)
	}
}

// rank puts first the resources that nearly every pod requests.
func rank(name resource.Name) int {
	switch name {
	case resource.CPU:
		return 0
	case resource.Memory:
		return 1
	case resource.Pods:
		return 2
	}
	return 3
}

// taken is an amount that pods of one priority request.
type taken struct {
	priority int32
	amount   int64
}

// roomOfResource returns the room of one resource, level by level. The first level is the amount that is free
// for any pod.
func roomOfResource(set *question.Setting, open []*outrank.Node, name resource.Name, levels []*outrank.PriorityClass) []Headroom {
	snap := set.Snapshot
	free, onOne := make([]int64, len(levels)), make([]int64, len(levels))
	offered := int64(0)
	for _, n := range open {
		there := n.Allocatable.Amount(name)
		offered = resource.AddSat(offered, there)
		unused := resource.SubSat(there, snap.Used(n.Name, name))
		pods := takenOn(snap, n.Name, name)

		// On an overcommitted node the first pods to leave only make up for the excess. Such a node must not
		// reduce the room of the others, so that its negative amount is ignored.
		for i, c := range levels {
			room := unused
			for _, p := range pods {
				if i > 0 && p.priority < c.Value {
					room = resource.AddSat(room, p.amount)
				}
			}
			room = max(0, room)
			free[i] = resource.AddSat(free[i], room)
			onOne[i] = max(onOne[i], room)
		}
	}

	out := make([]Headroom, len(levels))
	for i, c := range levels {
		out[i] = Headroom{
			Class: c.Name, Value: c.Value, Resource: name,
			Offered: amount.Quantity(name, offered), Free: amount.Quantity(name, free[i]), OnOne: amount.Quantity(name, onOne[i]),
		}
	}
	return out
}

// takenOn lists the amounts of a resource that the pods on a node request. Each pod takes one place for pods.
func takenOn(snap *engine.Snapshot, node string, name resource.Name) (out []taken) {
	for _, p := range snap.PodsOn(node) {
		asked := int64(1)
		if name != resource.Pods {
			asked = resource.Amount(name, p.RunningRequestOf(snap.Release(), name))
		}
		if asked > 0 {
			out = append(out, taken{p.PriorityValue(), asked})
		}
	}
	return out
}
