package clustergen

import (
	"fmt"
	"math/rand/v2"

	"github.com/outrank-go/outrank"
)

const preemptorName = "preemptor"

// Preemptor generates a pod that looks for a place in a cluster of the same
// shape. It mostly outranks what is there and needs one to four pods to leave.
// The error is that of [Shape.Validate].
func Preemptor(shape Shape, seed uint64) (*outrank.Pod, error) {
	g, err := newGenerator(shape, seed)
	if err != nil {
		return nil, err
	}
	return g.preemptor(0), nil
}

// PreemptorGroup generates the pods of a group that look for places in the
// cluster of the same shape and seed: one to four, alike or not, of one priority
// and preemption policy. Now and then they are of a group that has pods in the
// cluster already, or name no group. The error is that of [Shape.Validate].
func PreemptorGroup(shape Shape, seed uint64) ([]*outrank.Pod, error) {
	g, err := newGenerator(shape, seed)
	if err != nil {
		return nil, err
	}
	r := g.stream(ofPreemptorGroup, 0)
	count, alike, name := between(r, 1, 4), oneIn(r, 2), pick(r, "gang", "gang", "")
	first := g.preemptor(1)
	if i := r.IntN(max(1, g.Groups)); g.Groups > 0 && oneIn(r, 3) {
		name = groupName(i)
		belong(first, g.group(i))
	}
	pods := make([]*outrank.Pod, count)
	for i := range pods {
		p := g.preemptor(1 + i)
		if i == 0 || alike {
			*p = *first
		}
		p.Namespace, p.Priority, p.PreemptionPolicy = first.Namespace, first.Priority, first.PreemptionPolicy
		p.Name, p.Group = fmt.Sprintf("%s-%d", preemptorName, i), name
		pods[i] = p
	}
	return pods, nil
}

// belong gives the pod the namespace of the group and the priority that the group
// has, if it has one.
func belong(p *outrank.Pod, group *outrank.PodGroup) {
	p.Namespace = group.Namespace
	if group.Priority != nil {
		p.Priority = group.Priority
	}
}

// preemptor generates the pod with this number: 0 is one by itself, others are
// those of a group.
func (g *generator) preemptor(number int) *outrank.Pod {
	r := g.stream(ofPreemptor, number)
	p := &outrank.Pod{
		Name:             preemptorName,
		Namespace:        namespace(r),
		Labels:           labels(r),
		Priority:         g.preemptorPriority(r),
		PreemptionPolicy: policy(r),
	}
	addRequests(r, p, g.preemptorRequests(r))
	if g.Nominated > 0 {
		if r := g.stream(ofPreemptorNomination, number); oneIn(r, 2) {
			p.NominatedNodeName = g.nomination(r)
		}
	}
	g.addConstraints(p, number)
	return p
}

func (g *generator) addConstraints(p *outrank.Pod, number int) {
	if g.Taints {
		p.Tolerations = several(g.stream(ofPreemptorTaints, number), 0, 3, toleration)
	}
	if g.Selectors {
		g.addSelectors(g.stream(ofPreemptorSelectors, number), p)
	}
	if g.Ports {
		if r := g.stream(ofPreemptorPorts, number); oneIn(r, 2) {
			addPorts(r, p)
		}
	}
	if g.Affinity {
		addPodTerms(g.stream(ofPreemptorAffinity, number), p)
	}
	if g.Spread {
		if r := g.stream(ofPreemptorSpread, number); !oneIn(r, 4) {
			p.TopologySpreadConstraints = several(r, 1, 2, func(r *rand.Rand) outrank.TopologySpreadConstraint {
				return spreadConstraint(r, p.Labels)
			})
		}
	}
	if g.Volumes {
		g.addVolumes(g.stream(ofPreemptorVolumes, number), p)
	}
	if g.Features {
		addNeeds(g.stream(ofPreemptorFeatures, number), p)
	}
}

// addNeeds makes every third pod need features.
func addNeeds(r *rand.Rand, p *outrank.Pod) {
	if !oneIn(r, 3) {
		return
	}
	p.HostNetwork = oneIn(r, 2)
	if oneIn(r, 2) {
		users := oneIn(r, 2)
		p.HostUsers = &users
	}
	p.Containers[0].RestartsAll = oneIn(r, 3)
}

func policy(r *rand.Rand) outrank.PreemptionPolicy {
	if oneIn(r, 20) {
		return outrank.PreemptNever
	}
	return pick(r, "", outrank.PreemptLowerPriority)
}
