package devices

import (
	resourcev1 "k8s.io/api/resource/v1"
)

// Complete fills in the defaults that an API server fills in when a claim or a template is created: a request is
// for an exact number of devices, and that number is 1. An API server also adds the time at which a taint was put
// on a device, which makes no difference to the allocator. [Read] completes claims.
func Complete(spec *resourcev1.ResourceClaimSpec) {
	for i := range spec.Devices.Requests {
		r := &spec.Devices.Requests[i]
		if r.Exactly != nil {
			fillIn(&r.Exactly.AllocationMode, &r.Exactly.Count)
		}
		for j := range r.FirstAvailable {
			fillIn(&r.FirstAvailable[j].AllocationMode, &r.FirstAvailable[j].Count)
		}
	}
}

func fillIn(mode *resourcev1.DeviceAllocationMode, count *int64) {
	if *mode == "" {
		*mode = resourcev1.DeviceAllocationModeExactCount
	}
	if *mode == resourcev1.DeviceAllocationModeExactCount && *count == 0 {
		*count = 1
	}
}
