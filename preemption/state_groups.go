package preemption

import (
	"fmt"

	"github.com/outrank-go/outrank"
)

func groupsByKey(groups []*outrank.PodGroup) map[string]*outrank.PodGroup {
	byKey := make(map[string]*outrank.PodGroup, len(groups))
	for _, g := range groups {
		byKey[g.Key()] = g
	}
	return byKey
}

// Group returns a pod group by its key, namespace/name
// ([outrank.PodGroup.Key]). A pod can name a group that the snapshot does not
// hold.
func (s *Snapshot) Group(key string) (*outrank.PodGroup, bool) {
	g, ok := s.groups[key]
	return g, ok
}

// SetGroups replaces all pod groups. The pods stay as they are. The slice is
// not kept, the groups are. The error is that of [outrank.Cluster.Validate].
// Time is linear in the number of groups.
func (s *Snapshot) SetGroups(groups []*outrank.PodGroup) error {
	c := outrank.Cluster{Groups: groups}
	if err := c.Validate(); err != nil {
		return err
	}
	s.setGroups(groupsByKey(groups))
	return nil
}

func (s *Snapshot) setGroups(groups map[string]*outrank.PodGroup) {
	s.journal.record(step{kind: putGroups, groups: s.groups})
	s.groups = groups
}

// ApplyGroup applies the plan for a group to the snapshot, as if everything had
// happened at once: the victims are gone, nominations are cleared, and each pod
// of the group is pending and nominated to its node (rule 14.3.2; none is
// bound). An error leaves the snapshot as it was: [ErrState] for a plan whose
// outcome is not Preempt, or for a pod of the group that runs by now,
// [ErrNotFound] for a victim or node that is not there.
func (s *Snapshot) ApplyGroup(plan *GroupPlan) error {
	if plan == nil || plan.Outcome != Preempt {
		return fmt.Errorf("plan: %w: there is nothing to carry out", ErrState)
	}
	for _, at := range plan.Placement {
		if err := s.checkPreemptor(at.Pod); err != nil {
			return err
		}
		if _, ok := s.Node(at.Node); !ok {
			return fmt.Errorf("node %s: %w", at.Node, ErrNotFound)
		}
	}
	for _, p := range plan.VictimPods() {
		if _, ok := s.Node(s.NodeOf(p.Key())); !ok {
			return fmt.Errorf("pod %s on a node: %w", p.Key(), ErrNotFound)
		}
	}
	s.carryOutGroup(plan)
	return nil
}

func (s *Snapshot) carryOutGroup(plan *GroupPlan) {
	for _, victim := range plan.VictimPods() {
		// A victim that stands in the plan twice is gone the second time.
		if p, ok := s.pods.of(victim); ok {
			s.drop(p)
		}
	}
	used := plan.nodes()
	for _, cleared := range plan.ClearedNominations {
		p, ok := s.pods.of(cleared)
		if ok && p.node() == "" && used[p.nominated()] {
			s.replace(p, s.moved(p, "", ""))
		}
	}
	for _, at := range plan.Placement {
		s.seat(at.Pod, "", at.Node)
	}
}

// seat puts a pod on a node or nominates it to one. The snapshot may know the
// pod already.
func (s *Snapshot) seat(pod *outrank.Pod, node, nominated string) {
	if p, ok := s.pods.of(pod); ok {
		s.drop(p)
	}
	s.put(s.newPodState(pod, node, nominated, s.classOf(pod)))
}

// checkPreemptor returns an error for a pod that is invalid or runs already.
func (s *Snapshot) checkPreemptor(pod *outrank.Pod) error {
	if err := pod.Validate(); err != nil {
		return err
	}
	if p, ok := s.pods.of(pod); ok && p.running {
		return fmt.Errorf("pod %s: %w: it runs on node %s", pod.Key(), ErrState, p.node())
	}
	return nil
}
