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

// The functions below do for one resource what the functions above do for lists. They build no lists.

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

// FilledRequestOf is RunningRequestOf, except that a container that does not name the resource
// counts as if it requested the amount missing. Scores use it (rule 27.3.3 of
// preemption/scheduler/score; component-helpers NonMissingContainerRequests).
func (p *Pod) FilledRequestOf(r Release, name resource.Name, missing resource.Quantity) resource.Quantity {
	if p.plain() {
		return p.plainFilledRequestOf(name, missing)
	}

	// If every spec names the resource and no status counts, there is nothing to fill in.
	if eachNames(p.Containers, name) && eachNames(p.InitContainers, name) && p.lastSource() == fromSpec {
		return p.RunningRequestOf(r, name)
	}

	filled := func(view namedView) resourceView {
		return func(p *Pod, c *Container, name resource.Name) resource.Quantity {
			if q, named := view(p, c, name); named {
				return q
			}
			return missing
		}
	}
	if !r.rules().RequestsBySource {
		return p.schedulerRequestOf(name, resourceViews{filled(statusNamed), filled(fromSpec.named)}, statusLevel)
	}

	// Each source is filled by itself: a container may lack the resource in one of them alone.
	var views [numSources]resourceViews
	for s := range numSources {
		one := filled(s.named)
		views[s] = resourceViews{one, one}
	}
	return p.requestBySource(name, &views)
}

// plainFilledRequestOf is FilledRequestOf for a plain pod.
func (p *Pod) plainFilledRequestOf(name resource.Name, missing resource.Quantity) resource.Quantity {
	var total resource.Quantity
	for i := range p.Containers {
		q, named := p.Containers[i].Requests[name]
		if !named {
			q = missing
		}
		total = total.Add(q)
	}
	return orZero(total)
}

// namedView is a resourceView that also says whether the container names the resource.
type namedView func(p *Pod, c *Container, name resource.Name) (q resource.Quantity, named bool)

// named is the namedView that looks at one source.
func (s source) named(p *Pod, c *Container, name resource.Name) (q resource.Quantity, named bool) {
	q, named = s.list(p, c)[name]
	return q, named
}

// eachNames reports whether the spec of each container names the resource.
func eachNames(cs []Container, name resource.Name) bool {
	for i := range cs {
		if _, ok := cs[i].Requests[name]; !ok {
			return false
		}
	}
	return true
}
