package kube

import (
	"math"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/resource"
)

// fillPorts fills in the API server's defaults for the ports of a manifest (group 21.3).
func fillPorts(w *manifest.Pod) {
	for _, containers := range [...][]manifest.Container{w.Spec.Containers, w.Spec.InitContainers} {
		for i := range containers {
			for j := range containers[i].Ports {
				port := &containers[i].Ports[j]
				if w.Spec.HostNetwork && port.HostPort == 0 {
					port.HostPort = port.ContainerPort
				}
				if port.Protocol == "" {
					port.Protocol = protocolTCP
				}
			}
		}
	}
}

// protocolTCP is the protocol of a port that names none.
const protocolTCP = "TCP"

// fill fills in the API server's defaults for a pod that was never created, except for its ports and its priority
// (groups 21.2 and 21.4). It changes the pod's lists and maps in place, so nothing else may share them.
func fill(p *outrank.Pod) {
	for _, containers := range [...][]outrank.Container{p.Containers, p.InitContainers} {
		for i := range containers {
			fillRequests(&containers[i].Requests, containers[i].Limits, anyName)
		}
	}
	fillPodLevel(p)
	roundUp(p)
	fillTolerations(p)
}

// fillRequests adds a request for each limit without one, if among returns true for the resource (rule 21.2.1). A
// negative limit adds no request; Validate reports it.
func fillRequests(requests *resource.List, limits resource.List, among func(resource.Name) bool) {
	for name, q := range limits {
		if _, ok := (*requests)[name]; ok || q.Sign() < 0 || !among(name) {
			continue
		}
		if *requests == nil {
			*requests = resource.List{}
		}
		(*requests)[name] = q
	}
}

// anyName is true for every resource.
func anyName(resource.Name) bool { return true }

// fillPodLevel fills in the pod-level limits and requests of a pod that has any (rules 21.2.2 to 21.2.4). The order of
// the steps matters, because each only fills in what the steps before it have left unset.
func fillPodLevel(p *outrank.Pod) {
	r := p.Resources
	if r == nil || len(r.Requests)+len(r.Limits) == 0 {
		return
	}

	fillRequests(&r.Limits, containerLimits(p), func(name resource.Name) bool {
		_, requested := r.Requests[name]
		return isHugePages(name) && !requested
	})
	if len(r.Limits) == 0 {
		return
	}

	containers := outrank.Pod{Containers: p.Containers, InitContainers: p.InitContainers}
	fillRequests(&r.Requests, containers.KubeletRequests(), func(name resource.Name) bool {
		return wholePod(name) && !isHugePages(name)
	})
	fillRequests(&r.Requests, r.Limits, wholePod)
}

// containerLimits sums the limits of the containers in the same way as requests are summed, by treating the limits as
// requests.
func containerLimits(p *outrank.Pod) resource.List {
	limited := func(cs []outrank.Container) []outrank.Container {
		out := make([]outrank.Container, len(cs))
		for i := range cs {
			out[i] = outrank.Container{Requests: cs[i].Limits, Sidecar: cs[i].Sidecar}
		}
		return out
	}
	q := outrank.Pod{Containers: limited(p.Containers), InitContainers: limited(p.InitContainers)}
	return q.KubeletRequests()
}

// wholePod reports whether the resource may be requested at pod level.
func wholePod(name resource.Name) bool {
	return name == resource.CPU || name == resource.Memory || isHugePages(name)
}

// isHugePages reports whether the resource is one of the sizes of huge pages.
func isHugePages(name resource.Name) bool {
	return strings.HasPrefix(string(name), resource.HugePagesPrefix)
}

// roundUp rounds every amount of the pod up to a multiple of one thousandth (rule 21.2.5).
func roundUp(p *outrank.Pod) {
	for _, containers := range [...][]outrank.Container{p.Containers, p.InitContainers} {
		for i := range containers {
			roundUpList(containers[i].Requests)
			roundUpList(containers[i].Limits)
		}
	}
	if p.Resources != nil {
		roundUpList(p.Resources.Requests)
		roundUpList(p.Resources.Limits)
	}
	roundUpList(p.Overhead)
}

// roundUpList rounds the amounts of a list up. An amount stays as it is if an int64 cannot hold its thousandths.
func roundUpList(l resource.List) {
	for name, q := range l {
		milli := q.MilliValue()
		if milli == math.MaxInt64 || milli == math.MinInt64 {
			continue
		}
		if whole := resource.NewMilli(milli); !whole.Equal(q) {
			l[name] = whole
		}
	}
}

// troubles lists the taints of unhealthy nodes that every pod tolerates for a while by default (rule 21.4.1).
var troubles = [...]string{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}

// fillTolerations adds a toleration for each of the troubles that the pod's own tolerations do not mention.
func fillTolerations(p *outrank.Pod) {
	given := p.Tolerations
	for _, key := range troubles {
		if !mentions(given, key) {
			p.Tolerations = append(p.Tolerations, outrank.Toleration{Key: key, Operator: outrank.TolerationExists, Effect: outrank.NoExecute})
		}
	}
}

// mentions reports whether one of the tolerations is about a taint with this key and the effect NoExecute.
func mentions(ts []outrank.Toleration, key string) bool {
	for i := range ts {
		t := &ts[i]
		if (t.Key == key || t.Key == "") && (t.Effect == outrank.NoExecute || t.Effect == "") {
			return true
		}
	}
	return false
}
