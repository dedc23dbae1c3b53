package devices

import (
	"fmt"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// unlimited is the amount of a resource on a node that a device class backs there: devices and
// not amounts limit it.
const unlimited = math.MaxInt64

// Cluster returns the cluster for an evaluator with the filter. Where a node does not offer an
// extended resource that a device class backs, NodeResourcesFit leaves that resource to the
// filter: the nodes of the result offer it without limit, and are copies. All else is the
// caller's own. Without such a class it is the cluster itself. Nodes that come later need the
// same, by a cluster of their own.
func (f *Filter) Cluster(c *outrank.Cluster) *outrank.Cluster {
	names := f.x.Load().backed()
	if len(names) == 0 || c == nil {
		return c
	}
	out := *c
	out.Nodes = slices.Clone(c.Nodes)
	for i, n := range out.Nodes {
		if n == nil {
			continue
		}
		var copied *outrank.Node
		for _, name := range names {
			if n.Allocatable.Amount(name) > 0 {
				continue
			}
			if copied == nil {
				one := *n
				copied, one.Allocatable = &one, n.Allocatable.Clone()
				if copied.Allocatable == nil {
					copied.Allocatable = resource.List{}
				}
			}
			copied.Allocatable[name] = resource.New(unlimited)
		}
		if copied != nil {
			out.Nodes[i] = copied
		}
	}
	return &out
}

// backed lists the extended resources that a class backs, sorted.
func (x *index) backed() []resource.Name {
	var names []resource.Name
	add := func(name string) {
		if !slices.Contains(names, resource.Name(name)) && x.backing.GetDeviceClass(corev1.ResourceName(name)) != nil {
			names = append(names, resource.Name(name))
		}
	}
	for name, c := range x.classes {
		add(resourcev1.ResourceDeviceClassPrefix + name)
		if c.Spec.ExtendedResourceName != nil {
			add(*c.Spec.ExtendedResourceName)
		}
	}
	slices.Sort(names)
	return names
}

// extended is what a pod asks for by extended resources that classes back.
type extended struct {
	pod *corev1.Pod
	// wanted are the resources that are extended, backed or not.
	wanted map[corev1.ResourceName]int64
	// claim stands for them. It has requests already where it is of an earlier attempt.
	claim *resourcev1.ResourceClaim
}

// inMemory is the name of a claim that is not created before its pod is bound.
const inMemory = "<extended-resources>"

// extendedOf returns what a pod asks for in that way; nil for nothing.
func (x *index) extendedOf(pod *corev1.Pod) *extended {
	wanted, some := map[corev1.ResourceName]int64{}, false
	for name, amount := range resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}) {
		if amount.IsZero() || !isExtended(name) {
			continue
		}
		wanted[name] = amount.Value()
		some = some || x.backing.GetDeviceClass(name) != nil
	}
	if !some {
		return nil
	}
	for _, c := range x.claims {
		if c.stays != staysInFlight && c.Annotations[resourcev1.ExtendedResourceClaimAnnotation] == "true" && slices.ContainsFunc(c.OwnerReferences, func(o metav1.OwnerReference) bool {
			return o.Name == pod.Name && o.UID == pod.UID && deref(o.Controller)
		}) {
			return &extended{pod, wanted, c.ResourceClaim}
		}
	}
	return &extended{pod, wanted, &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: inMemory}}}
}

// isExtended reports whether a name is that of an extended resource, or of a class itself.
func isExtended(name corev1.ResourceName) bool {
	return resource.Name(name).IsExtended() || strings.HasPrefix(string(name), resourcev1.ResourceDeviceClassPrefix)
}

// on returns the claim for what a node does not offer itself; nil for nothing. The text is why
// the node cannot take the pod.
func (e *extended) on(x *index, n *outrank.Node, others bool) (*resourcev1.ResourceClaim, string) {
	if e.claim.Spec.Devices.Requests != nil {
		return nil, "cannot schedule extended resource claim"
	}
	var names []corev1.ResourceName
	for name := range e.wanted {
		amount := n.Allocatable.Amount(resource.Name(name))
		_, offered := n.Allocatable[resource.Name(name)]
		if (amount == 0 || amount == unlimited) && x.backing.GetDeviceClass(name) != nil {
			names = append(names, name)
		} else if !offered {
			return nil, "cannot fit resource"
		}
	}
	if len(names) == 0 && !others || e.claim.Status.Allocation != nil {
		return nil, ""
	}
	slices.Sort(names)
	claim := e.claim.DeepCopy()
	for _, name := range names {
		claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, e.requests(name, x.backing.GetDeviceClass(name).Name)...)
	}
	slices.SortFunc(claim.Spec.Devices.Requests, func(a, b resourcev1.DeviceRequest) int { return strings.Compare(a.Name, b.Name) })
	return claim, ""
}

// requests are the devices for a resource: for each container that lasts its own, and as many
// more as the init container needs that needs the most beyond those of the containers after it.
func (e *extended) requests(name corev1.ResourceName, class string) []resourcev1.DeviceRequest {
	inits := len(e.pod.Spec.InitContainers)
	all := append(slices.Clone(e.pod.Spec.InitContainers), e.pod.Spec.Containers...)
	counts := make([]int64, len(all))
	lasts := func(i int) bool {
		return i >= inits || deref(all[i].RestartPolicy) == corev1.ContainerRestartPolicyAlways
	}
	for i := range all {
		if amount, ok := all[i].Resources.Requests[name]; ok {
			counts[i], _ = amount.AsInt64()
		}
	}
	var requests []resourcev1.DeviceRequest
	most, mostAt := int64(0), -1
	for i, count := range counts {
		switch {
		case count == 0:
		case lasts(i):
			requests = append(requests, requestOf(i, &all[i], name, class, count))
		default:
			for j := i; j < len(all) && count > 0; j++ {
				if lasts(j) {
					count -= counts[j]
				}
			}
			if count > most {
				most, mostAt = count, i
			}
		}
	}
	if mostAt >= 0 {
		requests = append(requests, requestOf(mostAt, &all[mostAt], name, class, most))
	}
	return requests
}

// requestOf names a request after the places of the container and of the resource.
func requestOf(i int, c *corev1.Container, name corev1.ResourceName, class string, count int64) resourcev1.DeviceRequest {
	place := 0
	for other := range c.Resources.Requests {
		if other < name {
			place++
		}
	}
	return resourcev1.DeviceRequest{
		Name: fmt.Sprintf("container-%d-request-%d", i, place),
		Exactly: &resourcev1.ExactDeviceRequest{
			DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count,
		},
	}
}
