package engine

import (
	"iter"

	"github.com/outrank-go/outrank"
)

// Budgets iterates over the budgets in the order in which they came. The loop may change the
// snapshot: it sees the budgets that there were when it began.
func (s *Snapshot) Budgets() iter.Seq[*outrank.PodDisruptionBudget] {
	return s.reads().Budgets()
}

// PutBudget takes a budget in as an informer delivers it: a new one is added
// behind all others, and one of the same key replaced in its place. The error is
// that of [outrank.Cluster.Validate] about the budget.
//
// A change of the status alone, or of anything else but the selector, touches no
// pod: time is that of copying the list of budgets, however many pods there are. A
// new budget or another selector costs a look at every class of pods in addition, and at the nodes with
// pods of the classes that the change concerns. A class is the pods of the same namespace, labels and
// anti-affinity. If some pods of the classes concerned are pending,
// every pod is looked at. [Snapshot.Undo] takes the change back.
func (s *Snapshot) PutBudget(b *outrank.PodDisruptionBudget) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().PutBudget(b)
}

// RemoveBudget takes a budget away. Error: [preemption.ErrNotFound]. Time is that of
// [Snapshot.PutBudget] with another selector. Once more budgets were taken away than are left, every
// class of pods is matched with those that are left anew. [Snapshot.Undo] takes the change back.
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

// Groups iterates over the pod groups, sorted by key. Time is that of sorting them. The loop
// may change the snapshot, as that of [Snapshot.Namespaces].
func (s *Snapshot) Groups() iter.Seq[*outrank.PodGroup] {
	return s.reads().Groups()
}

// PutGroup takes a pod group in as an informer delivers it: a new one is added,
// and one of the same key replaced. The pods stay as they are: they name their
// group. The error is that of [outrank.Cluster.Validate] about the group. Time is
// constant; where victims are units (rule 12.6.1), linear in the running pods of the
// group and in those of their nodes. [Snapshot.Undo] takes it back.
func (s *Snapshot) PutGroup(g *outrank.PodGroup) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().PutGroup(g)
}

// RemoveGroup takes a pod group away. Pods that name it stay, and count by
// themselves. Error: [preemption.ErrNotFound]. Time is that of [Snapshot.PutGroup].
// [Snapshot.Undo] takes it back.
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

// Composites iterates over the composite pod groups, sorted by key. Time is that of sorting
// them. The loop may change the snapshot, as that of [Snapshot.Namespaces].
func (s *Snapshot) Composites() iter.Seq[*outrank.CompositePodGroup] {
	return s.reads().Composites()
}

// PutComposite takes a composite pod group in as an informer delivers it: a new one is
// added, and one of the same key replaced. The groups below stay as they are: they name
// their parent. The error is that of [outrank.Cluster.Validate] about the group. Time
// is constant where composite groups do not count, else linear in the running pods of
// the groups below and in those of their nodes. [Snapshot.Undo] takes it back.
func (s *Snapshot) PutComposite(g *outrank.CompositePodGroup) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().PutComposite(g)
}

// RemoveComposite takes a composite pod group away. Groups that name it as their
// parent stay, each the top of its tree. Error: [preemption.ErrNotFound]. Time is that of
// [Snapshot.PutComposite]. [Snapshot.Undo] takes it back.
func (s *Snapshot) RemoveComposite(key outrank.Key) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().RemoveComposite(key)
}

// Namespaces iterates over the namespaces that the snapshot was told of, sorted by
// name. Time is that of sorting them. The loop may change the snapshot: a namespace that it
// removes before its turn does not come, and one that it adds may come or not.
func (s *Snapshot) Namespaces() iter.Seq[*outrank.Namespace] {
	return s.reads().Namespaces()
}

// PutNamespace takes a namespace in as an informer delivers it: a new one is
// added, and one of the same name replaced. From now on the namespace selectors of
// pod affinity terms, those of pods that are known already included, see it and
// its labels. The error is that of [outrank.Cluster.Validate] about the namespace.
// Time is constant. [Snapshot.Undo] takes it back.
func (s *Snapshot) PutNamespace(ns *outrank.Namespace) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().PutNamespace(ns)
}

// RemoveNamespace takes a namespace away, so that no namespace selector of a
// preemptor picks it; its pods stay as they are. Error: [preemption.ErrNotFound]. Time is
// constant. [Snapshot.Undo] takes it back.
func (s *Snapshot) RemoveNamespace(name string) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().RemoveNamespace(name)
}

// LeavesWith returns the group, or the composite group, whose running pods all leave
// together with a pod that runs in the snapshot. Both are nil if the pod leaves by itself
// (rules 12.6.2 and 12.6.4), does not run, or is another pod of the name. Time is
// constant.
func (s *Snapshot) LeavesWith(p *outrank.Pod) (*outrank.PodGroup, *outrank.CompositePodGroup) {
	if s == nil {
		return nil, nil
	}
	return s.reads().LeavesWith(p)
}

// CountsAs returns the priority with which a pod of the snapshot counts as a victim: its own or,
// if victims are units, that of its groups (rules 12.6.2 and 12.6.4). For a pod that does not run
// it is the pod's own, and for nil it is 0. Time is constant.
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
