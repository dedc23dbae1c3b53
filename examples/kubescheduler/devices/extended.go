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

// unlimited is the amount of a resource on a node where a device class backs it. The devices limit it, and not an
// amount.
const unlimited = math.MaxInt64

// Cluster returns the cluster for an evaluator with the filter. If a node does not offer an extended resource
// that a device class backs, NodeResourcesFit must leave that resource to the filter: a copy of the node offers
// it without limit. Everything else is the caller's own. Without such a class the result is the cluster itself.
// Nodes that come later must be prepared in the same way, in a cluster of their own.
func (f *Filter) Cluster(c *outrank.Cluster) *outrank.Cluster {
	names := f.x.Load().backed()
	if len(names) == 0 || c == nil {
		return c
	}

	out := *c
	out.Nodes = slices.Clone(c.Nodes)
	for i, n := range out.Nodes {
		if n != nil {
			out.Nodes[i] = offering(n, names)
		}
	}
	return &out
}

// offering returns a node that offers the resources without limit that n does not offer. If n offers all of them
// it is n.
func offering(n *outrank.Node, names []resource.Name) *outrank.Node {
	out := n
	for _, name := range names {
		if n.Allocatable.Amount(name) > 0 {
			continue
		}
		if out == n {
			one := *n
			if one.Allocatable = n.Allocatable.Clone(); one.Allocatable == nil {
				one.Allocatable = resource.List{}
			}
			out = &one
		}
		out.Allocatable[name] = resource.New(unlimited)
	}
	return out
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

// extended describes the extended resources that a pod requests. A device class backs at least one of them.
type extended struct {
	pod *corev1.Pod
	// wanted are the amounts of all extended resources, backed or not.
	wanted map[corev1.ResourceName]int64
	// claim stands for the devices. It has requests already if it comes from an earlier attempt.
	claim *resourcev1.ResourceClaim
}

// inMemory is the name of a claim that is not created before its pod is bound.
const inMemory = "<extended-resources>"

// extendedOf returns what a pod asks for by extended resources; nil if no class backs any of them.
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

// isExtended reports whether a resource is extended, or stands for a class itself.
func isExtended(name corev1.ResourceName) bool {
	return resource.Name(name).IsExtended() || strings.HasPrefix(string(name), resourcev1.ResourceDeviceClassPrefix)
}

// on returns the claim for the resources that a node does not offer itself; nil if there are none. Others says
// that the pod has other claims. The text, if it is not empty, says why the node cannot take the pod.
func (e *extended) on(x *index, n *outrank.Node, others bool) (*resourcev1.ResourceClaim, string) {
	// A claim of an earlier attempt stands in the way until it is deleted.
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

// requests returns the requests for the devices of a resource. Each container that lasts has its own. An init
// container that ends can use the devices of lasting containers that start after it. The init container that
// needs the most devices beyond those has a request for the difference.
func (e *extended) requests(name corev1.ResourceName, class string) []resourcev1.DeviceRequest {
	// All containers are in the order in which they start. Init containers with the restart policy Always last, too.
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

	// Most is the largest number of devices that an init container needs beyond those of the lasting containers after
	// it, and mostAt is that container.
	var requests []resourcev1.DeviceRequest
	add := func(i int, count int64) {
		requests = append(requests, requestOf(requestName(i, &all[i], name), class, count))
	}
	most, mostAt := int64(0), -1
	for i, count := range counts {
		switch {
		case count == 0:
		case lasts(i):
			add(i, count)
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
		add(mostAt, most)
	}
	return requests
}

// requestName names a request after the place of the container in its pod, and the place of the resource among
// those that the container requests.
func requestName(i int, c *corev1.Container, name corev1.ResourceName) string {
	place := 0
	for other := range c.Resources.Requests {
		if other < name {
			place++
		}
	}
	return fmt.Sprintf("container-%d-request-%d", i, place)
}

// requestOf returns a request for a number of devices of a class.
func requestOf(name, class string, count int64) resourcev1.DeviceRequest {
	return resourcev1.DeviceRequest{
		Name: name,
		Exactly: &resourcev1.ExactDeviceRequest{
			DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count,
		},
	}
}
