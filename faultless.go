package outrank

import (
	"github.com/outrank-go/outrank/internal/fields"
	"github.com/outrank-go/outrank/resource"
)

// faultless sees at a glance, and without taking memory, that there is nothing
// wrong with a simple pod. All others are for the validator: those with
// affinity, topology spread or volumes, and those with something wrong.
func (p *Pod) faultless() bool {
	if p == nil || p.Name == "" || !fields.IsWord(p.PreemptionPolicy, preemptionPolicies) || !fields.IsWord(p.QOSClass, qosClasses) || !fields.IsWord(p.OS, systems) {
		return false
	}
	for i := range p.Tolerations {
		if !p.Tolerations[i].faultless() {
			return false
		}
	}
	a := &p.Affinity
	return a.Node == nil && len(a.Pods)+len(a.AntiPods)+len(p.TopologySpread)+len(p.Volumes) == 0 &&
		(p.Resources == nil || !hasNegative(p.Resources.Requests) && !hasNegative(p.Resources.Limits)) &&
		!hasNegative(p.Overhead) && faultless(p.Containers) && faultless(p.InitContainers)
}

// faultless is the same for nodes, where those with limits of attached volumes
// are not simple.
func (n *Node) faultless() bool {
	if n == nil || n.Name == "" || len(n.AttachLimits) > 0 || len(n.MissingDrivers) > 0 {
		return false
	}
	for i := range n.Taints {
		if !n.Taints[i].faultless() {
			return false
		}
	}
	return !hasNegative(n.Allocatable)
}

func faultless(cs []Container) bool {
	for i := range cs {
		c := &cs[i]
		if hasNegative(c.Requests) || hasNegative(c.Limits) {
			return false
		}
		for _, p := range c.Ports {
			if p.HostPort < 0 || p.HostPort > 65535 || !fields.IsWord(p.Protocol, protocols) {
				return false
			}
		}
	}
	return true
}

func hasNegative(l resource.List) bool {
	for _, q := range l {
		if q.Sign() < 0 {
			return true
		}
	}
	return false
}
