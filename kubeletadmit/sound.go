package kubeletadmit

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// sound reports that Validate would find nothing wrong with the pod, without
// allocating as that does. It says so of simple pods alone, and leaves all
// others to Validate: those with affinity, topology spread or volumes, and those
// that are not valid.
func sound(pod *outrank.Pod) bool {
	a := &pod.Affinity
	return pod.Name != "" && knownPolicy(pod.PreemptionPolicy) &&
		a.Node == nil && len(a.Pods) == 0 && len(a.AntiPods) == 0 &&
		len(pod.TopologySpread) == 0 && len(pod.Volumes) == 0 &&
		(pod.Resources == nil || nonNegative(pod.Resources.Requests) && nonNegative(pod.Resources.Limits)) &&
		nonNegative(pod.Overhead) && soundContainers(pod.Containers) && soundContainers(pod.InitContainers)
}

func knownPolicy(p outrank.PreemptionPolicy) bool {
	return p == "" || p == outrank.PreemptLowerPriority || p == outrank.PreemptNever
}

func soundContainers(containers []outrank.Container) bool {
	for i := range containers {
		c := &containers[i]
		if !nonNegative(c.Requests) || !nonNegative(c.Limits) || !nonNegative(c.Allocated) || !nonNegative(c.Actual) {
			return false
		}
		for _, p := range c.Ports {
			if p.HostPort < 0 || p.HostPort > 65535 {
				return false
			}
		}
	}
	return true
}

func nonNegative(list resource.List) bool {
	for _, q := range list {
		if q.Sign() < 0 {
			return false
		}
	}
	return true
}
