package clusters

import (
	"math"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
	"github.com/outrank-go/outrank/resource"
)

// room says how much larger a node is than the requests of its pods.
type room struct {
	// percent is the share of the node that its pods request. If it is 0, cpu (in thousandths of a core) and
	// memory (in MiB) are the amounts that the node has to spare; where they are negative, its pods request
	// more than it has.
	percent     int64
	cpu, memory int64
	// twice doubles the size of the node, so that its pods request half of percent.
	twice bool
	// slots is the number of pods that the node takes beside those it has.
	slots int64
	// bare is set if the node has only resources that its pods request.
	bare bool
}

// room draws a node's spare room, mostly little. If the shape draws something for filters of pods, every
// second node has ample room, because the filter of resources comes before them and would decide instead.
func (g *generator) room(s draw.Source) room {
	bare := draw.OneIn(s, "bare", 8)
	if g.Alike {
		return draw.Pick(s, "room", room{bare: bare}, room{bare: bare}, room{cpu: 100, memory: 64, slots: 1, bare: bare})
	}
	slots := draw.Pick[int64](s, "spare slots", 10, 10, 100, 1, 0, 0)
	if g.Fill > 0 {
		percent := int64(max(1, g.Fill+draw.Pick(s, "filled more", 0, 0, 5, -5)))
		return room{percent: percent, twice: draw.OneIn(s, "roomy", 2) && g.needsRoom(), slots: slots, bare: bare}
	}
	rarely := 16
	if g.needsRoom() {
		rarely = 2
	}
	if draw.OneIn(s, "roomy", rarely) {
		return room{cpu: 2000, memory: 2048, slots: 10, bare: bare}
	}
	return room{
		cpu: draw.Pick[int64](s, "spare cpu", 0, 0, 100, 200, -100), memory: draw.Pick[int64](s, "spare memory", 0, 0, 64, 128, -64),
		slots: slots, bare: bare,
	}
}

// allocatable returns a node's resources: enough for the pods and the room. Unless the room is bare, a pod of
// the largest size would fit on the empty node. Requests are counted by one fixed release, so that a seed
// gives the same bytes whatever the default release is.
func (g *generator) allocatable(pods []*outrank.Pod, r *room) resource.List {
	used, count := resource.List{}, int64(0)
	for _, p := range pods {
		if !p.Finished() {
			used = used.Plus(p.RunningRequests(outrank.V1_36))
			count++
		}
	}

	least := resource.List{}
	if !r.bare {
		least = g.largest()
	}

	all := least.Clone()
	for _, name := range used.Names() {
		if name.Counted() {
			all[name] = larger(r.of(name, used[name]), least[name])
		}
	}
	all[resource.Pods] = resource.New(count + r.slots)
	return all
}

// largest returns the requests of a pod of the largest size.
func (g *generator) largest() resource.List {
	l := resource.MustList("cpu", "800m", "memory", "320Mi")
	if g.Sizes > 0 {
		l = size(g.Sizes - 1)
	}
	l[resource.EphemeralStorage], l[gpu], l[hugepages] = mebibytes(1024), resource.New(1), mebibytes(2)
	return l
}

// of returns the node's amount of a resource, given how much its pods request of it.
func (r *room) of(name resource.Name, used resource.Quantity) resource.Quantity {
	switch {
	case r.percent > 0:
		return capacity(name, resource.Amount(name, used), r.percent, r.twice)
	case name == resource.CPU:
		return used.Add(resource.NewMilli(r.cpu))
	case name == resource.Memory:
		return used.Add(mebibytes(r.memory))
	}
	return used
}

// capacity returns the node's amount of a resource if used is the given percentage of it.
func capacity(name resource.Name, used, percent int64, twice bool) resource.Quantity {
	// With at least one percent the amount is at most half of the largest number, so that neither the
	// multiplication nor the doubling overflows.
	amount := min(used, math.MaxInt64/200) * 100 / percent
	if twice {
		amount *= 2
	}

	switch {
	case name == resource.CPU:
		return resource.NewMilli(amount)
	case name == resource.Memory, name == resource.EphemeralStorage, name == hugepages:
		// Memory comes in whole mebibytes.
		return resource.NewBinary(amount >> 20 << 20)
	}
	return resource.New(amount)
}

func larger(a, b resource.Quantity) resource.Quantity {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}
