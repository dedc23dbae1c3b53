package convert

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// podContainers converts the two lists of containers, and the requests at pod level.
func (ps *problems) podContainers(out *outrank.Pod, p *corev1.Pod) {
	spec, status := &p.Spec, &p.Status
	out.Containers = ps.containers(spec.Containers, status.ContainerStatuses, status.InitContainerStatuses, "containers")
	out.InitContainers = ps.containers(spec.InitContainers, status.InitContainerStatuses, status.ContainerStatuses, "initContainers")
	if r := spec.Resources; r != nil {
		out.Resources = &resource.Requirements{
			Requests: ps.amounts(r.Requests, "spec.resources.requests"),
			Limits:   ps.amounts(r.Limits, "spec.resources.limits"),
		}
	}
	out.AllocatedResources = ps.reported(status.AllocatedResources, "status.allocatedResources")
	if status.Resources != nil {
		out.Actual = ps.reported(status.Resources.Requests, "status.resources.requests")
		out.Reported = out.Actual == nil
	}
}

// containers converts one of the two lists. The status of a container is looked up in its own list first.
func (ps *problems) containers(cs []corev1.Container, statuses, others []corev1.ContainerStatus, list string) []outrank.Container {
	if len(cs) == 0 {
		return nil
	}
	out := make([]outrank.Container, len(cs))
	same, other := statusIndex(len(cs), statuses), statusIndex(len(cs), others)
	for i := range cs {
		before := len(ps.list)
		ps.container(&out[i], &cs[i])
		st := same.find(statuses, cs[i].Name)
		if st == nil {
			st = other.find(others, cs[i].Name)
		}
		if st != nil {
			ps.containerStatus(&out[i], st)
		}
		for j := range ps.list[before:] { // the path of a problem is completed only if there is a problem
			one := &ps.list[before+j]
			one.Field = "spec." + list + "[" + strconv.Itoa(i) + "]." + one.Field
		}
	}
	return out
}

func (ps *problems) container(out *outrank.Container, c *corev1.Container) {
	out.Name, out.Image = c.Name, c.Image
	out.Requests = ps.amounts(c.Resources.Requests, "resources.requests")
	out.Limits = ps.amounts(c.Resources.Limits, "resources.limits")

	policy := valueOf(c.RestartPolicy)
	out.Sidecar = policy == corev1.ContainerRestartPolicyAlways
	word(ps, policy, "restartPolicy", corev1.ContainerRestartPolicyAlways, corev1.ContainerRestartPolicyOnFailure, corev1.ContainerRestartPolicyNever)

	for i := range c.RestartPolicyRules {
		switch action := c.RestartPolicyRules[i].Action; action {
		case corev1.ContainerRestartRuleActionRestart:
		case corev1.ContainerRestartRuleActionRestartAllContainers:
			out.RestartsAll = true
		default:
			word(ps, action, "restartPolicyRules["+strconv.Itoa(i)+"].action", corev1.ContainerRestartRuleActionRestart, corev1.ContainerRestartRuleActionRestartAllContainers)
		}
	}

	for i := range c.VolumeMounts {
		out.BindMountOptions = out.BindMountOptions || bindOptions(&c.VolumeMounts[i])
	}
	if len(c.Ports) > 0 {
		out.Ports = make([]outrank.Port, len(c.Ports))
		for i := range c.Ports {
			p := &c.Ports[i]
			out.Ports[i] = outrank.Port{HostPort: p.HostPort, HostIP: p.HostIP, Protocol: string(p.Protocol)}
		}
	}
}

// containerStatus converts the requests that a container's status reports.
func (ps *problems) containerStatus(out *outrank.Container, st *corev1.ContainerStatus) {
	out.AllocatedResources = ps.reported(st.AllocatedResources, "(status).allocatedResources")
	if st.Resources != nil {
		out.Actual = ps.reported(st.Resources.Requests, "(status).resources.requests")
		out.Reported = out.Actual == nil
	}
}

// statusesByName maps the name of a container to its first status. It is nil if there are so few containers
// that a linear search is faster.
type statusesByName map[string]*corev1.ContainerStatus

const fewStatuses = 8

func statusIndex(containers int, statuses []corev1.ContainerStatus) statusesByName {
	if containers <= fewStatuses || len(statuses) <= fewStatuses {
		return nil
	}
	byName := make(statusesByName, len(statuses))
	for i := range statuses {
		if _, known := byName[statuses[i].Name]; !known {
			byName[statuses[i].Name] = &statuses[i]
		}
	}
	return byName
}

func (ix statusesByName) find(statuses []corev1.ContainerStatus, name string) *corev1.ContainerStatus {
	if ix != nil {
		return ix[name]
	}
	for i := range statuses {
		if statuses[i].Name == name {
			return &statuses[i]
		}
	}
	return nil
}
