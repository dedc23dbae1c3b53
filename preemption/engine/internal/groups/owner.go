package groups

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// owner is the group for which pods preempt: their own group or, if composite groups count, the one at the
// top of its tree (rules 12.9.2, 12.9.6 and 12.9.13).
type owner struct {
	key outrank.Key
	// composite is the owner if that is a composite group, nil if it is a group of pods.
	composite *outrank.CompositePodGroup
	priority  int32
	// never is set if the preemption policy of the owner is Never.
	never bool
}

// ownerOf returns the owner of pods, which the first of them determines. That pod must be valid.
func ownerOf(s *state.Snapshot, pods []*outrank.Pod) owner {
	first := pods[0]
	group, _ := s.Group(first.GroupKey())
	o := owner{key: first.GroupKey(), priority: first.PriorityValue(), never: neverPreempts(first)}
	if group == nil {
		return o
	}

	policy := group.PreemptionPolicy
	if root := rootOf(s, group); root != nil {
		o.key, o.composite = root.Key(), root
		o.priority, policy = state.OrZero(root.Priority), root.PreemptionPolicy
	} else {
		o.priority = state.OrZero(group.Priority)
	}

	// If the release ignores the policy of groups, that of the pods decides (rule 12.9.6).
	if s.Rules.GroupPolicyCounts {
		o.never = policy == outrank.PreemptNever
	}
	return o
}

// has reports whether a pod that names a group belongs to the owner, or to the owner's tree.
func (o *owner) has(s *state.Snapshot, p *outrank.Pod) bool {
	if o.composite == nil {
		return p.GroupKey() == o.key
	}
	group, _ := s.Group(p.GroupKey())
	return rootOf(s, group) == o.composite
}

// unlikeOwner returns a problem for each difference between the pods and their group. All pods, including
// running ones, must have the same scheduler, and the priority and preemption policy of the group. In the
// reference a difference ends the attempt with an error (rule 12.9.2).
func unlikeOwner(s *state.Snapshot, pods []*outrank.Pod) (ps []outrank.Problem) {
	first := pods[0]
	group, known := s.Group(first.GroupKey())
	if tooDeep(s, group) {
		return []outrank.Problem{{
			Object: "podgroup " + string(group.Key()), Field: "spec.parentCompositePodGroupName",
			Text: fmt.Sprintf("more than %d levels of groups", outrank.MaxGroupLevels),
		}}
	}

	owner := ownerOf(s, pods)
	unlike := unlikeGroup{owner: owner, known: known, first: first, policyCounts: s.Rules.GroupPolicyCounts}

	var groups []outrank.Key
	for _, p := range pods {
		other, _ := s.Group(p.GroupKey())
		// A pod of another group gets this problem and no other, because it is compared with the wrong group.
		if p.GroupKey() != first.GroupKey() && (owner.composite == nil || rootOf(s, other) != owner.composite) {
			ps = append(ps, outrank.Problem{
				Object: "pod " + string(p.Key()), Field: "spec.schedulingGroup.podGroupName",
				Text: fmt.Sprintf("group %q, and %s has %q", p.GroupKey(), first.Key(), first.GroupKey()),
			})
			continue
		}

		ps = unlike.appendTo(ps, p)
		if !slices.Contains(groups, p.GroupKey()) {
			groups = append(groups, p.GroupKey())
		}
	}

	// Running pods are compared as well. In a tree they may be in groups without a waiting pod.
	if owner.composite != nil {
		groups = groupsBelow(s, owner.composite)
	}
	for _, key := range groups {
		for _, p := range s.Units.Members(key) {
			ps = unlike.appendTo(ps, p.Pod)
		}
	}
	return ps
}

// groupsBelow lists the groups of pods in the tree of a composite group.
func groupsBelow(s *state.Snapshot, root *outrank.CompositePodGroup) (keys []outrank.Key) {
	for g := range s.Groups() {
		if rootOf(s, g) == root {
			keys = append(keys, g.Key())
		}
	}
	return keys
}

// checkTopologies returns a problem for each group whose topology limits where its pods may be placed,
// because first fit ignores it (rule 12.9.14).
func checkTopologies(s *state.Snapshot, pods []*outrank.Pod) (ps []outrank.Problem) {
	if !s.Rules.GroupTopologies {
		return nil
	}

	// A group above several pods is reported once.
	seen := map[string]bool{}
	add := func(object string, topology []string) {
		if len(topology) > 0 && !seen[object] {
			seen[object] = true
			ps = append(ps, outrank.Problem{
				Object: object, Field: "spec.schedulingConstraints.topology",
				Text: fmt.Sprintf("%q is not followed: who leaves depends on where the pods may be placed; the placing function of a caller can hold to it", topology),
			})
		}
	}

	for _, p := range pods {
		group, known := s.Group(p.GroupKey())
		if !known {
			continue
		}

		add("podgroup "+string(group.Key()), group.Topology)
		for _, above := range ancestorsOf(s, group) {
			add("compositepodgroup "+string(above.Key()), above.Topology)
		}
	}
	return ps
}

// tooDeep reports whether a group has more levels above it than a tree may have. A group below a cycle always
// does.
func tooDeep(s *state.Snapshot, group *outrank.PodGroup) bool {
	above := ancestorsOf(s, group)
	if len(above) == 0 {
		return false
	}
	_, more := s.Composite(above[len(above)-1].ParentKey())
	return more
}

// unlikeGroup compares pods with their owner, or with the first pod if the group is unknown.
type unlikeGroup struct {
	owner owner
	// known is set if the snapshot has the group.
	known bool
	first *outrank.Pod
	// policyCounts is set if the release uses the group's preemption policy.
	policyCounts bool
}

// appendTo appends a problem for each difference of a pod.
func (u *unlikeGroup) appendTo(ps []outrank.Problem, p *outrank.Pod) []outrank.Problem {
	first, owner := u.first, &u.owner
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: "pod " + string(p.Key()), Field: field, Text: fmt.Sprintf(format, args...)})
	}

	// whose names the object that the pod is compared with, in the texts.
	whose := string(first.Key())
	if u.known {
		whose = "the group " + string(owner.key)
	}
	if p.PriorityValue() != owner.priority {
		add("spec.priority", "%d, and %s has %d", p.PriorityValue(), whose, owner.priority)
	}

	if !u.policyCounts {
		whose = string(first.Key())
	}
	if neverPreempts(p) != owner.never {
		add("spec.preemptionPolicy", "not that of %s", whose)
	}

	if p.Scheduler() != first.Scheduler() {
		add("spec.schedulerName", "%q, and %s has %q", p.Scheduler(), first.Key(), first.Scheduler())
	}
	return ps
}

// neverPreempts reports whether the pod's own policy is Never.
func neverPreempts(p *outrank.Pod) bool { return p.PreemptionPolicy == outrank.PreemptNever }

// ancestorsOf returns the composite groups above a group of pods, the lowest first. It ends at an unknown
// parent, and at the largest number of levels (rules 12.6.4 and 12.6.6). The list is empty if composite
// groups do not count.
func ancestorsOf(s *state.Snapshot, g *outrank.PodGroup) (above []*outrank.CompositePodGroup) {
	if g == nil || !s.Rules.CompositeUnits {
		return nil
	}
	c, ok := s.Composite(g.ParentKey())
	for ok && len(above) < outrank.MaxGroupLevels-1 {
		above = append(above, c)
		c, ok = s.Composite(c.ParentKey())
	}
	return above
}

// rootOf returns the topmost composite group above a group of pods, nil if there is none.
func rootOf(s *state.Snapshot, g *outrank.PodGroup) *outrank.CompositePodGroup {
	if above := ancestorsOf(s, g); len(above) > 0 {
		return above[len(above)-1]
	}
	return nil
}
