package clusters

import (
	"math"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
	"github.com/outrank-go/outrank/resource"
)

// room is what a node has beside the requests of its pods.
type room struct {
	// percent is the share of the node that its pods ask for, or 0 where cpu, in thousandths, and
	// memory, in MiB, are what the node has to spare. A node that lacks some holds more than it
	// has.
	percent     int64
	cpu, memory int64
	// twice doubles what the share makes of the requests.
	twice bool
	// slots is how many pods more there may be.
	slots int64
	// bare is set for a node that has nothing beyond the needs of its pods.
	bare bool
}

// room draws little room. Where something else than resources is to decide, every second node has
// enough of them, for the filters of pods come after that of resources.
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

// allocatable is sized for the pods and the room, and large enough for a pod of the largest size
// unless it is bare. It counts as one release does, so that a seed gives the same bytes whatever
// the default is.
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

// largest is the request of a pod of the largest size.
func (g *generator) largest() resource.List {
	l := resource.MustList("cpu", "800m", "memory", "320Mi")
	if g.Sizes > 0 {
		l = size(g.Sizes - 1)
	}
	l[resource.EphemeralStorage], l[gpu], l[hugepages] = mebibytes(1024), resource.New(1), mebibytes(2)
	return l
}

// of is a node's amount of a resource of which so much is used.
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

// capacity is a node's amount of a resource of which a percentage is used.
func capacity(name resource.Name, used, percent int64, twice bool) resource.Quantity {
	// Neither the percentage nor the doubling overflows.
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
