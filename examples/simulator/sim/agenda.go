package sim

import (
	"container/heap"
	"time"
)

// momentKind orders the moments of one time. First pods end, and pods whose grace period is over leave, so
// that their room is free for everything else. Then kubelets look at usage, changes come from outside, and
// pods arrive. Scheduling comes after all of them, so that the queue can choose among all pods that are
// there.
type momentKind uint8

const (
	endMoment momentKind = iota
	goneMoment
	lookMoment
	changeMoment
	arriveMoment
)

// moment is something that will happen. The end of a pod, or of its grace period, stays on the agenda even if
// the pod leaves earlier; then it has no effect.
type moment struct {
	at   time.Duration
	kind momentKind
	// number counts the moments in the order in which they were added.
	number uint64
	// pod is the pod that arrives, ends or leaves. host is the node whose kubelet looks.
	pod  *pod
	host *host
	// change is what changes from outside. idle is set if the moment alone is no reason to continue the run.
	change func() error
	idle   bool
}

// agenda holds the moments to come, ordered by time, kind and number.
type agenda struct {
	moments momentHeap
	count   uint64
	// idle counts the moments that are no reason to continue the run.
	idle int
}

// add puts a moment on the agenda.
func (a *agenda) add(m moment) {
	a.count++
	m.number = a.count
	a.idle += one(m.idle)
	heap.Push(&a.moments, &m)
}

// next returns the time of the next moment, and false if there is none.
func (a *agenda) next() (time.Duration, bool) {
	if len(a.moments) == 0 {
		return 0, false
	}
	return a.moments[0].at, true
}

// pop removes and returns the next moment. The agenda must not be empty.
func (a *agenda) pop() *moment {
	m := heap.Pop(&a.moments).(*moment)
	a.idle -= one(m.idle)
	return m
}

// toCome reports whether the agenda has a moment that is a reason to continue the run.
func (a *agenda) toCome() bool { return len(a.moments) > a.idle }

// momentHeap implements heap.Interface.
type momentHeap []*moment

func (h momentHeap) Len() int { return len(h) }

func (h momentHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	switch {
	case a.at != b.at:
		return a.at < b.at
	case a.kind != b.kind:
		return a.kind < b.kind
	}
	return a.number < b.number
}

func (h momentHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *momentHeap) Push(x any) { *h = append(*h, x.(*moment)) }

func (h *momentHeap) Pop() any {
	last := len(*h) - 1
	m := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return m
}
