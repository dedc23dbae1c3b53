package gen

import (
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
)

// Preemptor draws a pod that looks for a place in a cluster of the same shape.
// It mostly outranks what is there and needs one to four pods to leave.
func Preemptor(shape Shape) *rapid.Generator[*outrank.Pod] {
	s := shape.withDefaults()
	return rapid.Custom(func(t *rapid.T) *outrank.Pod {
		p := &outrank.Pod{
			Name:             preemptorName,
			Namespace:        namespace(t),
			Labels:           labels(t),
			Priority:         preemptorPriority(t),
			PreemptionPolicy: policy(t),
		}
		if s.Alike {
			p.Containers = []outrank.Container{{Name: "c0", Requests: units(t)}}
		} else {
			demand(t, p, preemptorRequests)
		}
		if s.Nominated > 0 && rapid.Bool().Draw(t, "was nominated") {
			p.NominatedNodeName = pick(t, "nominated node", s.nodeNames()...)
		}
		addConstraints(t, s, p)
		return p
	})
}

func addConstraints(t *rapid.T, s Shape, p *outrank.Pod) {
	if s.Taints {
		p.Tolerations = drawList(t, "tolerations", 3, toleration)
	}
	if s.Selectors {
		addSelectors(t, s, p)
	}
	if s.Ports && oneIn(t, "has ports", 2) {
		addPorts(t, p)
	}
	if s.Affinity {
		p.Affinity.PodAntiAffinity = podTerms(t, "anti-affinity", 3)
		p.Affinity.PodAffinity = podTerms(t, "affinity", 6)
	}
	if s.Spread && !oneIn(t, "not spread", 4) {
		for range rapid.IntRange(1, 2).Draw(t, "constraints") {
			p.TopologySpreadConstraints = append(p.TopologySpreadConstraints, spreadConstraint(t, p.Labels))
		}
	}
	if s.Volumes {
		addVolumes(t, s, p)
	}
	if s.Features && oneIn(t, "needs features", 3) {
		p.HostNetwork = rapid.Bool().Draw(t, "host network")
		if rapid.Bool().Draw(t, "says host users") {
			users := rapid.Bool().Draw(t, "host users")
			p.HostUsers = &users
		}
		p.Containers[0].RestartsAll = oneIn(t, "restarts all", 3)
		p.Containers[0].BindMountOptions = oneIn(t, "mount options", 3)
	}
}

func preemptorPriority(t *rapid.T) *int32 {
	if oneIn(t, "no priority", 25) {
		return nil
	}
	return outrank.Priority(pick[int32](t, "preemptor priority", 1000, 1000, 1000, 100, 100, 50, 2000001000))
}

func policy(t *rapid.T) outrank.PreemptionPolicy {
	if oneIn(t, "never preempts", 20) {
		return outrank.PreemptNever
	}
	return pick(t, "policy", "", outrank.PreemptLowerPriority)
}
