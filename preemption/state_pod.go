package preemption

import (
	"cmp"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// podState is what a snapshot knows of one pod. It never changes, so that
// snapshots can share it. There is one per pod, so its size matters.
type podState struct {
	pod   *outrank.Pod
	class *podClass
	takes amounts
	// at is the node that the pod runs on or, if it is pending, is nominated
	// to; nil for neither.
	at      *nodeRef
	running bool
}

func (p *podState) priority() int32 { return p.pod.PriorityValue() }

// rank returns what the pod is sorted by. Nodes keep it for their pods.
func (p *podState) rank() importance { return importanceOf(p.pod) }

// nodeRef is the name of a node, shared by its pods and states.
type nodeRef struct{ name string }

// node returns the node that the pod runs on, empty for a pending pod.
func (p *podState) node() string {
	if p.running {
		return p.at.name
	}
	return ""
}

// nominated returns the node that a pending pod is nominated to, empty for
// none.
func (p *podState) nominated() string {
	if p.running || p.at == nil {
		return ""
	}
	return p.at.name
}

// importance is what pods are sorted by. The pods' names settle ties.
type importance struct {
	sec      int64 // start, seconds since 1970; NoStart without one
	nsec     int32
	priority int32
}

func importanceOf(p *outrank.Pod) importance {
	r := importance{sec: rank.NoStart, priority: p.PriorityValue()}
	if !p.StartTime.IsZero() {
		r.sec, r.nsec = p.StartTime.Unix(), int32(p.StartTime.Nanosecond())
	}
	return r
}

// compareStart compares two starts. A missing start counts as now.
func (r importance) compareStart(o importance, now rank.Instant) int {
	r, o = r.at(now), o.at(now)
	if c := cmp.Compare(r.sec, o.sec); c != 0 {
		return c
	}
	return cmp.Compare(r.nsec, o.nsec)
}

// at returns the importance with a missing start replaced by now.
func (r importance) at(now rank.Instant) importance {
	if r.sec == rank.NoStart {
		r.sec, r.nsec = now.Sec, now.Nsec
	}
	return r
}

// start returns the time that counts as the pod's start: now if it has none.
func (p *podState) start(now time.Time) time.Time {
	if p.pod.StartTime.IsZero() {
		return now
	}
	return p.pod.StartTime
}

// compare orders pods by importance (group 4.3; MoreImportantPod): negative if
// p goes before q. It is a total order: ties end in the pods' names.
func (p *podState) compare(q *podState, now rank.Instant) int {
	if c := cmp.Compare(q.priority(), p.priority()); c != 0 {
		return c
	}
	if c := p.rank().compareStart(q.rank(), now); c != 0 {
		return c
	}
	if c := cmp.Compare(p.pod.NamespaceName(), q.pod.NamespaceName()); c != 0 {
		return c
	}
	return cmp.Compare(p.pod.Name, q.pod.Name)
}
