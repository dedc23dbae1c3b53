package workload

import (
	"cmp"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Amounts are requests of pods or resources of nodes, in the units of [resource.Amount]: thousandths of a
// core, bytes, thousandths of a GPU.
type Amounts struct {
	MilliCPU, Memory, MilliGPU int64
}

// Plus returns the sum. It saturates.
func (a Amounts) Plus(b Amounts) Amounts {
	return Amounts{
		resource.AddSat(a.MilliCPU, b.MilliCPU),
		resource.AddSat(a.Memory, b.Memory),
		resource.AddSat(a.MilliGPU, b.MilliGPU),
	}
}

// Minus returns the difference. It saturates.
func (a Amounts) Minus(b Amounts) Amounts {
	return Amounts{
		resource.SubSat(a.MilliCPU, b.MilliCPU),
		resource.SubSat(a.Memory, b.Memory),
		resource.SubSat(a.MilliGPU, b.MilliGPU),
	}
}

// AmountsOf returns the three resources of a list.
func AmountsOf(l resource.List) Amounts {
	return Amounts{
		resource.Amount(resource.CPU, l[resource.CPU]),
		resource.Amount(resource.Memory, l[resource.Memory]),
		resource.Amount(GPU, l[GPU]),
	}
}

// Asks returns the requests of an item's pod.
func (i *Item) Asks() Amounts {
	var sum Amounts
	for _, c := range i.Pod.Containers {
		sum = sum.Plus(AmountsOf(c.Requests))
	}
	return sum
}

// Capacity returns the resources of all nodes together.
func Capacity(nodes []*outrank.Node) Amounts {
	var sum Amounts
	for _, n := range nodes {
		sum = sum.Plus(AmountsOf(n.Allocatable))
	}
	return sum
}

// Point is the demand from a time on, until the next point.
type Point struct {
	Time  time.Duration
	Pods  int
	Asked Amounts
}

// Demand returns the demand of all items together if each ran from its arrival for its duration, even without
// room for it. There is one point for every time at which it changes, in order of time. It takes as long as
// sorting the items.
func Demand(items []Item) []Point {
	type change struct {
		at   time.Duration
		item *Item
		ends bool
	}

	changes := make([]change, 0, 2*len(items))
	for i := range items {
		item := &items[i]
		changes = append(changes, change{item.Arrival, item, false})
		if !item.Endless {
			changes = append(changes, change{item.Arrival + item.Duration, item, true})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })

	// All changes of one time make one point, so their order does not matter.
	var points []Point
	var now Point
	for i, c := range changes {
		if c.ends {
			now.Pods--
			now.Asked = now.Asked.Minus(c.item.Asks())
		} else {
			now.Pods++
			now.Asked = now.Asked.Plus(c.item.Asks())
		}

		now.Time = c.at
		if i+1 == len(changes) || changes[i+1].at > c.at {
			points = append(points, now)
		}
	}
	return points
}
