package outrank

import "github.com/outrank-go/outrank/resource"

// source is one place that states the requests of a pod on a node. From v1.37 on
// each is summed by itself (rule 2.2.11).
type source uint8

const (
	fromSpec source = iota
	fromAllocated
	fromActual
	numSources
)

// list returns a container's requests by a source (rules 2.2.12 to 2.2.14). Where the
// status lacks a list, another one stands in: what is set aside for what is in force, and
// the spec for both. The spec of an infeasible resize stands in for nothing (rule 2.2.15).
func (s source) list(p *Pod, c *Container) resource.List {
	switch {
	case s == fromActual && c.Actual != nil:
		return c.Actual
	case s != fromSpec && c.AllocatedResources != nil:
		return c.AllocatedResources
	case s != fromSpec && p.ResizeInfeasible:
		return nil
	}
	return c.Requests
}

// level returns the pod-level requests that the status states for a source, or nil. They count
// in place of all containers, but only if the status has both lists (rule 2.2.16).
func (s source) level(p *Pod) resource.List {
	switch {
	case p.Actual == nil || p.AllocatedResources == nil:
		return nil
	case s == fromAllocated:
		return p.AllocatedResources
	case s == fromActual:
		return p.Actual
	}
	return nil
}

// bySource has the views of each source for whole lists, ofSource for one resource. A source
// treats plain init containers like all other containers.
var (
	bySource [numSources]containerViews
	ofSource [numSources]resourceViews
)

func init() {
	for s := range numSources {
		list := func(p *Pod, c *Container) resource.List { return s.list(p, c) }
		one := func(p *Pod, c *Container, name resource.Name) resource.Quantity { return s.list(p, c)[name] }
		bySource[s] = containerViews{list, list}
		ofSource[s] = resourceViews{one, one}
	}
}

// firstSource returns the first source that counts. The spec of an infeasible resize does not
// count (rule 2.2.15).
func (p *Pod) firstSource() source {
	if p.ResizeInfeasible {
		return fromAllocated
	}
	return fromSpec
}

// lastSource returns the last source that has to be summed. If the status names no requests,
// this is the spec, because the other sums would equal its sum.
func (p *Pod) lastSource() source {
	if !p.ResizeInfeasible && p.Actual == nil && silent(p.Containers) && silent(p.InitContainers) {
		return fromSpec
	}
	return fromActual
}

// silent reports whether the statuses of the containers name no requests.
func silent(cs []Container) bool {
	for i := range cs {
		if cs[i].AllocatedResources != nil || cs[i].Actual != nil {
			return false
		}
	}
	return true
}

// requestsBySource returns, for each resource, the largest of the sums by source (rules 2.2.11
// to 2.2.18).
func (p *Pod) requestsBySource() resource.List {
	// The pod is summed once for each source, and the largest sum of each resource counts.
	total := resource.List{}
	for s := p.firstSource(); s <= p.lastSource(); s++ {
		sum := s.level(p)
		if sum == nil {
			sum = p.containerRequests(bySource[s])
		}
		for name, q := range sum {
			if most, ok := total[name]; !ok || q.Cmp(most) > 0 {
				total[name] = q
			}
		}
	}

	// Pod-level figures replace the sums (rule 2.2.17), and overhead comes last.
	if p.namesPodLevel() {
		for _, l := range p.levels() {
			for name := range l {
				if podLevel(name) {
					total[name], _ = p.levelOf(name)
				}
			}
		}
	}

	notBelowZero(total)
	addTo(total, p.Overhead)
	return total
}

// requestBySource is requestsBySource for one resource.
func (p *Pod) requestBySource(name resource.Name, views *[numSources]resourceViews) resource.Quantity {
	if podLevel(name) && p.namesPodLevel() {
		if q, ok := p.levelOf(name); ok {
			return plus(orZero(q), p.Overhead, name)
		}
	}
	return plus(orZero(p.mostBySource(name, views)), p.Overhead, name)
}

// mostBySource returns the largest sum of a resource by any source that counts.
func (p *Pod) mostBySource(name resource.Name, views *[numSources]resourceViews) resource.Quantity {
	first := p.firstSource()
	most := first.sumOf(p, name, &views[first])
	for s := first + 1; s <= p.lastSource(); s++ {
		most = larger(most, s.sumOf(p, name, &views[s]))
	}
	return most
}

// sumOf returns the pod's sum of a resource by a source.
func (s source) sumOf(p *Pod, name resource.Name, views *resourceViews) resource.Quantity {
	if l := s.level(p); l != nil {
		return l[name]
	}
	return p.containerRequestOf(name, *views)
}

// namesPodLevel reports whether pod-level requests name a resource that counts there
// (rule 2.2.17).
func (p *Pod) namesPodLevel() bool {
	if p.Resources == nil {
		return false
	}
	for name := range p.Resources.Requests {
		if podLevel(name) {
			return true
		}
	}
	return false
}

// levels returns the pod-level lists by source; the largest amount in them counts (rule
// 2.2.17). It leaves out the spec of an infeasible resize, and a status without resources.
func (p *Pod) levels() [numSources]resource.List {
	if !p.reported() {
		return [numSources]resource.List{fromSpec: p.Resources.Requests}
	}
	ls := [numSources]resource.List{fromAllocated: p.AllocatedResources, fromActual: p.Actual}
	if !p.ResizeInfeasible {
		ls[fromSpec] = p.Resources.Requests
	}
	return ls
}

// levelOf returns the largest amount of a resource in the levels. ok is false if none of
// them names the resource.
func (p *Pod) levelOf(name resource.Name) (most resource.Quantity, ok bool) {
	for _, l := range p.levels() {
		if q, named := l[name]; named && (!ok || q.Cmp(most) > 0) {
			most, ok = q, true
		}
	}
	return most, ok
}
