package groups

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// owner is the group that pods preempt for: their own group or, where composite
// groups count, the one at the top of its tree (rules 12.9.2, 12.9.6 and 12.9.13).
type owner struct {
	key outrank.Key
	// composite is nil if the owner is a group of pods.
	composite *outrank.CompositePodGroup
	priority  int32
	// never is set if the policy says that the owner may not preempt.
	never bool
}

// ownerOf returns the owner of pods. At least their first pod is valid, and decides.
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

	// Without the gate the policy of the pods decides (rule 12.9.6).
	if s.Rules.GroupPolicyCounts {
		o.never = policy == outrank.PreemptNever
	}
	return o
}

// has reports whether a pod that names a group belongs to this one, or to its tree.
func (o *owner) has(s *state.Snapshot, p *outrank.Pod) bool {
	if o.composite == nil {
		return p.GroupKey() == o.key
	}
	group, _ := s.Group(p.GroupKey())
	return rootOf(s, group) == o.composite
}

// unlikeOwner returns a problem for everything in which pods of a group differ from it. In the
// reference such a difference ends the attempt with an error (rule 12.9.2): all pods, those that run
// included, have one scheduler, the priority of the group, and its preemption policy.
func unlikeOwner(s *state.Snapshot, pods []*outrank.Pod) (ps []outrank.Problem) {
	first := pods[0]
	group, known := s.Group(first.GroupKey())
	if tooDeep(s, group) {
		return []outrank.Problem{{
			Object: "podgroup " + string(group.Key()), Field: "spec.parentCompositePodGroupName",
			Text: fmt.Sprintf("more than %d levels of groups", outrank.MaxGroupLevels),
		}}
	}

	// Of a pod of another group nothing else is said.
	owner := ownerOf(s, pods)
	unlike := unlikeGroup{owner: owner, known: known, first: first, policyCounts: s.Rules.GroupPolicyCounts}
	var groups []outrank.Key
	for _, p := range pods {
		other, _ := s.Group(p.GroupKey())
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

	// The pods that run are compared, too. Those of a tree may be in groups of which no pod waits.
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

// checkTopologies refuses pods of groups whose topology would limit where they may be placed,
// because first fit does not look at it (rule 12.9.14).
func checkTopologies(s *state.Snapshot, pods []*outrank.Pod) (ps []outrank.Problem) {
	if !s.Rules.GroupTopologies {
		return nil
	}

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

// tooDeep reports whether a group is below the last level of its tree. A group below a circle of
// groups always is.
func tooDeep(s *state.Snapshot, group *outrank.PodGroup) bool {
	above := ancestorsOf(s, group)
	if len(above) == 0 {
		return false
	}
	_, more := s.Composite(above[len(above)-1].ParentKey())
	return more
}

// unlikeGroup compares pods with the owner of their group, or with the first of them if the group is
// not known.
type unlikeGroup struct {
	owner owner
	// known is set if the snapshot has the group.
	known bool
	first *outrank.Pod
	// policyCounts is set if the preemption policy is the group's.
	policyCounts bool
}

// appendTo appends a problem for everything in which a pod differs.
func (u *unlikeGroup) appendTo(ps []outrank.Problem, p *outrank.Pod) []outrank.Problem {
	first, owner := u.first, &u.owner
	add := func(field, format string, args ...any) {
		ps = append(ps, outrank.Problem{Object: "pod " + string(p.Key()), Field: field, Text: fmt.Sprintf(format, args...)})
	}

	// whose names what the pod differs from.
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

// ancestorsOf returns the composite groups above a group of pods, the lowest first. The way up ends at
// a parent that is not there and at the highest level that a tree may have (rules 12.6.4 and 12.6.6).
// There are none where composite groups do not count.
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

// rootOf returns the topmost composite group above a group of pods, nil without one.
func rootOf(s *state.Snapshot, g *outrank.PodGroup) *outrank.CompositePodGroup {
	if above := ancestorsOf(s, g); len(above) > 0 {
		return above[len(above)-1]
	}
	return nil
}
