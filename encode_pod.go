package outrank

import (
	"github.com/outrank-go/outrank/internal/fields"
	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/resource"
)

func (e *encoder) pod(p *Pod) *manifest.Pod {
	e.subject = "pod " + string(p.Key())
	root := (*fields.Path)(nil)
	spec, status := root.Field("spec"), root.Field("status")
	w := &manifest.Pod{
		APIVersion: "v1", Kind: kindPod,
		Metadata: manifest.Meta{
			Name: p.Name, Namespace: p.Namespace, UID: p.UID, Labels: p.Labels,
			Annotations:       wireSource(p),
			DeletionTimestamp: e.time(p.DeletionTime),
			OwnerReferences:   wireOwner(p.Owner),
		},
		Spec: e.podSpec(p, &spec),
		Status: manifest.PodStatus{
			Phase: string(p.Phase), StartTime: e.time(p.StartTime),
			NominatedNodeName: p.NominatedNode, QOSClass: string(p.QOSClass),
			Conditions:            wireConditions(p),
			ContainerStatuses:     e.statuses(p.Containers, "containers", &spec),
			InitContainerStatuses: e.statuses(p.InitContainers, "initContainers", &spec),
			AllocatedResources:    wireReported(p.Allocated),
		},
	}
	if p.ResizeDeferred && p.ResizeInfeasible {
		conditions := status.Field("conditions")
		e.add(&conditions, "a resize that is deferred and infeasible at once")
	}
	if p.reported() {
		r := manifest.Requirements{Requests: wireReported(p.Actual)}
		w.Status.Resources = &r
	}
	return w
}

func (e *encoder) podSpec(p *Pod, at *fields.Path) manifest.PodSpec {
	w := manifest.PodSpec{
		NodeName: p.NodeName, HostNetwork: p.HostNetwork, HostUsers: p.HostUsers, Priority: p.Priority, PriorityClassName: p.PriorityClass,
		PreemptionPolicy: string(p.PreemptionPolicy),
		Containers:       wireContainers(p.Containers), InitContainers: wireContainers(p.InitContainers),
		Overhead: wireAmounts(p.Overhead), NodeSelector: p.NodeSelector, Affinity: wireAffinity(&p.Affinity),
		Volumes:         e.volumes(p, at),
		SchedulingGroup: manifest.SchedulingGroup{PodGroupName: p.Group},
		SchedulerName:   p.SchedulerName, OS: manifest.OS{Name: p.OS},
	}
	grace := at.Field("terminationGracePeriodSeconds")
	w.TerminationGraceSeconds = e.grace(p.Grace, &grace)
	for _, gate := range p.SchedulingGates {
		w.SchedulingGates = append(w.SchedulingGates, manifest.SchedulingGate{Name: gate})
	}
	if p.StrictGroups {
		w.SecurityContext.SupplementalGroupsPolicy = strictGroups
	}
	if p.Resources != nil {
		r := wireRequirements(p.Resources.Requests, p.Resources.Limits)
		w.Resources = &r
	}
	for _, t := range p.Tolerations {
		w.Tolerations = append(w.Tolerations, manifest.Toleration{
			Key: t.Key, Operator: string(t.Operator), Value: t.Value, Effect: string(t.Effect),
		})
	}
	for i := range p.TopologySpread {
		w.TopologySpreadConstraints = append(w.TopologySpreadConstraints, wireSpread(&p.TopologySpread[i]))
	}
	return w
}

// wireSource returns the annotations that tell static pods and their mirrors.
// Their values say which source and which pod, and neither is kept, so they
// are only words that read back as the same.
func wireSource(p *Pod) manifest.Annotations {
	var a manifest.Annotations
	if p.Static {
		source := "file"
		a.ConfigSource = &source
	}
	if p.Mirror {
		mirror := "true"
		a.ConfigMirror = &mirror
	}
	return a
}

func wireOwner(o Owner) []manifest.Owner {
	if o == (Owner{}) {
		return nil
	}
	return []manifest.Owner{{Kind: o.Kind, Name: o.Name, Controller: true}}
}

func wireConditions(p *Pod) []manifest.Condition {
	var cs []manifest.Condition
	if p.Ready {
		cs = append(cs, manifest.Condition{Type: "Ready", Status: "True"})
	}
	if p.ResizeDeferred {
		cs = append(cs, manifest.Condition{Type: "PodResizePending", Status: "True", Reason: "Deferred"})
	}
	if p.ResizeInfeasible {
		cs = append(cs, manifest.Condition{Type: "PodResizePending", Status: "True", Reason: "Infeasible"})
	}
	if p.DisruptionReason != "" {
		cs = append(cs, manifest.Condition{Type: "DisruptionTarget", Status: "True", Reason: p.DisruptionReason})
	}
	return cs
}

func wireContainers(cs []Container) []manifest.Container {
	if len(cs) == 0 {
		return nil
	}
	out := make([]manifest.Container, len(cs))
	for i := range cs {
		out[i] = wireContainer(&cs[i])
	}
	return out
}

// someBindMountOption stands for the options of a container's mounts: which they are
// plays no part.
const someBindMountOption = "nosuid"

func wireContainer(c *Container) manifest.Container {
	w := manifest.Container{Name: c.Name, Resources: wireRequirements(c.Requests, c.Limits)}
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

// sameStatus reports whether two containers have equal statuses.
func (c *Container) sameStatus(o *Container) bool {
	return c.reported() == o.reported() && sameReport(c.Allocated, o.Allocated) && sameReport(c.Actual, o.Actual)
}

func sameReport(a, b resource.List) bool { return (a == nil) == (b == nil) && a.Equal(b) }

// statuses returns what the statuses of containers report. A status finds its
// container by name, so containers of one name must have one status.
func (e *encoder) statuses(cs []Container, field string, spec *fields.Path) []manifest.ContainerStatus {
	var out []manifest.ContainerStatus
	for i := range cs {
		c := &cs[i]
		if twin := sameName(cs[:i], c.Name); twin != nil {
			if !twin.sameStatus(c) {
				list := spec.Field(field)
				at := list.At(i)
				name := at.Field("name")
				e.add(&name, "two containers are called %s, and their statuses differ", fields.Quote(c.Name))
			}
			continue
		}
		if c.reported() || c.Allocated != nil {
			st := manifest.ContainerStatus{Name: c.Name, AllocatedResources: wireReported(c.Allocated)}
			if c.reported() {
				r := manifest.Requirements{Requests: wireReported(c.Actual)}
				st.Resources = &r
			}
			out = append(out, st)
		}
	}
	return out
}

func sameName(cs []Container, name string) *Container {
	for i := range cs {
		if cs[i].Name == name {
			return &cs[i]
		}
	}
	return nil
}

func wireAffinity(a *Affinity) *manifest.Affinity {
	var w manifest.Affinity
	if a.Node != nil {
		w.NodeAffinity = &manifest.NodeAffinity{Required: wireNodeSelector(a.Node)}
	}
	if len(a.Pods) > 0 {
		w.PodAffinity = &manifest.PodAffinity{Required: wirePodTerms(a.Pods)}
	}
	if len(a.AntiPods) > 0 {
		w.PodAntiAffinity = &manifest.PodAffinity{Required: wirePodTerms(a.AntiPods)}
	}
	if w == (manifest.Affinity{}) {
		return nil
	}
	return &w
}

func wirePodTerms(ts []PodAffinityTerm) []manifest.PodAffinityTerm {
	out := make([]manifest.PodAffinityTerm, len(ts))
	for i, t := range ts {
		out[i] = manifest.PodAffinityTerm{
			LabelSelector: wireSelector(t.Selector),
			Namespaces:    t.Namespaces, NamespaceSelector: wireSelector(t.NamespaceSelector),
			TopologyKey:    t.TopologyKey,
			MatchLabelKeys: t.MatchLabelKeys, MismatchLabelKeys: t.MismatchLabelKeys,
		}
	}
	return out
}

func wireSpread(c *TopologySpreadConstraint) manifest.Spread {
	w := manifest.Spread{
		MaxSkew: c.MaxSkew, TopologyKey: c.TopologyKey, WhenUnsatisfiable: string(c.WhenUnsatisfiable),
		LabelSelector:      wireSelector(c.Selector),
		NodeAffinityPolicy: string(c.NodeAffinityPolicy), NodeTaintsPolicy: string(c.NodeTaintsPolicy),
		MatchLabelKeys: c.MatchLabelKeys,
	}
	if c.MinDomains != 0 {
		w.MinDomains = &c.MinDomains
	}
	return w
}
