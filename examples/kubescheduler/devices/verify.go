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

// passes remembers for each node the last check that found devices while nominated pods counted. It is the first
// of two passes; the second one is made without those pods, by another copy of the attempt. The copies share the
// passes.
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

// before returns the first pass of a check, if there was one while the same pods were away as now.
func (p *passes) before(node string, now *changes) (changes, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first, ok := p.last[node]
	return first, ok && maps.Equal(first.gone, now.gone) && maps.Equal(first.grouped, now.grouped)
}

// find asks the allocator about a node. While nominated pods count this is the first pass of a check, and the
// allocation that it finds is the one that counts. The second pass, without those pods, only verifies that this
// allocation can be made (KEP-5690): if it searched anew it could find devices that the nominated pods will have.
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

// verify reports whether the allocation that the first pass has found can be made without the nominated pods.
func (a *attempt) verify(v *view, first *changes, claims []*resourcev1.ResourceClaim, request string) (bool, error) {
	// If the pods make no difference to the node's devices, neither does the second pass.
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

// holds reports whether an allocation can be made beside what is allocated after the changes. It takes for granted
// that the devices match the requests, alone and together.
func (x *index) holds(v *view, c *changes, results []resourcev1.AllocationResult) bool {
	// A whole device cannot be shared with anything that is held of it.
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

// anyOf reports whether one of the holds is of the device.
func anyOf(id structured.DeviceID, holds []hold) bool {
	return slices.ContainsFunc(holds, func(h hold) bool { return h.device == id })
}

// newest reports whether a slice belongs to the newest generation of its pool. Only that generation counts.
func (x *index) newest(s *resourcev1.ResourceSlice) bool {
	return !slices.ContainsFunc(x.pools[poolID{s.Spec.Driver, s.Spec.Pool.Name}], func(o *slice) bool {
		return o.Spec.Pool.Generation > s.Spec.Pool.Generation
	})
}

// capacityHolds reports whether each wanted device of a slice has enough capacity for all its shares.
func capacityHolds(s *resourcev1.ResourceSlice, all, wanted []hold) bool {
	for i := range s.Spec.Devices {
		d := &s.Spec.Devices[i]
		id := structured.MakeDeviceID(s.Spec.Driver, s.Spec.Pool.Name, d.Name)
		if !anyOf(id, wanted) {
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

// countersHold reports whether the counters of the pools suffice for all devices that are held or wanted. Only
// counters on which a wanted device newly draws can fail: the others were drawn on before. A device draws once,
// however many claims share it.
func (x *index) countersHold(v *view, held, wanted []hold) bool {
	draws := x.drawsOn(v)
	left := x.countersLeft(v, draws, held)
	drawn, newly := map[structured.DeviceID]bool{}, map[counter]bool{}
	for _, w := range wanted {
		if drawn[w.device] || anyOf(w.device, held) {
			continue
		}
		drawn[w.device] = true
		left.draw(draws[w.device])
		for at := range draws[w.device] {
			newly[at] = true
		}
	}

	for at := range newly {
		if amount := left[at]; amount.Sign() < 0 {
			return false
		}
	}
	return true
}
