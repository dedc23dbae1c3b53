package sim

import (
	"container/heap"
	"time"
)

// momentKind orders moments of the same time: first pods end, and those whose grace
// period is over leave, so that their room is there for everything else; then kubelets
// look at usage, then changes come from outside; then pods come. Scheduling comes after
// all of it, so that the queue can choose among all pods that are there.
type momentKind uint8

const (
	endMoment momentKind = iota
	goneMoment
	lookMoment
	changeMoment
	arriveMoment
)

// moment is a coming event. A pod's end, and the end of its grace period, stay
// on the agenda even if the pod goes before; nothing happens then.
type moment struct {
	at   time.Duration
	kind momentKind
	// number is the order in which moments were put on the agenda.
	number uint64
	// pod is the pod that comes, ends or leaves, host the node whose kubelet looks.
	pod  *pod
	host *host
	// change is a change from outside; idle is set if it keeps no run going.
	change func() error
	idle   bool
}

// agenda holds the moments to come, in a total order: time, kind, number.
type agenda struct {
	moments momentHeap
	count   uint64
	// idle counts the moments that keep no run going.
	idle int
}

// add puts a moment on the agenda.
func (a *agenda) add(m moment) {
	a.count++
	m.number = a.count
	a.idle += one(m.idle)
	heap.Push(&a.moments, &m)
}

// next returns the time of the next moment; false where there is none.
func (a *agenda) next() (time.Duration, bool) {
	if len(a.moments) == 0 {
		return 0, false
	}
	return a.moments[0].at, true
}

// pop takes the next moment from the agenda, which is not empty.
func (a *agenda) pop() *moment {
	m := heap.Pop(&a.moments).(*moment)
	a.idle -= one(m.idle)
	return m
}

// toCome reports whether anything is to come but looks.
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
