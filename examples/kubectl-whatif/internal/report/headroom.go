package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/amount"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/resource"
)

// Headroom is the room that new pods of a class have of a resource, by amounts alone: what the
// nodes offer less what pods ask for. Cordoned nodes offer none.
type Headroom struct {
	// Class is empty for the room that is free for anybody.
	Class string `json:"class,omitempty"`
	Value int32  `json:"value"`
	// Resource, Offered to all pods, and Free with the pods gone that the class could push out:
	// on all nodes, and most of it on one.
	Resource resource.Name     `json:"resource"`
	Offered  resource.Quantity `json:"offered"`
	Free     resource.Quantity `json:"free"`
	OnOne    resource.Quantity `json:"onOne"`
}

// text is the amounts for people.
func (h *Headroom) text(format string) string {
	return fmt.Sprintf(format, amount.Text(h.Resource, h.Free), amount.Text(h.Resource, h.OnOne))
}

// room counts the room of each class.
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

// usual puts the resources first that every pod asks for.
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

// taken is an amount that pods of one priority ask for.
type taken struct {
	priority int32
	amount   int64
}

// roomOf is the room of one resource, level by level; the first is for what is free for anybody.
func roomOfResource(set *question.Setting, open []*outrank.Node, name resource.Name, levels []*outrank.PriorityClass) []Headroom {
	release := set.Snapshot.Release()
	free, onOne, offered := make([]int64, len(levels)), make([]int64, len(levels)), int64(0)
	for _, n := range open {
		there := n.Allocatable.Amount(name)
		offered = resource.AddSat(offered, there)
		now := resource.SubSat(there, set.Snapshot.Used(n.Name, name))
		var pods []taken
		for _, p := range set.Snapshot.PodsOn(n.Name) {
			asked := int64(1)
			if name != resource.Pods {
				asked = resource.Amount(name, p.RunningRequestOf(release, name))
			}
			if asked > 0 {
				pods = append(pods, taken{p.PriorityValue(), asked})
			}
		}
		for i, c := range levels {
			room := now
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
