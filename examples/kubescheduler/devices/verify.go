package devices

import (
	"maps"
	"slices"
	"sync"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/outrank-go/outrank"
)

// passes are the first passes of checks that found devices with nominated pods counted, the last one of
// each node. The copies of a search share them: one of them is asked with those pods, and another without.
type passes struct {
	mu   sync.Mutex
	last map[string]changes
}

// note remembers a first pass.
func (p *passes) note(node string, c *changes) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		p.last = map[string]changes{}
	}
	p.last[node] = c.clone()
}

// before returns the first pass of a check in which the same pods are away as now, if there was one.
func (p *passes) before(node string, now *changes) (changes, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first, ok := p.last[node]
	return first, ok && maps.Equal(first.gone, now.gone) && maps.Equal(first.grouped, now.grouped)
}

// find asks the allocator about a node. With nominated pods counted this is the first pass of a check, and
// what it finds is the allocation that counts: the second pass, without them, only verifies that the
// allocation holds (KEP-5690). It could find another one, whose devices are then the nominated pods'.
func (a *attempt) find(n *outrank.Node, v *view, claims []*resourcev1.ResourceClaim, request string) (bool, error) {
	if len(a.taken) == 0 {
		if first, ok := a.passes.before(n.Name, &a.changes); ok {
			return a.verify(v, &first, claims, request)
		}
	}
	ok, err := a.canAllocate(v, &a.changes, claims, request)
	if len(a.taken) > 0 && ok && err == nil {
		a.passes.note(n.Name, &a.changes)
	}
	return ok, err
}

// verify reports whether what the first pass has found holds without the nominated pods.
func (a *attempt) verify(v *view, first *changes, claims []*resourcev1.ResourceClaim, request string) (bool, error) {
	var one, two [512]byte
	then, now := a.x.key(v, first, request, one[:0]), a.x.key(v, &a.changes, request, two[:0])
	if slices.Equal(then, now) {
		return true, nil
	}
	key := append(append(then, "\x00then "...), now...)
	return a.ask(v, key, func(most int) (bool, int, error) {
		results, taken, err := a.x.allocate(v, first, claims, most)
		if err != nil || len(results) != len(claims) {
			return false, taken, err
		}
		return a.x.holds(v, &a.changes, results), taken, nil
	})
}

// holds reports whether an allocation of devices that belong together can be made beside what is
// allocated. Which devices match a request, and that they do together, is known.
func (x *index) holds(v *view, c *changes, results []resourcev1.AllocationResult) bool {
	held, wanted := x.heldBy(v, c), []hold(nil)
	for i := range results {
		for _, w := range holdsOf(&results[i]) {
			if slices.ContainsFunc(held, func(h hold) bool { return h.device == w.device && (h.share == nil || w.share == nil) }) {
				return false
			}
			wanted = append(wanted, w)
		}
	}
	all := slices.Concat(held, wanted)
	for _, s := range v.slices {
		if x.newest(s) && !capacityHolds(s, all, wanted) {
			return false
		}
	}
	return x.countersHold(v, held, wanted)
}

// of reports whether some of the holds are of a device.
func of(id structured.DeviceID, holds []hold) bool {
	return slices.ContainsFunc(holds, func(h hold) bool { return h.device == id })
}

// newest reports whether a slice is of the newest generation of its pool, which is the one that counts.
func (x *index) newest(s *resourcev1.ResourceSlice) bool {
	return !slices.ContainsFunc(x.pools[poolID{s.Spec.Driver, s.Spec.Pool.Name}], func(o *slice) bool {
		return o.Spec.Pool.Generation > s.Spec.Pool.Generation
	})
}

// capacityHolds reports whether the shares of each wanted device of a slice come to no more than it has.
func capacityHolds(s *resourcev1.ResourceSlice, all, wanted []hold) bool {
	for i := range s.Spec.Devices {
		d := &s.Spec.Devices[i]
		id := structured.MakeDeviceID(s.Spec.Driver, s.Spec.Pool.Name, d.Name)
		if !of(id, wanted) {
			continue
		}
		sums := map[resourcev1.QualifiedName]resource.Quantity{}
		for _, h := range all {
			if h.device != id || h.consumed == nil {
				continue
			}
			for name, amount := range h.consumed.ConsumedCapacity {
				sum := sums[name]
				sum.Add(*amount)
				sums[name] = sum
			}
		}
		for name, sum := range sums {
			if sum.Cmp(d.Capacity[name].Value) > 0 {
				return false
			}
		}
	}
	return true
}

// countersHold reports whether the devices of which anything is held draw no more on the counters of their
// pools than these have, of those that a wanted one newly draws on. A device draws once, however many share it.
func (x *index) countersHold(v *view, held, wanted []hold) bool {
	type counter struct {
		pool      poolID
		set, name string
	}
	has, drawn, minded := map[counter]resource.Quantity{}, map[counter]resource.Quantity{}, map[counter]bool{}
	for _, s := range v.slices {
		if !x.newest(s) {
			continue
		}
		pool := poolID{s.Spec.Driver, s.Spec.Pool.Name}
		for _, set := range s.Spec.SharedCounters {
			for name, c := range set.Counters {
				has[counter{pool, set.Name, name}] = c.Value
			}
		}
		for i := range s.Spec.Devices {
			d := &s.Spec.Devices[i]
			id := structured.MakeDeviceID(s.Spec.Driver, s.Spec.Pool.Name, d.Name)
			before := of(id, held)
			if !before && !of(id, wanted) {
				continue
			}
			for _, draws := range d.ConsumesCounters {
				for name, c := range draws.Counters {
					at := counter{pool, draws.CounterSet, name}
					sum := drawn[at]
					sum.Add(c.Value)
					drawn[at] = sum
					minded[at] = minded[at] || !before
				}
			}
		}
	}
	for at, sum := range drawn {
		if minded[at] && sum.Cmp(has[at]) > 0 {
			return false
		}
	}
	return true
}
