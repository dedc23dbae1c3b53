package kube

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// containers converts one of a pod's two lists of containers, with their statuses. If a container has no status in the
// list of its own kind, its status is looked up in the other list (rule 2.2.14).
func (cv *converter) containers(cs []manifest.Container, statuses, others []manifest.ContainerStatus, list *apis.Path) []outrank.Container {
	if len(cs) == 0 {
		return nil
	}

	out := make([]outrank.Container, len(cs))
	byName, elsewhere := statusesByName(statuses), statusesByName(others)
	for i := range cs {
		c, at := &cs[i], list.At(i)
		out[i] = cv.container(c, &at)

		st := byName(c.Name)
		if st == nil {
			st = elsewhere(c.Name)
		}
		if st != nil {
			cv.status(&out[i], st, &at)
		}
	}
	return out
}

// fewStatuses is the largest number of statuses that are searched one by one. For more a map is faster.
const fewStatuses = 8

// statusesByName returns a function that returns the first status of a name, or nil.
func statusesByName(statuses []manifest.ContainerStatus) func(name string) *manifest.ContainerStatus {
	if len(statuses) <= fewStatuses {
		return func(name string) *manifest.ContainerStatus {
			for i := range statuses {
				if statuses[i].Name == name {
					return &statuses[i]
				}
			}
			return nil
		}
	}

	first := make(map[string]*manifest.ContainerStatus, len(statuses))
	for i := range statuses {
		if _, known := first[statuses[i].Name]; !known {
			first[statuses[i].Name] = &statuses[i]
		}
	}
	return func(name string) *manifest.ContainerStatus { return first[name] }
}

// container converts the spec of a container. at is its path in the pod, nil for a container that is read by itself.
func (cv *converter) container(w *manifest.Container, at *apis.Path) outrank.Container {
	res := at.Field("resources")
	r := cv.requirements(&w.Resources, &res)
	c := outrank.Container{
		Name: cv.text(w.Name), Image: cv.text(w.Image), Requests: r.Requests, Limits: r.Limits,
		Sidecar: w.RestartPolicy == restartsAlways,
	}

	cv.word(w.RestartPolicy, restartPolicies, "restartPolicy", at)
	for i := range w.RestartRules {
		if action := w.RestartRules[i].Action; !apis.IsWord(action, restartActions) {
			list := at.Field("restartPolicyRules")
			rule := list.At(i)
			cv.word(action, restartActions, "action", &rule)
		}
		c.RestartsAll = c.RestartsAll || w.RestartRules[i].Action == restartAllAction
	}

	for i := range w.VolumeMounts {
		c.BindMountOptions = c.BindMountOptions || len(w.VolumeMounts[i].BindMountOptions) > 0
	}
	for _, p := range w.Ports {
		c.Ports = append(c.Ports, outrank.Port{HostPort: p.HostPort, HostIP: cv.text(p.HostIP), Protocol: cv.text(p.Protocol)})
	}
	return c
}

// status converts the requests that a container's status reports. If it has resources without requests, Reported is set,
// because that differs from a status without resources.
func (cv *converter) status(c *outrank.Container, st *manifest.ContainerStatus, container *apis.Path) {
	at := container.Field("(status).allocatedResources")
	c.AllocatedResources = cv.reported(st.AllocatedResources, &at)
	if st.Resources != nil {
		at = container.Field("(status).resources.requests")
		c.Actual = cv.reported(st.Resources.Requests, &at)
		c.Reported = c.Actual == nil
	}
}
