package gen

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"pgregory.net/rapid"
)

// groupNames are the names of groups that pods may be in: one for each group,
// and one of a group that does not exist.
func (s Shape) groupNames() []string {
	names := make([]string, s.Groups+1)
	for i := range names {
		names[i] = fmt.Sprintf("g%d", i)
	}
	return names
}

// groups puts some of the pods in groups, wherever they are, and draws the
// groups: most are disrupted as a whole, and some have a priority of their own,
// or a policy.
func groups(t *rapid.T, s Shape, pods []*outrank.Pod) []*outrank.PodGroup {
	if s.Groups == 0 {
		return nil
	}
	for _, p := range pods {
		if rapid.Bool().Draw(t, "is in a group") {
			p.Group = pick(t, "group", s.groupNames()...)
		}
	}
	var list []*outrank.PodGroup
	for _, name := range s.groupNames()[:s.Groups] {
		g := &outrank.PodGroup{
			Name: name, Namespace: pick(t, "group namespace", "default", "", "default", "team-a"),
			DisruptionMode: pick(t, "disruption", outrank.DisruptPodGroup, outrank.DisruptPodGroup, outrank.DisruptPod, ""),
		}
		if oneIn(t, "has a priority", 2) {
			g.Priority = residentPriority(t)
		}
		g.Policy = pick(t, "policy", "", outrank.BasicPolicy, outrank.GangPolicy)
		if g.Policy == outrank.GangPolicy {
			g.MinCount = rapid.Int32Range(1, 4).Draw(t, "min count")
		}
		list = append(list, g)
	}
	return list
}

// PreemptorGroup draws the pods of a group that look for places in a cluster of
// the same shape: one to four, alike or not, of one priority and preemption
// policy. Now and then they are of a group that has pods in the cluster
// already.
func PreemptorGroup(shape Shape) *rapid.Generator[[]*outrank.Pod] {
	s := shape.withDefaults()
	return rapid.Custom(func(t *rapid.T) []*outrank.Pod {
		count := rapid.IntRange(1, 4).Draw(t, "pods of the group")
		alike := rapid.Bool().Draw(t, "all alike")
		name := pick(t, "own group", append([]string{"gang", "gang", ""}, s.groupNames()...)...)
		var pods []*outrank.Pod
		for i := range count {
			p := *Preemptor(shape).Draw(t, "pod")
			if len(pods) > 0 {
				if alike {
					p = *pods[0]
				}
				rename(&p, fmt.Sprintf("%s-%d", preemptorName, i))
				p.Namespace, p.Priority, p.PreemptionPolicy = pods[0].Namespace, pods[0].Priority, pods[0].PreemptionPolicy
			}
			p.Group = name
			pods = append(pods, &p)
		}
		return pods
	})
}
