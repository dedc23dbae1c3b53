package outrank

import "github.com/outrank-go/outrank/resource"

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
