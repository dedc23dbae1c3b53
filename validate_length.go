package outrank

import (
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/resource"
)

// mostListed bounds the length of lists that decisions compare entry by entry with another list
// (rule 26.1.8). To compare two lists of that length takes some seconds at most. The objects that
// an API server stores have a few entries, or a few hundred.
const mostListed = 10_000

// length refuses a list that is too long.
func (v *validator) length(n int, at *apis.Path) {
	if n > mostListed {
		v.add(at, "%d entries, and there can be %d", n, mostListed)
	}
}

// hostPorts counts the ports that the containers of a pod take on their node.
func (p *Pod) hostPorts() (n int) {
	for _, cs := range [...][]Container{p.Containers, p.InitContainers} {
		for i := range cs {
			for j := range cs[i].Ports {
				if cs[i].Ports[j].HostPort != 0 {
					n++
				}
			}
		}
	}
	return n
}

// amounts counts the requests of a pod and its containers.
func (p *Pod) amounts() int {
	n := len(p.Overhead)
	if p.Resources != nil {
		n += len(p.Resources.Requests)
	}
	for _, cs := range [...][]Container{p.Containers, p.InitContainers} {
		for i := range cs {
			n += len(cs[i].Requests)
		}
	}
	return n
}

// lengths refuses lists of a pod that are too long.
func (v *validator) lengths(p *Pod, spec *apis.Path) {
	ports, amounts := spec.Field("containers[*].ports"), spec.Field("containers[*].resources.requests")
	v.length(p.hostPorts(), &ports)
	v.length(p.amounts(), &amounts)

	// Required and preferred terms share a field in the message, so the longer list counts.
	aff := spec.Field("affinity")
	near, apart := aff.Field("podAffinity"), aff.Field("podAntiAffinity")
	nearer, farther := 0, 0
	if p.Preferences != nil {
		nearer, farther = len(p.Preferences.PodAffinity), len(p.Preferences.PodAntiAffinity)
	}
	v.length(max(len(p.Affinity.PodAffinity), nearer), &near)
	v.length(max(len(p.Affinity.PodAntiAffinity), farther), &apart)

	spread, volumes := spec.Field("topologySpreadConstraints"), spec.Field("volumes")
	v.length(len(p.TopologySpreadConstraints), &spread)
	v.length(len(p.Volumes), &volumes)
}

// short reports whether a list of amounts is not too long.
func short(l resource.List) bool { return len(l) <= mostListed }
