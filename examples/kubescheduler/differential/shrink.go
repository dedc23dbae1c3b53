package differential

import (
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Shrink drops parts of a case as long as the answers still differ in the same respect. It runs the case a few
// hundred times.
func (h *Harness) Shrink(c *Case, r *Result) (*Case, *Result) {
	// A dropper may change nothing, as when a pod does not have the part.
	try := func(smaller *Case) bool {
		if reflect.DeepEqual(smaller, c) {
			return false
		}
		got, err := h.Run(smaller)
		if err != nil || len(got.Differences) == 0 || subject(got.Differences[0]) != subject(r.Differences[0]) {
			return false
		}
		c, r = smaller, got
		return true
	}

	// One thing that goes may let another one go, so that the droppers begin again until none succeeds. After a
	// success the same position holds the next thing.
	for again := true; again; {
		again = false
		for _, dropOne := range droppers {
			for i := 0; ; {
				smaller, ok := dropOne(c, i)
				if !ok {
					break
				}
				if try(smaller) {
					again = true
				} else {
					i++
				}
			}
		}
	}
	return c, r
}

// subject returns the first word of a difference, which says what differs.
func subject(difference string) string {
	for i, r := range difference {
		if r == ' ' || r == ':' {
			return difference[:i]
		}
	}
	return difference
}

// droppers return the case without its i-th thing of one sort. They return false if there are no more things of
// the sort.
var droppers = []func(c *Case, i int) (*Case, bool){
	func(c *Case, i int) (*Case, bool) { s := *c; return &s, len(c.Nodes) > 1 && drop(&s.Nodes, i) },
	func(c *Case, i int) (*Case, bool) { s := *c; return &s, drop(&s.Pods, i) },
	func(c *Case, i int) (*Case, bool) { s := *c; return &s, drop(&s.Budgets, i) },
	dropClaim,
	func(c *Case, i int) (*Case, bool) { s := *c; return &s, drop(&s.Namespaces, i) },
	dropPart,
}

// dropClaim drops the i-th claim that no pod names, with its volume. A pod whose claim is missing would make
// another case.
func dropClaim(c *Case, i int) (*Case, bool) {
	used := map[string]bool{}
	for _, p := range append(slices.Clone(c.Pods), c.Preemptor) {
		for _, v := range p.Spec.Volumes {
			if v.PersistentVolumeClaim != nil {
				used[p.Namespace+"/"+v.PersistentVolumeClaim.ClaimName] = true
			}
		}
	}
	for at, claim := range c.Claims {
		if used[claim.Namespace+"/"+claim.Name] {
			continue
		}
		if i--; i < 0 {
			s := *c
			s.Volumes = slices.DeleteFunc(slices.Clone(c.Volumes), func(v *corev1.PersistentVolume) bool { return v.Name == claim.Spec.VolumeName })
			return &s, drop(&s.Claims, at)
		}
	}
	return nil, false
}

func drop[T any](list *[]T, i int) bool {
	if i >= len(*list) {
		return false
	}
	*list = slices.Delete(slices.Clone(*list), i, i+1)
	return true
}

// parts remove one part of a pod each.
var parts = []func(p *corev1.Pod){
	func(p *corev1.Pod) { p.Spec.Affinity = nil },
	func(p *corev1.Pod) {
		if p.Spec.Affinity != nil {
			p.Spec.Affinity.NodeAffinity = nil
		}
	},
	func(p *corev1.Pod) {
		if p.Spec.Affinity != nil {
			p.Spec.Affinity.PodAffinity = nil
		}
	},
	func(p *corev1.Pod) {
		if p.Spec.Affinity != nil {
			p.Spec.Affinity.PodAntiAffinity = nil
		}
	},
	func(p *corev1.Pod) { p.Spec.InitContainers, p.Status.InitContainerStatuses = nil, nil },
	func(p *corev1.Pod) {
		for i := range p.Spec.Containers {
			p.Spec.Containers[i].Ports = nil
		}
	},
	func(p *corev1.Pod) {
		if len(p.Spec.Containers) > 1 {
			p.Spec.Containers = p.Spec.Containers[:1]
		}
	},
	func(p *corev1.Pod) { p.Spec.TopologySpreadConstraints = firstHalf(p.Spec.TopologySpreadConstraints) },
	func(p *corev1.Pod) { p.Spec.Volumes = firstHalf(p.Spec.Volumes) },
	func(p *corev1.Pod) { p.Spec.Tolerations = nil },
	func(p *corev1.Pod) { p.Spec.NodeSelector = nil },
	func(p *corev1.Pod) { p.Spec.Resources, p.Status.Resources, p.Status.AllocatedResources = nil, nil, nil },
	func(p *corev1.Pod) { p.Spec.Overhead = nil },
	func(p *corev1.Pod) { p.Spec.SchedulingGroup = nil },
	func(p *corev1.Pod) { p.Status.ContainerStatuses = nil },
	func(p *corev1.Pod) { p.Status.Conditions = nil },
	func(p *corev1.Pod) { p.Status.NominatedNodeName = "" },
	func(p *corev1.Pod) { p.DeletionTimestamp, p.DeletionGracePeriodSeconds = nil, nil },
	func(p *corev1.Pod) {
		for i := range p.Spec.Containers {
			p.Spec.Containers[i].Resources.Requests = nil
		}
	},
}

func firstHalf[T any](list []T) []T { return list[:len(list)/2] }

// dropPart takes one part away from one pod.
func dropPart(c *Case, i int) (*Case, bool) {
	at, part := i/len(parts), i%len(parts)
	if at > len(c.Pods) {
		return nil, false
	}
	s := *c
	if at == len(c.Pods) {
		s.Preemptor = c.Preemptor.DeepCopy()
		parts[part](s.Preemptor)
		return &s, true
	}
	s.Pods = slices.Clone(c.Pods)
	s.Pods[at] = c.Pods[at].DeepCopy()
	parts[part](s.Pods[at])
	return &s, true
}
