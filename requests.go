package outrank

import (
	"strings"

	"github.com/outrank-go/outrank/resource"
)

// Requests returns what kube-scheduler sets aside for the pod when it looks for a
// place: a pod that does not run yet counts by its spec alone (group 2.1;
// component-helpers PodRequests). The list is new. It also has the resources that no
// node accounts for.
func (p *Pod) Requests() resource.List { return p.schedulerRequests(bySpec, specLevel) }

// RunningRequests returns what the scheduler of a release counts for the pod once
// it is on a node (group 2.2). It equals Requests unless the pod's status names
// requests or says that a resize is infeasible.
//
// In v1.36 a container with reported requests counts the largest of what its spec and
// its status say; plain init containers count by their spec. From v1.37 on the pod is
// summed three times: by the spec, by what is set aside, and by what is in force. The
// largest sum counts. An unknown release counts as the default. The list is new.
func (p *Pod) RunningRequests(r Release) resource.List {
	if r.rules().RequestsBySource {
		return p.requestsBySource()
	}
	return p.schedulerRequests(byStatus, statusLevel)
}

// KubeletRequests returns what the kubelet's preemption counts for the pod (group
// 2.3; GetResourceRequestQuantity). It follows the spec alone. It differs from
// Requests in two ways: with pod-level resources the containers are skipped
// altogether, and overhead is added only to a resource whose sum without it is not
// zero. The list is new.
func (p *Pod) KubeletRequests() resource.List {
	var total resource.List
	if p.hasPodLevelResources() {
		total = p.Resources.Requests.Clone()
	} else {
		total = p.containerRequests(bySpec)
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

// containerView returns the requests that one container of a pod counts with.
type containerView func(p *Pod, c *Container) resource.List

// containerViews has a view for containers that keep running, sidecars included, and
// one for plain init containers.
type containerViews struct{ running, init containerView }

var (
	bySpec   = containerViews{(*Pod).specRequests, (*Pod).specRequests}
	byStatus = containerViews{(*Pod).statusRequests, (*Pod).specRequests} // rule 2.2.4
)

func (p *Pod) specRequests(c *Container) resource.List { return c.Requests }

// reported reports whether the container's status has resources. v1.36 does not look at a
// status without them (rule 2.2.5).
func (c *Container) reported() bool { return c.Reported || c.Actual != nil }

// reported reports whether the pod's status has resources of the pod as a whole (rules
// 2.2.6 and 2.2.8).
func (p *Pod) reported() bool { return p.Reported || p.Actual != nil }

// statusRequests is the view that v1.36 has of a container that keeps running (rules 2.2.1
// to 2.2.5).
func (p *Pod) statusRequests(c *Container) resource.List {
	if !c.reported() {
		return c.Requests
	}
	reported := c.AllocatedResources.Max(c.Actual)
	if p.ResizeInfeasible {
		return reported
	}
	return reported.Max(c.Requests)
}

// schedulerRequests sums a pod as the scheduler does (groups 2.1 and 2.2). Its containers
// count by views; where the pod has pod-level requests, these count by level instead.
func (p *Pod) schedulerRequests(views containerViews, level levelView) resource.List {
	total := p.containerRequests(views)

	// Pod-level requests replace the sums (rules 2.1.6 and 2.2.9), and overhead comes last.
	if p.Resources != nil {
		for name := range p.Resources.Requests {
			if podLevel(name) {
				total[name] = level(p, name)
			}
		}
	}
	notBelowZero(total)
	addTo(total, p.Overhead)
	return total
}

// notBelowZero sets amounts below zero to 0 (rule 2.2.19). Only a status can lead to
// such sums.
func notBelowZero(l resource.List) {
	for name, q := range l {
		l[name] = orZero(q)
	}
}

// orZero returns q, or 0 if q is below it.
func orZero(q resource.Quantity) resource.Quantity {
	if q.Sign() < 0 {
		return resource.Quantity{}
	}
	return q
}

// levelView returns the pod-level amount that a pod counts with, for a resource that its
// pod-level requests name.
type levelView func(p *Pod, name resource.Name) resource.Quantity

// specLevel is the view of the spec (rule 2.1.6).
func specLevel(p *Pod, name resource.Name) resource.Quantity { return p.Resources.Requests[name] }

// statusLevel is the view that v1.36 has of a pod on a node: the largest amount in the spec
// and the status (rules 2.2.6 to 2.2.8).
func statusLevel(p *Pod, name resource.Name) resource.Quantity {
	if !p.reported() {
		return p.Resources.Requests[name]
	}
	q := larger(p.AllocatedResources[name], p.Actual[name])
	if p.ResizeInfeasible {
		return q
	}
	return larger(q, p.Resources.Requests[name])
}

// containerRequests sums the containers (rules 2.1.1 to 2.1.5). For each
// resource it returns the larger of two amounts: the sum of the containers that keep
// running, and the largest step. A step is an init container together with the sidecars
// that run by then. The list is new.
func (p *Pod) containerRequests(views containerViews) resource.List {
	total := resource.List{}
	for i := range p.Containers {
		addTo(total, views.running(p, &p.Containers[i]))
	}

	// A sidecar counts in the total and in every step from its own on. A plain init
	// container counts in its own step alone.
	var sidecars, largest resource.List
	for i := range p.InitContainers {
		c := &p.InitContainers[i]
		var step resource.List
		if c.Sidecar {
			step = views.running(p, c)
			addTo(total, step)
			sidecars = sidecars.Plus(step)
			step = sidecars
		} else if step = views.init(p, c); len(sidecars) > 0 {
			step = sidecars.Plus(step)
		}

		// The first step needs no copy, because none of these lists is written.
		if len(largest) == 0 {
			largest = step
		} else {
			largest = largest.Max(step)
		}
	}

	// A resource that no running container names counts even with a negative amount.
	for name, q := range largest {
		if sum, ok := total[name]; !ok || q.Cmp(sum) > 0 {
			total[name] = q
		}
	}
	return total
}

// hasPodLevelResources reports whether pod-level requests or limits name a
// resource that may be set there (rule 2.3.2; component-helpers
// IsPodLevelResourcesSet).
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

// addTo adds the amounts of more to total, which it writes.
func addTo(total, more resource.List) {
	for name, q := range more {
		if sum, ok := total[name]; ok {
			q = sum.Add(q)
		}
		total[name] = q
	}
}
