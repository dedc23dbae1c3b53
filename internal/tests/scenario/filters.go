package scenario

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/resource"
)

// wording has the options of pods and nodes that one filter reads. Main is the only container of the pod. A
// nil function stands for no options.
type wording struct {
	pod  func(l *Line, p *outrank.Pod, main *outrank.Container) Options
	node func(l *Line, n *outrank.Node) Options
}

// words has the options of each filter. An option that several filters read stands with the first of them.
// Options for where a pod is and for labels of nodes belong to no filter, and are not here.
var words = filter.Table[wording]{
	filter.NodeUnschedulable: {node: func(_ *Line, n *outrank.Node) Options { return Options{"cordoned": Flag(&n.Unschedulable)} }},
	filter.NodeName:          {},
	filter.TaintToleration: {
		pod: func(_ *Line, p *outrank.Pod, _ *outrank.Container) Options {
			return Options{"tolerates=": tolerations(&p.Tolerations)}
		},
		node: func(_ *Line, n *outrank.Node) Options { return Options{"taints=": taints(&n.Taints)} },
	},
	filter.NodeAffinity: {pod: func(_ *Line, p *outrank.Pod, _ *outrank.Container) Options {
		return Options{"selector=": Labels(&p.NodeSelector), "node=": nodeSelector(&p.Affinity.NodeAffinity)}
	}},
	filter.NodePorts: {pod: func(_ *Line, _ *outrank.Pod, main *outrank.Container) Options {
		return Options{"ports=": ports(&main.Ports)}
	}},
	filter.DeferredPodScheduling: {
		pod: func(_ *Line, p *outrank.Pod, _ *outrank.Container) Options {
			return Options{"deferred": Flag(&p.ResizeDeferred)}
		},
		node: func(_ *Line, n *outrank.Node) Options { return Options{"spares=": Names(&n.DisableResizePreemption)} },
	},
	filter.NodeResourcesFit: {pod: (*Line).podAsks, node: (*Line).nodeOffers},
	filter.VolumeRestrictions: {pod: func(l *Line, p *outrank.Pod, _ *outrank.Container) Options {
		return Options{"volume=": l.volumes(&p.Volumes)}
	}},
	filter.NodeVolumeLimits: {node: func(_ *Line, n *outrank.Node) Options {
		return Options{"attach=": attachLimits(&n.AttachLimits), "lacks=": Names(&n.MissingDrivers)}
	}},
	filter.VolumeBinding: {},
	filter.VolumeZone:    {},
	filter.PodTopologySpread: {pod: func(l *Line, p *outrank.Pod, _ *outrank.Container) Options {
		return Options{"spread=": l.spread(&p.TopologySpreadConstraints)}
	}},
	filter.InterPodAffinity: {pod: func(l *Line, p *outrank.Pod, _ *outrank.Container) Options {
		return Options{"affinity=": l.terms(&p.Affinity.PodAffinity), "anti=": l.terms(&p.Affinity.PodAntiAffinity)}
	}},
	filter.NodeDeclaredFeatures: {
		pod: func(_ *Line, p *outrank.Pod, main *outrank.Container) Options {
			return Options{
				"restarts-all": Flag(&main.RestartsAll), "mount-options": Flag(&main.BindMountOptions),
				"host-network": Flag(&p.HostNetwork), "host-users=": hostUsers(&p.HostUsers),
			}
		},
		node: func(_ *Line, n *outrank.Node) Options { return Options{"declares=": Names(&n.DeclaredFeatures)} },
	},
}

// podAsks returns the options for the requests of a pod.
func (l *Line) podAsks(p *outrank.Pod, main *outrank.Container) Options {
	return Options{
		"cpu=": amount(main.Requests, resource.CPU), "memory=": amount(main.Requests, resource.Memory),
		"asks=": l.amounts(main.Requests), "limits=": l.newAmounts(&main.Limits), "reported=": l.newAmounts(&main.Actual),
		"infeasible": Flag(&p.ResizeInfeasible), "overhead=": l.newAmounts(&p.Overhead),
		"init=": l.initContainer(p, false), "sidecar=": l.initContainer(p, true),
		"pod-level=": func(v string) error {
			p.Resources = &resource.Requirements{}
			return l.newAmounts(&p.Resources.Requests)(v)
		},
	}
}

// nodeOffers returns the options for the resources that a node offers.
func (l *Line) nodeOffers(n *outrank.Node) Options {
	return Options{
		"cpu=": amount(n.Allocatable, resource.CPU), "memory=": amount(n.Allocatable, resource.Memory),
		"pods=": amount(n.Allocatable, resource.Pods), "offers=": l.amounts(n.Allocatable),
	}
}
