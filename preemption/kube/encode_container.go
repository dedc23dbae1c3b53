package kube

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/resource"
)

// container returns the wire form of a container that is encoded by itself.
func (e *encoder) container(c *outrank.Container) *manifest.Container {
	e.subject = "container " + c.Name
	w := wireContainer(c)
	return &w
}

// wireContainers returns the wire form of a list of containers; an empty one becomes nil.
func wireContainers(cs []outrank.Container) []manifest.Container {
	if len(cs) == 0 {
		return nil
	}
	out := make([]manifest.Container, len(cs))
	for i := range cs {
		out[i] = wireContainer(&cs[i])
	}
	return out
}

// someBindMountOption stands in for the bind mount options of a container. Only whether there are any is kept.
const someBindMountOption = "nosuid"

// wireContainer returns the wire form of a container's spec.
func wireContainer(c *outrank.Container) manifest.Container {
	w := manifest.Container{Name: c.Name, Image: c.Image, Resources: wireRequirements(c.Requests, c.Limits)}
	if c.Sidecar {
		w.RestartPolicy = "Always"
	}
	if c.RestartsAll {
		w.RestartRules = []manifest.RestartRule{{Action: restartAllAction}}
	}
	if c.BindMountOptions {
		w.VolumeMounts = []manifest.VolumeMount{{BindMountOptions: []string{someBindMountOption}}}
	}
	for _, p := range c.Ports {
		w.Ports = append(w.Ports, manifest.Port{HostPort: p.HostPort, HostIP: p.HostIP, Protocol: p.Protocol})
	}
	return w
}

// statuses returns the statuses of the containers that have one. A status is assigned to its container by name, so
// containers of the same name must have equal statuses; the status is written once.
func (e *encoder) statuses(cs []outrank.Container, field string, spec *apis.Path) []manifest.ContainerStatus {
	var out []manifest.ContainerStatus
	for i := range cs {
		c := &cs[i]
		if twin := sameName(cs[:i], c.Name); twin != nil {
			if !sameStatus(twin, c) {
				list := spec.Field(field)
				at := list.At(i)
				name := at.Field("name")
				e.add(&name, "two containers are called %s, and their statuses differ", apis.Quote(c.Name))
			}
			continue
		}

		if there := hasReport(c.Reported, c.Actual); there || c.AllocatedResources != nil {
			st := manifest.ContainerStatus{Name: c.Name, AllocatedResources: wireReported(c.AllocatedResources)}
			if there {
				r := manifest.Requirements{Requests: wireReported(c.Actual)}
				st.Resources = &r
			}
			out = append(out, st)
		}
	}
	return out
}

// sameName returns the first container with this name, or nil.
func sameName(cs []outrank.Container, name string) *outrank.Container {
	for i := range cs {
		if cs[i].Name == name {
			return &cs[i]
		}
	}
	return nil
}

// sameStatus reports whether two containers have equal statuses.
func sameStatus(a, b *outrank.Container) bool {
	return hasReport(a.Reported, a.Actual) == hasReport(b.Reported, b.Actual) && sameReport(a.AllocatedResources, b.AllocatedResources) && sameReport(a.Actual, b.Actual)
}

// hasReport reports whether a status has the field resources. reported is set if that field has no requests.
func hasReport(reported bool, actual resource.List) bool { return reported || actual != nil }

// sameReport reports whether two lists of a status are equal. An empty list differs from a missing one.
func sameReport(a, b resource.List) bool { return (a == nil) == (b == nil) && a.Equal(b) }
