package outrank

import "github.com/outrank-go/outrank/resource"

// The functions of this file do for one resource what requests.go does for lists of all resources. They build
// no lists.

// RequestOf is Requests for one resource, and returns 0 for a resource that the pod
// does not ask for. It builds no list and mostly allocates nothing.
func (p *Pod) RequestOf(name resource.Name) resource.Quantity {
	if p.plain() {
		return p.plainRequestOf(name)
	}
	return p.schedulerRequestOf(name, specOf, specLevel)
}

// RunningRequestOf is RunningRequests for one resource; see RequestOf.
func (p *Pod) RunningRequestOf(r Release, name resource.Name) resource.Quantity {
	if p.plain() {
		return p.plainRequestOf(name)
	}
	if r.rules().RequestsBySource {
		return p.requestBySource(name, &ofSource)
	}
	return p.schedulerRequestOf(name, statusOf, statusLevel)
}

// plain reports whether nothing but the specs of the app containers counts for the pod: it has
// no init containers, no overhead, no pod-level resources, and no requests in its status. Most
// pods are plain. Every view of a plain pod gives the same amounts.
func (p *Pod) plain() bool {
	if p.Resources != nil || p.AllocatedResources != nil || p.reported() || p.ResizeInfeasible ||
		len(p.InitContainers) > 0 || len(p.Overhead) > 0 {
		return false
	}

	for i := range p.Containers {
		if c := &p.Containers[i]; c.AllocatedResources != nil || c.reported() {
			return false
		}
	}
	return true
}

// plainRequestOf is RequestOf for a plain pod.
func (p *Pod) plainRequestOf(name resource.Name) resource.Quantity {
	var total resource.Quantity
	for i := range p.Containers {
		total = total.Add(p.Containers[i].Requests[name])
	}
	return orZero(total)
}

// KubeletRequestOf is KubeletRequests for one resource; see RequestOf.
func (p *Pod) KubeletRequestOf(name resource.Name) resource.Quantity {
	if p.hasPodLevelResources() {
		return withOverhead(p.Resources.Requests[name], p.Overhead, name)
	}
	return withOverhead(p.containerRequestOf(name, specOf), p.Overhead, name)
}

// withOverhead adds the overhead of a resource to an amount that is not zero (rule 2.3.3).
func withOverhead(q resource.Quantity, overhead resource.List, name resource.Name) resource.Quantity {
	if q.IsZero() || len(overhead) == 0 {
		return q
	}
	return plus(q, overhead, name)
}

// plus adds a list's amount of a resource to q.
func plus(q resource.Quantity, l resource.List, name resource.Name) resource.Quantity {
	if more, ok := l[name]; ok {
		return q.Add(more)
	}
	return q
}

// resourceView is a containerView for one resource.
type resourceView func(p *Pod, c *Container, name resource.Name) resource.Quantity

// resourceViews is containerViews for one resource.
type resourceViews struct{ running, init resourceView }

var (
	specOf   = resourceViews{specRequestOf, specRequestOf}
	statusOf = resourceViews{statusRequestOf, specRequestOf}
)

func specRequestOf(_ *Pod, c *Container, name resource.Name) resource.Quantity {
	return c.Requests[name]
}

func statusRequestOf(p *Pod, c *Container, name resource.Name) resource.Quantity {
	q, _ := statusNamed(p, c, name)
	return q
}

// statusNamed is statusRequestOf, and also reports whether any of the lists that count names
// the resource.
func statusNamed(p *Pod, c *Container, name resource.Name) (q resource.Quantity, named bool) {
	if !c.reported() {
		q, named = c.Requests[name]
		return q, named
	}
	q, named = c.AllocatedResources[name]
	q, named = largerNamed(q, named, c.Actual, name)
	if !p.ResizeInfeasible {
		q, named = largerNamed(q, named, c.Requests, name)
	}
	return q, named
}

// largerNamed returns the larger of q and a list's amount of a resource. Either may be
// missing, and then the other counts even if it is below zero, as it can be in a status.
func largerNamed(q resource.Quantity, named bool, l resource.List, name resource.Name) (resource.Quantity, bool) {
	other, ok := l[name]
	switch {
	case !ok:
		return q, named
	case !named:
		return other, true
	}
	return larger(q, other), true
}

// larger returns the larger amount, a if they are equal.
func larger(a, b resource.Quantity) resource.Quantity {
	if b.Cmp(a) > 0 {
		return b
	}
	return a
}

func (p *Pod) schedulerRequestOf(name resource.Name, views resourceViews, level levelView) resource.Quantity {
	if p.Resources != nil && podLevel(name) {
		if _, ok := p.Resources.Requests[name]; ok {
			return plus(orZero(level(p, name)), p.Overhead, name)
		}
	}
	return plus(orZero(p.containerRequestOf(name, views)), p.Overhead, name)
}

// containerRequestOf is containerRequests for one resource.
func (p *Pod) containerRequestOf(name resource.Name, views resourceViews) resource.Quantity {
	var total, sidecars, largest resource.Quantity
	for i := range p.Containers {
		total = total.Add(views.running(p, &p.Containers[i], name))
	}

	// A sidecar counts in the total and in every step from its own on, a plain init container in
	// its own step alone.
	for i := range p.InitContainers {
		c := &p.InitContainers[i]
		var step resource.Quantity
		if c.Sidecar {
			own := views.running(p, c, name)
			total, sidecars = total.Add(own), sidecars.Add(own)
			step = sidecars
		} else {
			step = sidecars.Add(views.init(p, c, name))
		}

		// The first step counts even if it is below zero.
		if i == 0 || step.Cmp(largest) > 0 {
			largest = step
		}
	}

	if len(p.InitContainers) > 0 && largest.Cmp(total) > 0 {
		return largest
	}
	return total
}
