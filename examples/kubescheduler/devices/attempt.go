package devices

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// attempt is the search for a place for a pod with claims.
type attempt struct {
	x      *index
	config *Config
	asker  *outrank.Pod
	// refusal is the reason why no node can take the pod; empty if there is none.
	refusal string
	// claims are the claims of the pod. The claim for extended resources comes last.
	claims []*resourcev1.ResourceClaim
	// extended are the extended resources that the filter allocates; nil for none.
	extended *extended
	// selectors say for each claim where it can be used once it is allocated; nil means everywhere.
	selectors []*nodeaffinity.NodeSelector
	// request is equal for two pods that ask for the same devices. Extended resources are not in it.
	request string
	// steps has the number of steps that the searches on each node may still take.
	steps *budget
	// passes are the checks that were made with nominated pods.
	passes *passes
	changes
}

// lookUp finds the claims that the pod names. It returns the reason why the pod must wait for them; empty if it
// need not.
func (a *attempt) lookUp(pod *corev1.Pod) string {
	for i := range pod.Spec.ResourceClaims {
		name, generated, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil {
			return err.Error()
		}
		if name == nil {
			continue // no claim was made on purpose, and none is needed
		}

		c := a.x.byName[named{namespaceOr(pod.Namespace), *name}]
		if c == nil {
			return fmt.Sprintf("could not find ResourceClaim %q", pod.Namespace+"/"+*name)
		}
		if c.DeletionTimestamp != nil {
			return fmt.Sprintf("resourceclaim %q is being deleted", c.Name)
		}

		// A claim that was generated for another pod of the same name is not this pod's.
		if generated {
			if err := resourceclaim.IsForPod(pod, c.ResourceClaim, false); err != nil {
				return err.Error()
			}
		}
		a.claims = append(a.claims, c.ResourceClaim)
	}
	return ""
}

// prepare checks the claims before any node is asked, and notes where allocated claims can be used and what the
// others ask for.
func (a *attempt) prepare() error {
	a.selectors = make([]*nodeaffinity.NodeSelector, len(a.claims))
	var request strings.Builder
	for i, c := range a.claims {
		if c.Status.Allocation != nil {
			if c.Status.Allocation.NodeSelector == nil {
				continue
			}
			selector, err := nodeaffinity.NewNodeSelector(c.Status.Allocation.NodeSelector)
			if err != nil {
				return problem("resourceclaim "+c.Namespace+"/"+c.Name, "status.allocation.nodeSelector", err.Error())
			}
			a.selectors[i] = selector
			continue
		}

		if a.x.inFlight[c.UID] {
			a.refusal = fmt.Sprintf("resource claim %s/%s is in the process of being allocated", c.Namespace, c.Name)
			return nil
		}
		if a.extended != nil && c == a.extended.claim {
			continue // its requests depend on the node
		}

		if err := a.checkRequests(c); err != nil || a.refusal != "" {
			return err
		}
		text, err := json.Marshal(&c.Spec.Devices)
		if err != nil {
			return problem("resourceclaim "+c.Namespace+"/"+c.Name, "spec.devices", err.Error())
		}
		request.Write(text)
	}
	a.request = request.String()
	return nil
}

// checkRequests refuses the pod if a class is missing, and returns an error for a request without a class. The
// first such request counts.
func (a *attempt) checkRequests(c *resourcev1.ResourceClaim) error {
	check := func(class, request string) error {
		if class == "" {
			return problem("resourceclaim "+c.Namespace+"/"+c.Name, "spec.devices.requests", fmt.Sprintf("request %s: unsupported request type", request))
		}
		if a.x.classes[class] == nil && a.refusal == "" {
			a.refusal = fmt.Sprintf("request %s: device class %s does not exist", request, class)
		}
		return nil
	}

	for i := range c.Spec.Devices.Requests {
		r := &c.Spec.Devices.Requests[i]
		if r.Exactly == nil && len(r.FirstAvailable) == 0 {
			a.refusal = fmt.Sprintf("resource claim %s/%s, request %s: unknown request type", c.Namespace, c.Name, r.Name)
		} else if r.Exactly != nil {
			if err := check(r.Exactly.DeviceClassName, r.Name); err != nil {
				return err
			}
		} else {
			for j := range r.FirstAvailable {
				if err := check(r.FirstAvailable[j].DeviceClassName, r.Name+"/"+r.FirstAvailable[j].Name); err != nil || a.refusal != "" {
					return err
				}
			}
		}
		if a.refusal != "" {
			return nil
		}
	}
	return nil
}

// toAllocate returns the claims for which the node must have devices, and a text that is equal for equal
// requests. The reason, if it is not empty, says why the node cannot take the pod.
func (a *attempt) toAllocate(n *outrank.Node) (claims []*resourcev1.ResourceClaim, request, reason string) {
	var special *resourcev1.ResourceClaim
	request = a.request
	if a.extended != nil {
		if special, reason = a.extended.on(a.x, n, len(a.claims) > 1); reason != "" {
			return nil, "", reason
		}
	}
	for _, c := range a.claims {
		if c.Status.Allocation != nil {
			continue
		}
		if a.extended != nil && c == a.extended.claim {
			if special == nil {
				continue
			}
			c = special
			text, _ := json.Marshal(&c.Spec.Devices) // the filter has made it, so that it can be written
			request += string(text)
		}
		claims = append(claims, c)
	}
	return claims, request, ""
}

// unavailable reports whether an allocated claim cannot be used on the node.
func (a *attempt) unavailable(v *view) bool {
	for i := range a.claims {
		if a.unavailableAt(i, v) {
			return true
		}
	}
	return false
}

func (a *attempt) unavailableAt(i int, v *view) bool {
	c := a.claims[i]
	return a.selectors[i] != nil && !a.selectors[i].Match(v.node) || c.Status.Allocation != nil && a.unbound(c)
}

// unbound reports whether the binding of a device of a claim has failed, or whether one still waits and one has
// taken too long.
func (a *attempt) unbound(c *resourcev1.ResourceClaim) bool {
	late, waits := false, false
	for i := range c.Status.Allocation.Devices.Results {
		r := &c.Status.Allocation.Devices.Results[i]
		if len(r.BindingConditions) == 0 {
			continue
		}
		at := c.Status.Allocation.AllocationTimestamp
		late = late || at != nil && !a.config.Now.IsZero() && at.Add(bindingTimeout).Before(a.config.Now)

		// Nothing is looked up about devices after the first one that waits, not even whether they have failed.
		if waits {
			continue
		}
		conditions, reported := conditionsOf(c, r)
		if !reported {
			waits = true
			continue
		}
		for _, kind := range r.BindingFailureConditions {
			if meta.IsStatusConditionTrue(conditions, kind) {
				return true
			}
		}
		for _, kind := range r.BindingConditions {
			waits = waits || !meta.IsStatusConditionTrue(conditions, kind)
		}
	}
	return waits && late
}

func conditionsOf(c *resourcev1.ResourceClaim, r *resourcev1.DeviceRequestAllocationResult) ([]metav1.Condition, bool) {
	for i := range c.Status.Devices {
		if d := &c.Status.Devices[i]; d.Driver == r.Driver && d.Pool == r.Pool && d.Device == r.Device {
			return d.Conditions, true
		}
	}
	return nil, false
}

// Remove follows a pod that leaves.
func (a *attempt) Remove(p *outrank.Pod, n *outrank.Node) { a.change(p, n, 1) }

// Add follows a pod that comes back, or one that is nominated to the node.
func (a *attempt) Add(p *outrank.Pod, n *outrank.Node) { a.change(p, n, -1) }

func (a *attempt) change(p *outrank.Pod, n *outrank.Node, leaves int) {
	switch {
	case !a.config.DRAPreemption:
	case p.NodeName == "":
		a.nominate(p, n.Name, -leaves)
	default:
		a.leave(p, leaves)
	}
}

// Clone returns a copy for another worker.
func (a *attempt) Clone() preemption.FilterState {
	b := *a
	b.changes = a.changes.clone()
	return &b
}
