package differential

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// claimOf makes a claim that the pod names, by itself or by a template, and adds it to the case.
func (g *generator) claimOf(p *corev1.Pod, template bool) *resourcev1.ResourceClaim {
	at := len(p.Spec.ResourceClaims)
	name := fmt.Sprintf("%s-%d", p.Name, at)
	c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: p.Namespace, UID: uid("claim-" + p.Namespace + name)}}
	named := corev1.PodResourceClaim{Name: fmt.Sprintf("c%d", at)}
	if template {
		named.ResourceClaimTemplateName = ptr("template")
		p.Status.ResourceClaimStatuses = append(p.Status.ResourceClaimStatuses, corev1.PodResourceClaimStatus{Name: named.Name, ResourceClaimName: &c.Name})
		c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: p.Name, UID: p.UID, Controller: ptr(true)}}
	} else {
		named.ResourceClaimName = &c.Name
	}
	p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, named)
	g.c.Devices.Claims = append(g.c.Devices.Claims, c)
	return c
}

// consumer returns the reference by which a claim names a pod that uses it.
func consumer(p *corev1.Pod) resourcev1.ResourceClaimConsumerReference {
	return resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: p.Name, UID: p.UID}
}

// runningClaims gives a running pod claims that are allocated on its node.
func (g *generator) runningClaims(p *corev1.Pod) {
	for range g.between(1, 2) {
		c := g.claimOf(p, g.oneIn(2))
		g.requests(c, false)
		g.allocate(c, p.Spec.NodeName)
		c.Status.ReservedFor = append(c.Status.ReservedFor, consumer(p))
		if g.oneIn(6) && len(g.c.Pods) > 0 {
			if other := g.c.Pods[g.IntN(len(g.c.Pods))]; other != p && other.Namespace == p.Namespace {
				c.Status.ReservedFor = append(c.Status.ReservedFor, consumer(other))
			}
		}
	}
}

// allocate draws an allocation of a node's devices, or of devices that belong to no node. It takes at most two,
// one of a slice, and does not ask whether they are free.
func (g *generator) allocate(c *resourcev1.ResourceClaim, node string) {
	a := &resourcev1.AllocationResult{}
	onNode := false
	for _, s := range g.c.Devices.Slices {
		if s.Spec.NodeName != nil && *s.Spec.NodeName != node || len(a.Devices.Results) > 1 {
			continue
		}

		// The first device for which the lot falls is taken; the slice may give none.
		for i := range s.Spec.Devices {
			d := &s.Spec.Devices[i]
			if g.oneIn(2) {
				continue
			}
			r := g.deviceResult(c, s, d)
			onNode = onNode || s.Spec.NodeName != nil
			a.Devices.Results = append(a.Devices.Results, r)
			g.bindingStatus(c, &r)
			break
		}
	}

	// With a device of the node the claim can be used there alone.
	if onNode || g.oneIn(2) {
		a.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{
			Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node},
		}}}}}
		if g.oneIn(60) {
			a.NodeSelector.NodeSelectorTerms[0].MatchFields[0].Operator = "Near"
		}
	}
	if g.oneIn(3) {
		a.AllocationTimestamp = &metav1.Time{Time: start}
	}
	c.Status.Allocation = a
}

// deviceResult draws how a claim has a device: of one that allows several allocations it has a share, mostly with
// an amount.
func (g *generator) deviceResult(c *resourcev1.ResourceClaim, s *resourcev1.ResourceSlice, d *resourcev1.Device) resourcev1.DeviceRequestAllocationResult {
	r := resourcev1.DeviceRequestAllocationResult{Request: "r0", Driver: s.Spec.Driver, Pool: s.Spec.Pool.Name, Device: d.Name, BindingConditions: d.BindingConditions, BindingFailureConditions: d.BindingFailureConditions}
	if d.AllowMultipleAllocations != nil {
		r.ShareID = ptr(types.UID("share-" + c.Name))
		if !g.oneIn(6) {
			r.ConsumedCapacity = map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse(pick(g, "20Gi", "40Gi", "80Gi"))}
		}
	}
	if g.oneIn(12) {
		r.AdminAccess = ptr(true)
	}
	return r
}

// bindingStatus draws what a driver reports about a device that is bound late.
func (g *generator) bindingStatus(c *resourcev1.ResourceClaim, r *resourcev1.DeviceRequestAllocationResult) {
	if len(r.BindingConditions) == 0 || g.oneIn(3) {
		return
	}
	s := resourcev1.AllocatedDeviceStatus{Driver: r.Driver, Pool: r.Pool, Device: r.Device}
	for _, kind := range append(r.BindingConditions, r.BindingFailureConditions...) {
		if !g.oneIn(3) {
			s.Conditions = append(s.Conditions, metav1.Condition{Type: kind, Status: pick(g, metav1.ConditionTrue, metav1.ConditionFalse), Reason: "Drawn"})
		}
	}
	c.Status.Devices = append(c.Status.Devices, s)
}

// requests draws what a claim asks for, and constraints on the devices. With odd the claim may be invalid.
func (g *generator) requests(c *resourcev1.ResourceClaim, odd bool) {
	for i := range pick(g, 1, 1, 1, 2) {
		r := resourcev1.DeviceRequest{Name: fmt.Sprintf("r%d", i)}

		switch {
		case odd && g.oneIn(50): // a request of no known type
		case g.oneIn(5): // one of several alternatives
			for j := range g.between(1, 3) {
				e := g.exactly(odd)
				r.FirstAvailable = append(r.FirstAvailable, resourcev1.DeviceSubRequest{
					Name: fmt.Sprintf("s%d", j), DeviceClassName: e.DeviceClassName, Selectors: e.Selectors, AllocationMode: e.AllocationMode, Count: e.Count, Tolerations: e.Tolerations, Capacity: e.Capacity,
				})
			}
		default:
			r.Exactly = g.exactly(odd)
			if g.oneIn(12) {
				r.Exactly.AdminAccess = ptr(true)
			}
		}
		c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, r)
	}

	// A constraint is about all requests, or about the first alone. An odd one names no attribute.
	if g.oneIn(4) {
		one := resourcev1.DeviceConstraint{}
		if attribute := resourcev1.FullyQualifiedName(gpuDriver + "/" + pick(g, "model", "numa")); g.oneIn(3) {
			one.DistinctAttribute = &attribute
		} else {
			one.MatchAttribute = &attribute
		}
		if g.oneIn(2) {
			one.Requests = []string{"r0"}
		}
		c.Spec.Devices.Constraints = append(c.Spec.Devices.Constraints, one)
	}
	if odd && g.oneIn(60) {
		c.Spec.Devices.Constraints = append(c.Spec.Devices.Constraints, resourcev1.DeviceConstraint{})
	}
}

// exactly draws a request for devices of one class. With odd it may be invalid.
func (g *generator) exactly(odd bool) *resourcev1.ExactDeviceRequest {
	r := &resourcev1.ExactDeviceRequest{DeviceClassName: pick(g, "gpu", "gpu", "gpu", "any", "big", "net"), AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: int64(pick(g, 1, 1, 1, 2, 3))}
	if g.oneIn(6) {
		r.AllocationMode, r.Count = resourcev1.DeviceAllocationModeAll, 0
	}

	// An odd request names a class whose CEL fails, one that does not exist, or none; or a mode that no release has.
	if odd && g.oneIn(12) {
		r.DeviceClassName = pick(g, "broken", "odd", "missing", "missing", "")
	}
	if odd && g.oneIn(60) {
		r.AllocationMode = "Some"
	}

	// What the request asks beyond its class. An odd selector has no CEL, or CEL that is no condition.
	if g.oneIn(4) {
		r.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: pick(g,
			`device.attributes["`+gpuDriver+`"].model == "a"`, `device.driver == "`+gpuDriver+`" && device.attributes["`+gpuDriver+`"].numa == 1`,
			`device.allowMultipleAllocations == true`, `"`+gpuDriver+`" in device.attributes`)}}}
		if odd && g.oneIn(15) {
			r.Selectors[0].CEL = pick(g, nil, &resourcev1.CELDeviceSelector{Expression: "1"})
		}
	}
	if g.oneIn(4) {
		r.Tolerations = []resourcev1.DeviceToleration{{Key: pick(g, "example.com/sick", "example.com/ruled"), Operator: resourcev1.DeviceTolerationOpExists}}
	}
	if g.oneIn(5) {
		r.Capacity = &resourcev1.CapacityRequirements{Requests: map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse(pick(g, "20Gi", "30Gi", "40Gi", "80Gi"))}}
	}
	return r
}

// preemptorClaims gives the preemptor claims in every state. It may also add a claim of another pod whose
// allocation is decided and not yet written.
func (g *generator) preemptorClaims() {
	p := g.c.Preemptor
	for range pick(g, 0, 1, 1, 1, 1, 2, 3) {
		template := g.oneIn(2)
		c := g.claimOf(p, template)
		g.requests(c, true)
		node := g.c.Nodes[g.IntN(len(g.c.Nodes))].Name
		g.settleClaim(c, template, node)
	}

	if g.oneIn(6) {
		c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "other", Namespace: p.Namespace, UID: "claim-other"}}
		g.c.Devices.Claims = append(g.c.Devices.Claims, c)
		g.requests(c, false)
		g.allocateInFlight(c, g.c.Nodes[0].Name)
	}
}

// settleClaim draws the state of a claim of the preemptor. The claim is the last of the case and of the pod. More
// than half of the claims stay as a new pod's claims are: they exist, and are neither allocated nor reserved.
func (g *generator) settleClaim(c *resourcev1.ResourceClaim, template bool, node string) {
	p := g.c.Preemptor
	switch g.IntN(24) {
	case 0, 1, 2:
		g.allocate(c, node)

	case 3: // reserved for the preemptor already
		g.allocate(c, node)
		c.Status.ReservedFor = append(c.Status.ReservedFor, consumer(p))

	case 4: // used by others
		g.allocate(c, node)
		for _, other := range g.c.Pods {
			if other.Namespace == p.Namespace && g.oneIn(3) {
				c.Status.ReservedFor = append(c.Status.ReservedFor, consumer(other))
			}
		}

	case 5: // being deleted
		c.DeletionTimestamp, c.Finalizers = &metav1.Time{Time: start}, []string{"example.com/hold"}

	case 6: // missing
		g.c.Devices.Claims = g.c.Devices.Claims[:len(g.c.Devices.Claims)-1]

	case 7: // not made of its template: none will be, or not yet
		if template {
			g.c.Devices.Claims = g.c.Devices.Claims[:len(g.c.Devices.Claims)-1]
			if at := len(p.Status.ResourceClaimStatuses) - 1; g.oneIn(2) {
				p.Status.ResourceClaimStatuses[at].ResourceClaimName = nil
			} else {
				p.Status.ResourceClaimStatuses = p.Status.ResourceClaimStatuses[:at]
			}
		}

	case 8: // made for another pod of the same name
		if template {
			c.OwnerReferences[0].UID = "uid-of-another"
		}

	case 9: // named in no known way
		if g.oneIn(4) {
			named := &p.Spec.ResourceClaims[len(p.Spec.ResourceClaims)-1]
			named.ResourceClaimName, named.ResourceClaimTemplateName = nil, nil
		}

	case 10:
		g.allocateInFlight(c, node)
	}
}

// allocateInFlight draws an allocation of a claim that is decided and not yet written.
func (g *generator) allocateInFlight(c *resourcev1.ResourceClaim, node string) {
	pending := c.DeepCopy()
	g.allocate(pending, node)
	g.c.Devices.InFlight = append(g.c.Devices.InFlight, pending)
}
