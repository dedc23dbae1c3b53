package queue

import (
	"cmp"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority"
)

// Entry is a pod with what a queue knows about it (upstream's QueuedPodInfo), or a group of pods
// (QueuedPodGroupInfo). An entry that a queue hands out belongs to the caller; only the pod is shared, and it
// must not be changed.
type Entry struct {
	// Pod is nil in the entry of a group.
	Pod *outrank.Pod
	// Group is the group that is popped as one, with its members; nil for a pod, also for a pod of a group
	// (group 5.8).
	Group *Group
	// Attempts counts how often the pod, or the group, was popped.
	Attempts int
	// Refusals counts the attempts that ended because the pod did not fit. Errors counts the latest
	// attempts in a row that ended in an error; an attempt that ends otherwise sets it to zero. The
	// backoff grows with Errors if it is not zero, else with Refusals.
	Refusals, Errors int
	// FirstEnqueued is the time at which the pod first entered the queue, and Enqueued the time at which it
	// last did: it was added, or put back after an attempt. Moves between the pools of a queue change neither.
	FirstEnqueued, Enqueued time.Time
	// BackoffEnd is the end of the backoff after the last failure. It is zero before the first, and always in
	// the queue of NewFIFO. It is a whole second, and the pod is due when that second is over. With
	// Config.NoEarlyPop it is any moment, and the pod is due at it.
	BackoffEnd time.Time
	// Gate is the name of the check that holds the pod back, SchedulingGates for the gates of its spec.
	// It is empty unless the pod is gated.
	Gate string
	// FailedFilters names the filters that kept the pod off some node in its last attempt, sorted and
	// without duplicates. It is empty in an entry just popped: the caller fills it in before putting
	// the entry back. No filter at all means that the attempt ended in an error.
	FailedFilters []string
	// PendingFilters names the failed filters that wait for an event of their own (upstream's
	// PendingPlugins), sorted and without duplicates. An example is a filter that waits for a driver to
	// answer about a device. They count as failed filters whether FailedFilters names them or
	// not. The caller fills it in as well.
	PendingFilters []string
	// Cycle is the number of the entry's last attempt; zero before the first. The queue counts the attempts
	// with all its pods together, from 1.
	Cycle int64
}

// Group is a group of pods that a [Queue] pops as one (group 5.8). It belongs to the caller, like the
// entry that it is part of.
type Group struct {
	// PodGroup is the object of a single group. It is nil for a tree of groups, which is queued as a whole.
	PodGroup *outrank.PodGroup
	// Composite is the root of a tree of groups, nil for a single group.
	Composite *outrank.CompositePodGroup
	// Members are the pods to be tried, in that order (rule 5.8.3); for a tree, the pods of all its groups.
	Members []Entry
}

// groupID identifies a group that is queued as one: a group of pods or a composite group. Groups of the two
// kinds may share a name.
type groupID struct {
	composite bool
	key       outrank.Key
}

// podKey identifies a pod by its namespace and name. Unlike [outrank.Pod.Key] it allocates nothing.
type podKey struct{ namespace, name string }

// copied returns a copy that shares nothing but the pod.
func (e Entry) copied() Entry {
	e.FailedFilters, e.PendingFilters = slices.Clone(e.FailedFilters), slices.Clone(e.PendingFilters)
	return e
}

// priority returns the priority of the pod or of the group.
func (e *Entry) priority() int32 {
	if e.Group != nil {
		return e.Group.Priority()
	}
	return e.Pod.PriorityValue()
}

// CompareEntries is negative if a is to be popped before b, positive if after, and 0 if they are equal in this
// order (rules 5.1.1 to 5.1.3; PrioritySort):
//
//  1. the higher priority; no priority counts as 0;
//  2. the earlier time of entering the queue, [Entry.Enqueued];
//  3. the namespace, then the name, then the UID that is first by bytes; a pod
//     before a group of the same name.
//
// A group counts with its own priority (rule 5.8.2). The reference stops after the second key. An entry without
// a pod and without a group comes last. The call takes constant time and allocates nothing.
func CompareEntries(a, b *Entry) int {
	switch noA, noB := a == nil || a.Pod == nil && a.Group == nil, b == nil || b.Pod == nil && b.Group == nil; {
	case noA && noB:
		return 0
	case noA:
		return 1
	case noB:
		return -1
	}

	if c := cmp.Compare(b.priority(), a.priority()); c != 0 {
		return c
	}
	if c := a.Enqueued.Compare(b.Enqueued); c != 0 {
		return c
	}
	if a.Group != nil || b.Group != nil {
		return compareIdentities(a, b)
	}
	return priority.CompareIdentity(a.Pod, b.Pod)
}

// Key returns the key of the group, or of the root of the tree; see [outrank.PodGroup.Key].
func (g *Group) Key() outrank.Key { return g.id().key }

// id returns the key and the kind of the group. It is zero for a Group without a PodGroup and a Composite.
func (g *Group) id() groupID {
	switch {
	case g.Composite != nil:
		return groupID{true, g.Composite.Key()}
	case g.PodGroup != nil:
		return groupID{key: g.PodGroup.Key()}
	}
	return groupID{}
}

// Priority returns the priority of the group, or of the root of the tree, 0 if it has none
// (rule 5.8.2).
func (g *Group) Priority() int32 {
	var p *int32
	switch {
	case g.Composite != nil:
		p = g.Composite.Priority
	case g.PodGroup != nil:
		p = g.PodGroup.Priority
	}
	if p == nil {
		return 0
	}
	return *p
}

// copied returns a copy with entries of its own.
func (g *Group) copied() *Group {
	if g == nil {
		return nil
	}
	out := *g
	out.Members = slices.Clone(g.Members)
	for i := range out.Members {
		out.Members[i] = out.Members[i].copied()
	}
	return &out
}

// text returns how error messages name the group.
func (g *Group) text() string {
	if key := g.Key(); key != "" {
		return "group " + string(key)
	}
	return "group without a PodGroup or a Composite"
}

func keyOf(pod *outrank.Pod) podKey { return podKey{pod.NamespaceName(), pod.Name} }

// identity returns the keys that tell two entries apart, in the order in which they are compared. A pod is
// of kind 0, a group of kind 1, a composite group of kind 2.
func (e *Entry) identity() (namespace, name string, kind int, uid string) {
	g := e.Group
	switch {
	case g == nil:
		return e.Pod.NamespaceName(), e.Pod.Name, 0, e.Pod.UID
	case g.Composite != nil:
		root := g.Composite
		return root.NamespaceName(), root.Name, 2, root.UID
	case g.PodGroup != nil:
		group := g.PodGroup
		return group.NamespaceName(), group.Name, 1, group.UID
	}
	return "", "", 1, ""
}

// compareIdentities is the last step of [CompareEntries] if at least one of the entries is a group.
func compareIdentities(a, b *Entry) int {
	spaceA, nameA, kindA, uidA := a.identity()
	spaceB, nameB, kindB, uidB := b.identity()
	return cmp.Or(cmp.Compare(spaceA, spaceB), cmp.Compare(nameA, nameB), cmp.Compare(kindA, kindB), cmp.Compare(uidA, uidB))
}
