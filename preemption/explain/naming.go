package explain

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption"
)

// find names what stands behind the answer of a node with pods gone; nil for success.
func (f *finder) find(at *place, s preemption.Status) *Obstacle {
	if s.Code == preemption.Success {
		return nil
	}
	o := &Obstacle{Filter: s.Filter, ExcludedBy: s.ExcludedBy, Reasons: slices.Clone(s.Reasons)}
	f.name(o, at, s)
	o.cut(f.most)
	return o
}

func (f *finder) name(o *Obstacle, at *place, s preemption.Status) {
	if s.Filter == "" {
		f.nameUnasked(o, at)
		return
	}
	if known, ok := told[s.Filter]; ok { // a caller's filter explains itself
		known.name(f, o, at)
	}
}

// nameUnasked is about nodes that no filter was asked about.
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

// nameNode is about a node that is not the one that the pod names.
func (o *Obstacle) nameNode(pod *outrank.Pod) {
	if pod.NodeName != "" {
		o.Names = []string{pod.NodeName}
	}
}

func (f *finder) nameCordon(o *Obstacle, at *place) {
	if !fit.Unschedulable(f.pod, at.node) {
		return
	}
	o.Taints = []outrank.Taint{{Key: outrank.UnschedulableTaint, Effect: outrank.NoSchedule}}
}

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

func (f *finder) nameTaints(o *Obstacle, at *place) {
	for _, t := range at.node.Taints {
		if (t.Effect == outrank.NoSchedule || t.Effect == outrank.NoExecute) && !f.tolerations.Cover(t) {
			o.Taints = append(o.Taints, t)
		}
	}
}

// The features that a pod can need of its node, by what asks for them (rules 7.14.3,
// 7.14.4 and 7.14.6).
const (
	featureUserNamespaces   = "UserNamespacesHostNetworkSupport"
	featureRestartContainer = "RestartAllContainersOnContainerExits"
	featureBindMounts       = "VolumeBindMountOptions"
)

// nobody counts who is on a node without possible victims.
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

// noVictims is the status of a node without possible victims.
const noVictims = "No preemption victims found for incoming pod"

// shortOf returns what is short.
func shortOf(rooms []amounts) []Room {
	var out []Room
	for _, r := range rooms {
		if r.short() > 0 {
			out = append(out, r.room())
		}
	}
	return out
}
