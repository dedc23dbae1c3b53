package devices

import (
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"
)

// stock has the devices of a node that matter to claims which are to be allocated.
type stock struct {
	view *view
	// matching has the devices that satisfy a request by themselves.
	matching map[structured.DeviceID]bool
	// sharing has the other devices that draw on a counter on which a matching device depends.
	sharing map[structured.DeviceID]bool
	// untouched counts the matching devices that are held by nobody and have enough left of their counters.
	untouched int
}

// stockOf finds the devices of a node that matter to the claims. It asks the allocator about each device.
func (x *index) stockOf(v *view, claims []*resourcev1.ResourceClaim) *stock {
	out := &stock{view: v, matching: map[structured.DeviceID]bool{}, sharing: map[structured.DeviceID]bool{}}
	draws := x.drawsOn(v)
	left := x.countersLeft(v, draws, x.heldBy(v, &changes{}))
	needed := map[counter]bool{}
	for i, id := range v.devices {
		if !x.matchesAny(v, id, claims) {
			continue
		}
		out.matching[id] = true
		if len(v.held[i]) == 0 && left.suffice(draws[id]) {
			out.untouched++
		}
		left.need(draws[id], needed)
	}

	for id, by := range draws {
		for at := range by {
			if needed[at] && !out.matching[id] {
				out.sharing[id] = true
			}
		}
	}
	return out
}

// suffice reports whether the allocator takes a device that draws this much. It takes no device that draws on
// anything while some counter of the pool is overdrawn, be it one on which the device does not draw.
func (left amounts) suffice(draws amounts) bool {
	for at, amount := range left {
		if need := draws[at]; draws.on(at.pool) && amount.Cmp(need) < 0 {
			return false
		}
	}
	return true
}

// need adds the counters on which a device depends: those on which it draws, and those of its pool that are
// overdrawn.
func (left amounts) need(draws amounts, needed map[counter]bool) {
	for at, amount := range left {
		if _, on := draws[at]; on || draws.on(at.pool) && amount.Sign() < 0 {
			needed[at] = true
		}
	}
}

// on reports whether some of the amounts are of a pool.
func (a amounts) on(id poolID) bool {
	for at := range a {
		if at.pool == id {
			return true
		}
	}
	return false
}

// claims returns the claims that hold some of the devices, in the order of their names.
func (s *stock) claims() []*claim {
	var held []*claim
	for i, id := range s.view.devices {
		if !s.matching[id] && !s.sharing[id] {
			continue
		}
		for _, h := range s.view.held[i] {
			if !slices.Contains(held, h.claim) {
				held = append(held, h.claim)
			}
		}
	}
	slices.SortFunc(held, func(a, b *claim) int { return strings.Compare(a.name.String(), b.name.String()) })
	return held
}

// heldBy returns the matching and the sharing devices that a claim holds.
func (s *stock) heldBy(k *claim) (matching, sharing []string) {
	for i := range k.holds {
		id := k.holds[i].device
		switch name := id.String(); {
		case s.matching[id] && !slices.Contains(matching, name):
			matching = append(matching, name)
		case s.sharing[id] && !slices.Contains(sharing, name):
			sharing = append(sharing, name)
		}
	}
	return matching, sharing
}

// matchesAny reports whether a device satisfies one of the requests by itself. The allocator is asked for one
// device, while the node has no other and nothing is allocated.
func (x *index) matchesAny(v *view, id structured.DeviceID, claims []*resourcev1.ResourceClaim) bool {
	alone := &view{node: v.node}
	for _, s := range v.slices {
		one := *s
		one.Spec.Devices = slices.DeleteFunc(slices.Clone(s.Spec.Devices), func(d resourcev1.Device) bool {
			return structured.MakeDeviceID(s.Spec.Driver, s.Spec.Pool.Name, d.Name) != id
		})
		alone.slices = append(alone.slices, &one)
	}

	for _, c := range claims {
		for _, r := range c.Spec.Devices.Requests {
			for _, exact := range alternatives(&r) {
				exact.AllocationMode, exact.Count = resourcev1.DeviceAllocationModeExactCount, 1
				one := &resourcev1.ResourceClaim{ObjectMeta: c.ObjectMeta}
				one.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: r.Name, Exactly: &exact}}
				if results, _, err := x.allocate(alone, &changes{}, []*resourcev1.ResourceClaim{one}, stepsOfNode); err == nil && len(results) == 1 {
					return true
				}
			}
		}
	}
	return false
}

// alternatives returns the ways to satisfy a request.
func alternatives(r *resourcev1.DeviceRequest) []resourcev1.ExactDeviceRequest {
	if r.Exactly != nil {
		return []resourcev1.ExactDeviceRequest{*r.Exactly}
	}
	var list []resourcev1.ExactDeviceRequest
	for _, sub := range r.FirstAvailable {
		list = append(list, resourcev1.ExactDeviceRequest{DeviceClassName: sub.DeviceClassName, Selectors: sub.Selectors, Tolerations: sub.Tolerations, Capacity: sub.Capacity})
	}
	return list
}
