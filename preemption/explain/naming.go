package explain

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption"
)

// find returns the obstacle behind the answer of a node, with pods gone as in at. It returns nil for success.
func (f *finder) find(at *place, s preemption.Status) *Obstacle {
	if s.Code == preemption.Success {
		return nil
	}
	o := &Obstacle{Filter: s.Filter, ExcludedBy: s.ExcludedBy, Reasons: slices.Clone(s.Reasons)}
	f.name(o, at, s)
	o.cut(f.most)
	return o
}

// name fills in the things that an obstacle with this status names.
func (f *finder) name(o *Obstacle, at *place, s preemption.Status) {
	if s.Filter == "" {
		f.nameUnasked(o, at)
		return
	}

	// Of a filter of the caller only its reasons are known.
	if known, ok := explanations[s.Filter]; ok {
		known.name(f, o, at)
	}
}

// nameUnasked fills in why no filter was asked about the node: the pod names other nodes, or the node has no possible
// victim.
func (f *finder) nameUnasked(o *Obstacle, at *place) {
	switch o.ExcludedBy {
	case preemption.NodeAffinity:
		o.Names = namedNodes(f.pod)
	case preemption.NodeName:
		o.nameNode(f.pod)
	}
	if slices.Equal(o.Reasons, []string{noVictims}) {
		o.Nobody = f.nobody(at)
	}
}

// nameNode fills in the node that the pod's spec.nodeName asks for.
func (o *Obstacle) nameNode(pod *outrank.Pod) {
	if pod.NodeName != "" {
		o.Names = []string{pod.NodeName}
	}
}

// nameCordon fills in the taint that stands for a cordoned node.
func (f *finder) nameCordon(o *Obstacle, at *place) {
	if !fit.Unschedulable(f.pod, at.node) {
		return
	}
	o.Taints = []outrank.Taint{{Key: outrank.UnschedulableTaint, Effect: outrank.NoSchedule}}
}

// nameFeatures finds the features that the pod needs and the node does not declare.
func (f *finder) nameFeatures(o *Obstacle, at *place) {
	p := f.pod
	containers := slices.Concat(p.InitContainers, p.Containers)
	needs := []struct {
		feature string
		needed  bool
	}{
		{featureUserNamespaces, p.HostNetwork && p.HostUsers != nil && !*p.HostUsers},
		{featureRestartContainer, slices.ContainsFunc(containers, func(c outrank.Container) bool { return c.RestartsAll })},
		{featureBindMounts, slices.ContainsFunc(containers, func(c outrank.Container) bool { return c.BindMountOptions })},
	}

	for _, n := range needs {
		if n.needed && !slices.Contains(at.node.DeclaredFeatures, n.feature) {
			o.Names = append(o.Names, n.feature)
		}
	}
}

// namePorts finds the host ports that are taken, each with a pod that holds it.
func (f *finder) namePorts(o *Obstacle, at *place) {
	holders := f.holders(at)
	for _, port := range fit.HostPorts(f.pod) {
		i := slices.IndexFunc(holders, func(p *outrank.Pod) bool {
			return slices.ContainsFunc(fit.HostPorts(p), port.Overlaps)
		})
		if i >= 0 {
			o.Ports = append(o.Ports, Port{outrank.Port{HostPort: port.Port, HostIP: port.IP, Protocol: port.Protocol}, f.ref(holders[i], at.node.Name)})
		}
	}
}

// nameTaints finds the taints that keep the pod away (rule 7.4.1).
func (f *finder) nameTaints(o *Obstacle, at *place) {
	for _, t := range at.node.Taints {
		if (t.Effect == outrank.NoSchedule || t.Effect == outrank.NoExecute) && !f.tolerations.Cover(t) {
			o.Taints = append(o.Taints, t)
		}
	}
}

// The features that a pod can need of its node (rules 7.14.3, 7.14.4 and 7.14.6).
const (
	featureUserNamespaces   = "UserNamespacesHostNetworkSupport"
	featureRestartContainer = "RestartAllContainersOnContainerExits"
	featureBindMounts       = "VolumeBindMountOptions"
)

// nobody describes the pods on a node without possible victims.
func (f *finder) nobody(at *place) *Nobody {
	n := &Nobody{}
	for _, p := range f.snap.PodsOn(at.node.Name) {
		if p.Key() == f.pod.Key() {
			continue
		}

		n.Pods++
		if as := f.snap.CountsAs(p); as < f.pod.PriorityValue() {
			n.Protected++
		} else if n.Pods-n.Protected == 1 || as < n.Least {
			n.Least = as
		}
	}
	return n
}

// noVictims is the reason of a node without possible victims (rule 9.2).
const noVictims = "No preemption victims found for incoming pod"

// shortOf returns the resources that are short.
func shortOf(rooms []amounts) []Room {
	var out []Room
	for _, r := range rooms {
		if r.short() > 0 {
			out = append(out, r.room())
		}
	}
	return out
}
