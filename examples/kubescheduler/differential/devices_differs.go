package differential

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// AllocatorDiffers reports whether the allocators of v1.36 and v1.37 may decide differently. Outrank uses the one of
// v1.37 in both releases.
func (c *Case) AllocatorDiffers() bool {
	return c.allOfShared() || c.distinctOfSeveral() || c.shareOfCounters()
}

// shareOfCounters reports whether a claim holds a share, without an amount, of a device that can be allocated
// several times and consumes counters. The allocator of v1.36 takes what the device consumes from the counters
// again for the next share.
func (c *Case) shareOfCounters() bool {
	return c.holds(func(r *resourcev1.DeviceRequestAllocationResult, d *resourcev1.Device) bool {
		return r.ShareID != nil && len(r.ConsumedCapacity) == 0 && len(d.ConsumesCounters) > 0
	})
}

// distinctOfSeveral reports whether a request asks for several devices with distinct attributes. The allocator of
// v1.36 remembers only the last value of a request.
func (c *Case) distinctOfSeveral() bool {
	distinct := func(d resourcev1.DeviceConstraint) bool { return d.DistinctAttribute != nil }
	return c.asks(func(k *resourcev1.ResourceClaim, mode resourcev1.DeviceAllocationMode, count int64) bool {
		return (mode == resourcev1.DeviceAllocationModeAll || count > 1) && slices.ContainsFunc(k.Spec.Devices.Constraints, distinct)
	})
}

// allOfShared reports whether the preemptor asks for all devices while a claim holds an amount of a device that
// can be allocated several times. The allocator of v1.36 leaves out devices with too little left. With
// such a device the one of v1.37 allocates none.
func (c *Case) allOfShared() bool {
	return c.asks(func(_ *resourcev1.ResourceClaim, mode resourcev1.DeviceAllocationMode, _ int64) bool {
		return mode == resourcev1.DeviceAllocationModeAll
	}) && c.holds(func(r *resourcev1.DeviceRequestAllocationResult, _ *resourcev1.Device) bool {
		return len(r.ConsumedCapacity) > 0
	})
}

// holds reports whether a claim holds a device that can be allocated several times, and like returns true about
// both.
func (c *Case) holds(like func(*resourcev1.DeviceRequestAllocationResult, *resourcev1.Device) bool) bool {
	several := map[[3]string]*resourcev1.Device{}
	for _, s := range c.Devices.Slices {
		for i := range s.Spec.Devices {
			if d := &s.Spec.Devices[i]; d.AllowMultipleAllocations != nil && *d.AllowMultipleAllocations {
				several[[3]string{s.Spec.Driver, s.Spec.Pool.Name, d.Name}] = d
			}
		}
	}

	for _, k := range slices.Concat(c.Devices.Claims, c.Devices.InFlight) {
		if k.Status.Allocation == nil {
			continue
		}
		for i := range k.Status.Allocation.Devices.Results {
			r := &k.Status.Allocation.Devices.Results[i]
			if d := several[[3]string{r.Driver, r.Pool, r.Device}]; d != nil && like(r, d) {
				return true
			}
		}
	}
	return false
}

// asks reports whether like returns true about a request, or an alternative of a request, in a claim of the
// preemptor that is not allocated.
func (c *Case) asks(like func(k *resourcev1.ResourceClaim, mode resourcev1.DeviceAllocationMode, count int64) bool) bool {
	for _, k := range c.Devices.Claims {
		if k.Status.Allocation != nil || !c.claims(k.Name) {
			continue
		}
		for _, r := range k.Spec.Devices.Requests {
			if r.Exactly != nil && like(k, r.Exactly.AllocationMode, r.Exactly.Count) ||
				slices.ContainsFunc(r.FirstAvailable, func(s resourcev1.DeviceSubRequest) bool { return like(k, s.AllocationMode, s.Count) }) {
				return true
			}
		}
	}
	return false
}

// claims reports whether the preemptor names a claim, by itself or by a template.
func (c *Case) claims(name string) bool {
	is := func(s *string) bool { return s != nil && *s == name }
	return slices.ContainsFunc(c.Preemptor.Spec.ResourceClaims, func(r corev1.PodResourceClaim) bool { return is(r.ResourceClaimName) }) ||
		slices.ContainsFunc(c.Preemptor.Status.ResourceClaimStatuses, func(r corev1.PodResourceClaimStatus) bool { return is(r.ResourceClaimName) })
}
