package outrank

import "github.com/outrank-go/outrank/resource"

// FilledRequestOfIn is RunningRequestOfIn with an amount for each container that does not
// name the resource, as scores count (rule 27.3.3 of preemption/score; component-helpers
// NonMissingContainerRequests).
func (p *Pod) FilledRequestOfIn(r Release, name resource.Name, missing resource.Quantity) resource.Quantity {
	if eachNames(p.Containers, name) && eachNames(p.InitContainers, name) && p.lastSource() == fromSpec {
		return p.RunningRequestOfIn(r, name)
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
	var views [numSources]resourceViews
	for s := range numSources {
		one := filled(s.named)
		views[s] = resourceViews{one, one}
	}
	return p.requestBySource(name, &views)
}

// namedView is a resourceView that says whether there is an amount.
type namedView func(p *Pod, c *Container, name resource.Name) (q resource.Quantity, named bool)

func (s source) named(p *Pod, c *Container, name resource.Name) (q resource.Quantity, named bool) {
	q, named = s.list(p, c)[name]
	return q, named
}

func eachNames(cs []Container, name resource.Name) bool {
	for i := range cs {
		if _, ok := cs[i].Requests[name]; !ok {
			return false
		}
	}
	return true
}
