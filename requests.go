package outrank

import (
	"strings"

	"github.com/outrank-go/outrank/resource"
)

// Requests is what kube-scheduler sets aside for the pod when it looks for a
// place: a pod that does not run yet counts by its spec alone (group 2.1; component-helpers PodRequests). The list is new; names that no node
// accounts for stay in it.
func (p *Pod) Requests() resource.List { return p.schedulerRequests((*Pod).specRequests, specLevel) }

// RunningRequests is what the scheduler counts for the pod once it is on a
// node: as Requests, but a container that is being resized in place counts the
// largest of what its spec and its status say (group 2.2). Plain init
// containers are not resized and count by their spec.
func (p *Pod) RunningRequests() resource.List {
	return p.schedulerRequests((*Pod).statusRequests, statusLevel)
}

// KubeletRequests is what the kubelet's preemption counts for the pod (group
// 2.3; GetResourceRequestQuantity). It differs from Requests in two ways: with
// pod-level resources the containers are skipped altogether, and overhead is
// added only to resources of which the rest is not zero. It follows the spec
// alone.
func (p *Pod) KubeletRequests() resource.List {
	var total resource.List
	if p.hasPodLevelResources() {
		total = p.Resources.Requests.Clone()
	} else {
		total = p.containerRequests((*Pod).specRequests)
	}
	if total == nil {
		total = resource.List{}
	}
	for name, q := range p.Overhead {
		if sum, ok := total[name]; ok && !sum.IsZero() {
			total[name] = sum.Add(q)
		}
	}
	return total
}

// containerView says what one container of a pod counts with.
type containerView func(p *Pod, c *Container) resource.List

func (p *Pod) specRequests(c *Container) resource.List { return c.Requests }

func (p *Pod) statusRequests(c *Container) resource.List {
	if c.Allocated == nil && c.Actual == nil {
		return c.Requests
	}
	reported := c.Allocated.Max(c.Actual)
	if p.ResizeInfeasible {
		return reported
	}
	return reported.Max(c.Requests)
}

func (p *Pod) schedulerRequests(view containerView, level levelView) resource.List {
	total := p.containerRequests(view)
	if p.Resources != nil {
		for name := range p.Resources.Requests {
			if podLevel(name) {
				total[name] = level(p, name)
			}
		}
	}
	addTo(total, p.Overhead)
	return total
}

// levelView returns what a pod as a whole counts with, for a resource that its
// pod-level requests name.
type levelView func(p *Pod, name resource.Name) resource.Quantity

func specLevel(p *Pod, name resource.Name) resource.Quantity { return p.Resources.Requests[name] }

// statusLevel is the largest of what the spec and the status say.
func statusLevel(p *Pod, name resource.Name) resource.Quantity {
	if p.Actual == nil {
		return p.Resources.Requests[name]
	}
	q := larger(p.Allocated[name], p.Actual[name])
	if p.ResizeInfeasible {
		return q
	}
	return larger(q, p.Resources.Requests[name])
}

// containerRequests sums the containers (rules 2.1.1 to 2.1.5). Per
// resource it is the larger of the running sum and the largest init step.
func (p *Pod) containerRequests(view containerView) resource.List {
	total := resource.List{}
	for i := range p.Containers {
		addTo(total, view(p, &p.Containers[i]))
	}
	var sidecars, largest resource.List
	for i := range p.InitContainers {
		c := &p.InitContainers[i]
		step := c.Requests
		if c.Sidecar {
			step = view(p, c)
			addTo(total, step)
			sidecars = sidecars.Plus(step)
			step = sidecars
		} else if len(sidecars) > 0 {
			step = sidecars.Plus(step)
		}
		if len(largest) == 0 {
			largest = step
		} else {
			largest = largest.Max(step)
		}
	}
	for name, q := range largest {
		if sum, ok := total[name]; !ok || q.Cmp(sum) > 0 {
			total[name] = q
		}
	}
	return total
}

// hasPodLevelResources reports whether pod-level requests or limits name a
// resource that may be set there (component-helpers IsPodLevelResourcesSet).
func (p *Pod) hasPodLevelResources() bool {
	if p.Resources == nil {
		return false
	}
	for name := range p.Resources.Requests {
		if podLevel(name) {
			return true
		}
	}
	for name := range p.Resources.Limits {
		if podLevel(name) {
			return true
		}
	}
	return false
}

// podLevel reports whether a pod as a whole may ask for the resource.
func podLevel(name resource.Name) bool {
	return name == resource.CPU || name == resource.Memory ||
		strings.HasPrefix(string(name), resource.HugePagesPrefix)
}

// addTo adds more to the map total.
func addTo(total, more resource.List) {
	for name, q := range more {
		if sum, ok := total[name]; ok {
			q = sum.Add(q)
		}
		total[name] = q
	}
}

// RequestOf is Requests for one resource; 0 for one that the pod does not ask
// for. It builds no list and mostly allocates nothing.
func (p *Pod) RequestOf(name resource.Name) resource.Quantity {
	return p.schedulerRequestOf(name, specRequestOf, specLevel)
}

// RunningRequestOf is RunningRequests for one resource; see RequestOf.
func (p *Pod) RunningRequestOf(name resource.Name) resource.Quantity {
	return p.schedulerRequestOf(name, statusRequestOf, statusLevel)
}

// KubeletRequestOf is KubeletRequests for one resource; see RequestOf.
func (p *Pod) KubeletRequestOf(name resource.Name) resource.Quantity {
	if p.hasPodLevelResources() {
		return withOverhead(p.Resources.Requests[name], p.Overhead, name)
	}
	return withOverhead(p.containerRequestOf(name, specRequestOf), p.Overhead, name)
}

// withOverhead adds overhead to what is not zero.
func withOverhead(q resource.Quantity, overhead resource.List, name resource.Name) resource.Quantity {
	if q.IsZero() || len(overhead) == 0 {
		return q
	}
	return plus(q, overhead, name)
}

// plus adds what a list has of a resource.
func plus(q resource.Quantity, l resource.List, name resource.Name) resource.Quantity {
	if more, ok := l[name]; ok {
		return q.Add(more)
	}
	return q
}

// resourceView is a containerView for one resource.
type resourceView func(p *Pod, c *Container, name resource.Name) resource.Quantity

func specRequestOf(_ *Pod, c *Container, name resource.Name) resource.Quantity {
	return c.Requests[name]
}

func statusRequestOf(p *Pod, c *Container, name resource.Name) resource.Quantity {
	if c.Allocated == nil && c.Actual == nil {
		return c.Requests[name]
	}
	q := larger(c.Allocated[name], c.Actual[name])
	if p.ResizeInfeasible {
		return q
	}
	return larger(q, c.Requests[name])
}

func larger(a, b resource.Quantity) resource.Quantity {
	if b.Cmp(a) > 0 {
		return b
	}
	return a
}

func (p *Pod) schedulerRequestOf(name resource.Name, view resourceView, level levelView) resource.Quantity {
	if p.Resources != nil && podLevel(name) {
		if _, ok := p.Resources.Requests[name]; ok {
			return plus(level(p, name), p.Overhead, name)
		}
	}
	return plus(p.containerRequestOf(name, view), p.Overhead, name)
}

// containerRequestOf is containerRequests for one resource.
func (p *Pod) containerRequestOf(name resource.Name, view resourceView) resource.Quantity {
	var total, sidecars, largest resource.Quantity
	for i := range p.Containers {
		total = total.Add(view(p, &p.Containers[i], name))
	}
	for i := range p.InitContainers {
		c := &p.InitContainers[i]
		step := sidecars.Add(c.Requests[name])
		if c.Sidecar {
			own := view(p, c, name)
			total, sidecars = total.Add(own), sidecars.Add(own)
			step = sidecars
		}
		if i == 0 || step.Cmp(largest) > 0 {
			largest = step
		}
	}
	if len(p.InitContainers) > 0 && largest.Cmp(total) > 0 {
		return largest
	}
	return total
}
