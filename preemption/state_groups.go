package preemption

import (
	"errors"
	"fmt"
	"iter"

	"github.com/outrank-go/outrank"
)

// Group finds a pod group by its key ([outrank.PodGroup.Key]). A pod can name a
// group that the snapshot does not hold.
func (s *Snapshot) Group(key outrank.Key) (*outrank.PodGroup, bool) { return s.groups.get(string(key)) }

// Groups goes through the pod groups, sorted by key. Time is that of sorting
// them. The snapshot must not change meanwhile.
func (s *Snapshot) Groups() iter.Seq[*outrank.PodGroup] { return s.groups.sorted() }

// SetGroups replaces all pod groups. The pods stay as they are. The slice is
// not kept, the groups are. The error is that of [outrank.Cluster.Validate].
// Time is that of [Snapshot.PutGroup] for each of them, before and after.
func (s *Snapshot) SetGroups(groups []*outrank.PodGroup) error {
	c := outrank.Cluster{Groups: groups}
	if err := c.Validate(); err != nil {
		return err
	}
	gone := map[string]bool{}
	s.groups.each(func(key string, _ *outrank.PodGroup) { gone[key] = true })
	for _, g := range groups {
		key := string(g.Key())
		delete(gone, key)
		s.setGroup(key, g)
	}
	for key := range gone {
		s.setGroup(key, nil)
	}
	return nil
}

// PutGroup takes a pod group in as an informer delivers it: a new one is added,
// and one of the same key replaced. The pods stay as they are: they name their
// group. The error is that of [outrank.Cluster.Validate] about the group. Time is
// constant; where victims are units (rule 12.6.1), linear in the running pods of the
// group and in those of their nodes. [Snapshot.Undo] takes it back.
func (s *Snapshot) PutGroup(g *outrank.PodGroup) error {
	c := outrank.Cluster{Groups: []*outrank.PodGroup{g}}
	if err := c.Validate(); err != nil {
		return err
	}
	s.setGroup(string(g.Key()), g)
	return nil
}

// RemoveGroup takes a pod group away. Pods that name it stay, and count by
// themselves. Error: [ErrNotFound]. Time is that of [Snapshot.PutGroup].
// [Snapshot.Undo] takes it back.
func (s *Snapshot) RemoveGroup(key outrank.Key) error {
	if _, ok := s.Group(key); !ok {
		return fmt.Errorf("pod group %s: %w", key, ErrNotFound)
	}
	s.setGroup(string(key), nil)
	return nil
}

// setGroup replaces the group of this key; nil takes it away.
func (s *Snapshot) setGroup(key string, g *outrank.PodGroup) {
	before, _ := s.groups.get(key)
	if before == g {
		return
	}
	s.journal.record(step{kind: putGroup, name: key, group: before})
	if g == nil {
		s.groups.remove(key)
	} else {
		s.groups.set(key, g)
	}
	s.regroup(key)
}

// Composite finds a composite pod group by its key
// ([outrank.CompositePodGroup.Key]).
func (s *Snapshot) Composite(key outrank.Key) (*outrank.CompositePodGroup, bool) {
	return s.composites.get(string(key))
}

// Composites goes through the composite pod groups, sorted by key. Time is that of
// sorting them. The snapshot must not change meanwhile.
func (s *Snapshot) Composites() iter.Seq[*outrank.CompositePodGroup] { return s.composites.sorted() }

// SetComposites replaces all composite pod groups. The slice is not kept, the groups
// are. The error is that of [outrank.Cluster.Validate]. Time is that of
// [Snapshot.PutComposite] for each of them, before and after. [Snapshot.Undo] takes it
// back.
func (s *Snapshot) SetComposites(composites []*outrank.CompositePodGroup) error {
	c := outrank.Cluster{Composites: composites}
	if err := c.Validate(); err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, g := range composites {
		kept[string(g.Key())] = true
	}
	var gone []string
	s.composites.each(func(key string, _ *outrank.CompositePodGroup) {
		if !kept[key] {
			gone = append(gone, key)
		}
	})
	for _, key := range gone {
		s.setComposite(key, nil)
	}
	for _, g := range composites {
		s.setComposite(string(g.Key()), g)
	}
	return nil
}

// PutComposite takes a composite pod group in as an informer delivers it: a new one is
// added, and one of the same key replaced. The groups below stay as they are: they name
// their parent. The error is that of [outrank.Cluster.Validate] about the group. Time
// is constant where composite groups do not count, else linear in the running pods of
// the groups below and in those of their nodes. [Snapshot.Undo] takes it back.
func (s *Snapshot) PutComposite(g *outrank.CompositePodGroup) error {
	c := outrank.Cluster{Composites: []*outrank.CompositePodGroup{g}}
	if err := c.Validate(); err != nil {
		return err
	}
	s.setComposite(string(g.Key()), g)
	return nil
}

// RemoveComposite takes a composite pod group away. Groups that name it as their
// parent stay, each the top of its tree. Error: [ErrNotFound]. Time is that of
// [Snapshot.PutComposite]. [Snapshot.Undo] takes it back.
func (s *Snapshot) RemoveComposite(key outrank.Key) error {
	if _, ok := s.Composite(key); !ok {
		return fmt.Errorf("composite pod group %s: %w", key, ErrNotFound)
	}
	s.setComposite(string(key), nil)
	return nil
}

// setComposite replaces the composite group of this key; nil takes it away.
func (s *Snapshot) setComposite(key string, g *outrank.CompositePodGroup) {
	before, _ := s.composites.get(key)
	if before == g {
		return
	}
	s.journal.record(step{kind: putComposite, name: key, composite: before})
	if g == nil {
		s.composites.remove(key)
	} else {
		s.composites.set(key, g)
	}
	s.regroupBelow(key)
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

// checkSelectors refuses a preemptor with a selector that the scheduler cannot
// read. On a pod that is there such a selector matches nothing.
func checkSelectors(pod *outrank.Pod) error {
	for _, terms := range [...][]outrank.PodAffinityTerm{pod.Affinity.Pods, pod.Affinity.AntiPods} {
		for i := range terms {
			if err := errors.Join(terms[i].Selector.Validate(), terms[i].NamespaceSelector.Validate()); err != nil {
				return fmt.Errorf("pod %s: pod affinity term %d: %w: %w", pod.Key(), i, outrank.ErrInvalid, err)
			}
		}
	}
	for i := range pod.TopologySpread {
		c := &pod.TopologySpread[i]
		if err := c.Selector.Validate(); err != nil && c.WhenUnsatisfiable != outrank.ScheduleAnyway {
			return fmt.Errorf("pod %s: spec.topologySpreadConstraints[%d].labelSelector: %w: %w", pod.Key(), i, outrank.ErrInvalid, err)
		}
	}
	return nil
}

// checkPreemptor reports what keeps a pod from being placed at all.
func (s *Snapshot) checkPreemptor(pod *outrank.Pod) error {
	if err := pod.Validate(); err != nil {
		return err
	}
	if err := checkSelectors(pod); err != nil {
		return err
	}
	if p, ok := s.pods.of(pod); ok && p.running {
		return fmt.Errorf("pod %s: %w: it runs on node %s", pod.Key(), ErrState, p.node())
	}
	return nil
}
