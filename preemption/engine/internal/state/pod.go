package state

import (
	"cmp"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// PodState is everything that a snapshot knows of one pod. It never changes, so that snapshots can share it.
// There is one for each pod, so that its size matters.
type PodState struct {
	Pod   *outrank.Pod
	Class *PodClass
	*Taking
	// At is the node that a running pod runs on, or a pending one is nominated to. It is nil for a pending
	// pod without a nomination.
	At *nodeRef
}

// Taking has the amounts that a pod takes of its node or, if it is pending, asks for. It never changes,
// so that pods which take the same may share it.
type Taking struct {
	Takes   Amounts
	Running bool
}

// Priority returns the pod's own priority.
func (p *PodState) Priority() int32 { return p.Pod.PriorityValue() }

// Rank returns the pod's sort key. NodeState.SortKeys has it for the pods of a node.
func (p *PodState) Rank() Importance { return importanceOf(p.Pod) }

// nodeRef is the name of a node. The pods of the node and its states in all snapshots share it.
type nodeRef struct{ Name string }

// Node returns the name of the node that the pod runs on, empty for a pending pod.
func (p *PodState) Node() string {
	if p.Running {
		return p.At.Name
	}
	return ""
}

// Nominated returns the name of the node that a pending pod is nominated to, empty without a nomination.
func (p *PodState) Nominated() string {
	if p.Running || p.At == nil {
		return ""
	}
	return p.At.Name
}

// Importance is the sort key of a pod. Between equal keys the pods' names decide.
type Importance struct {
	Sec      int64 // the start in seconds since 1970; NoStart for none
	Nsec     int32 // the nanoseconds of the start
	Priority int32
}

// importanceOf returns the sort key of a pod.
func importanceOf(p *outrank.Pod) Importance {
	r := Importance{Sec: rank.NoStart, Priority: p.PriorityValue()}
	if !p.StartTime.IsZero() {
		r.Sec, r.Nsec = p.StartTime.Unix(), int32(p.StartTime.Nanosecond())
	}
	return r
}

// compare orders sort keys: it is negative if r is more important than o. A missing start is later than any.
func (r *Importance) compare(o Importance) int {
	switch {
	case r.Priority != o.Priority:
		return cmp.Compare(o.Priority, r.Priority)
	case r.Sec != o.Sec:
		return cmp.Compare(r.Sec, o.Sec)
	}
	return cmp.Compare(r.Nsec, o.Nsec)
}

// CompareStart compares two starts. A missing start counts as now.
func (r Importance) CompareStart(o Importance, now rank.Instant) int {
	r, o = r.At(now), o.At(now)
	if c := cmp.Compare(r.Sec, o.Sec); c != 0 {
		return c
	}
	return cmp.Compare(r.Nsec, o.Nsec)
}

// At returns the importance with a missing start replaced by now.
func (r Importance) At(now rank.Instant) Importance {
	if r.Sec == rank.NoStart {
		r.Sec, r.Nsec = now.Sec, now.Nsec
	}
	return r
}

// Start returns the time that counts as the pod's start: now if it has none.
func (p *PodState) Start(now time.Time) time.Time {
	if p.Pod.StartTime.IsZero() {
		return now
	}
	return p.Pod.StartTime
}

// Compare orders pods by importance (group 4.3; MoreImportantPod): negative if
// p goes before q. A missing start counts as now. The order is total: names settle the last ties.
func (p *PodState) Compare(q *PodState, now rank.Instant) int {
	if c := cmp.Compare(q.Priority(), p.Priority()); c != 0 {
		return c
	}
	if c := p.Rank().CompareStart(q.Rank(), now); c != 0 {
		return c
	}
	return compareNames(p.Pod, q.Pod)
}

// compareNames orders pods by namespace and name.
func compareNames(p, q *outrank.Pod) int {
	if c := cmp.Compare(p.NamespaceName(), q.NamespaceName()); c != 0 {
		return c
	}
	return cmp.Compare(p.Name, q.Name)
}
