package engine

import (
	"iter"

	"github.com/outrank-go/outrank"
)

// Budgets iterates over the budgets in the order in which they were added. The loop may change the snapshot,
// and still sees the budgets from before it began.
func (s *Snapshot) Budgets() iter.Seq[*outrank.PodDisruptionBudget] {
	return s.reads().Budgets()
}

// PutBudget adds or replaces a budget, as an informer delivers it: a new one comes behind all others, and a
// known one, with the same key, keeps its place. It returns the error of [outrank.Cluster.Validate] about the
// budget.
//
// A change of the status, or of anything else but the selector, touches no pod: time is that of copying the
// list of budgets, however many pods there are. A new budget or another selector also costs a look at every
// class of pods, and at the nodes with pods of the classes that the change concerns. A class consists of the
// pods with the same namespace, labels and anti-affinity. If some pods of these classes are pending, every
// pod is looked at. [Snapshot.Undo] takes the change back.
func (s *Snapshot) PutBudget(b *outrank.PodDisruptionBudget) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().PutBudget(b)
}

// RemoveBudget removes a budget. Error: [preemption.ErrNotFound]. Time is that of [Snapshot.PutBudget] with
// another selector. Once more budgets have been removed than are left, every class of pods is matched anew.
// [Snapshot.Undo] takes the change back.
func (s *Snapshot) RemoveBudget(key outrank.Key) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().RemoveBudget(key)
}

// Group finds a pod group by its key ([outrank.PodGroup.Key]). A pod can name a
// group that the snapshot does not hold.
func (s *Snapshot) Group(key outrank.Key) (*outrank.PodGroup, bool) {
	return s.reads().Group(key)
}

// Groups iterates over the pod groups, sorted by key. Time is that of sorting them. The loop may change the
// snapshot, as in [Snapshot.Namespaces].
func (s *Snapshot) Groups() iter.Seq[*outrank.PodGroup] {
	return s.reads().Groups()
}

// PutGroup adds a pod group, or replaces the one with the same key, as an informer delivers it. The pods do
// not change, because they name their group. It returns the error of [outrank.Cluster.Validate] about the
// group. Time is constant or, if victims are units (rule 12.6.1), linear in the running pods of the group and
// the pods on their nodes. [Snapshot.Undo] takes it back.
func (s *Snapshot) PutGroup(g *outrank.PodGroup) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().PutGroup(g)
}

// RemoveGroup removes a pod group. Pods that name it stay, and count by themselves. Error:
// [preemption.ErrNotFound]. Time is that of [Snapshot.PutGroup]. [Snapshot.Undo] takes it back.
func (s *Snapshot) RemoveGroup(key outrank.Key) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().RemoveGroup(key)
}

// Composite finds a composite pod group by its key
// ([outrank.CompositePodGroup.Key]).
func (s *Snapshot) Composite(key outrank.Key) (*outrank.CompositePodGroup, bool) {
	return s.reads().Composite(key)
}

// Composites iterates over the composite pod groups, sorted by key. Time is that of sorting them. The loop
// may change the snapshot, as in [Snapshot.Namespaces].
func (s *Snapshot) Composites() iter.Seq[*outrank.CompositePodGroup] {
	return s.reads().Composites()
}

// PutComposite adds a composite pod group, or replaces the one with the same key, as an informer delivers it.
// The groups below do not change, because they name their parent. It returns the error of
// [outrank.Cluster.Validate] about the group. Time is constant if composite groups do not count in the
// release, otherwise linear in the running pods of the groups below and the pods on their nodes.
// [Snapshot.Undo] takes it back.
func (s *Snapshot) PutComposite(g *outrank.CompositePodGroup) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().PutComposite(g)
}

// RemoveComposite removes a composite pod group. Groups that name it as their parent stay, each as the top of
// a tree of its own. Error: [preemption.ErrNotFound]. Time is that of [Snapshot.PutComposite].
// [Snapshot.Undo] takes it back.
func (s *Snapshot) RemoveComposite(key outrank.Key) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().RemoveComposite(key)
}

// Namespaces iterates over the namespaces that the snapshot knows, sorted by name. Time is that of sorting
// them. The loop may change the snapshot: a namespace that it removes before its turn is left out, and one
// that it adds may come or not.
func (s *Snapshot) Namespaces() iter.Seq[*outrank.Namespace] {
	return s.reads().Namespaces()
}

// PutNamespace adds a namespace, or replaces the one with the same name, as an informer delivers it. From
// then on the namespace selectors of pod affinity terms see it and its labels, including terms of pods that
// are already known. It returns the error of [outrank.Cluster.Validate] about the namespace. Time is
// constant. [Snapshot.Undo] takes it back.
func (s *Snapshot) PutNamespace(ns *outrank.Namespace) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().PutNamespace(ns)
}

// RemoveNamespace removes a namespace, so that no namespace selector of a preemptor picks it. Its pods do not
// change. Error: [preemption.ErrNotFound]. Time is constant. [Snapshot.Undo] takes it back.
func (s *Snapshot) RemoveNamespace(name string) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().RemoveNamespace(name)
}

// LeavesWith returns the group, or the composite group, whose running pods all leave together with the given
// running pod. Both are nil if the pod leaves by itself (rules 12.6.2 and 12.6.4), does not run in the
// snapshot, or if another pod has its name there. Time is constant.
func (s *Snapshot) LeavesWith(p *outrank.Pod) (*outrank.PodGroup, *outrank.CompositePodGroup) {
	if s == nil {
		return nil, nil
	}
	return s.reads().LeavesWith(p)
}

// CountsAs returns the priority by which a pod of the snapshot counts as a victim: its own or, if victims are
// units, that of its groups (rules 12.6.2 and 12.6.4). For a pod that does not run it is the pod's own, and
// for nil it is 0. Time is constant.
func (s *Snapshot) CountsAs(pod *outrank.Pod) int32 {
	if pod == nil {
		return 0
	}
	if s == nil || s.of == nil || pod.Group == "" {
		return pod.PriorityValue()
	}

	if snap := s.of; snap.Rules.VictimUnits {
		if p, ok := snap.Known(pod); ok && p.Running {
			return snap.Units.Of(p).Priority
		}
	}
	return pod.PriorityValue()
}
