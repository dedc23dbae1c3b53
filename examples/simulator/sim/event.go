package sim

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
)

// EventKind is the kind of an event.
type EventKind string

// The kinds of events.
const (
	// Arrived: a pod came into the queue, or directly to its node. The related pod is the one that it
	// replaces.
	Arrived EventKind = "arrive"
	// Refused: an attempt to place the pod has failed.
	Refused EventKind = "refuse"
	// Evicted: the pod has to leave, in favour of the related pod, because of pressure, or because its node
	// is drained.
	Evicted EventKind = "evict"
	// Nominated: room is being made for the pod on the node. NominationLost: that is over.
	Nominated      EventKind = "nominate"
	NominationLost EventKind = "unnominate"
	// Bound: the pod is on the node from now on. It runs at once; with kubelets it runs from Started on.
	// Rejected: its kubelet has rejected it. GivenUp: its controller does not recreate it any more.
	Bound    EventKind = "bind"
	Started  EventKind = "start"
	Rejected EventKind = "reject"
	GivenUp  EventKind = "give-up"
	// Ended: the pod has finished its work.
	Ended EventKind = "finish"
	// Left: the pod is gone before it has finished.
	Left EventKind = "gone"
	// Deleted: the pod was deleted from outside.
	Deleted EventKind = "delete"
	// Changed: the pod, the node or the budgets have changed in another way.
	Changed EventKind = "change"
)

// Cause is the reason why a pod leaves before it has finished.
type Cause uint8

// The causes.
const (
	// NoCause: the pod does not have to leave.
	NoCause Cause = iota
	// Preempted: a scheduler made room for another pod, or for a gang.
	Preempted
	// ForCritical: its kubelet made room for a critical pod.
	ForCritical
	// UnderMemory and UnderDisk: its kubelet made room because the node was under pressure.
	UnderMemory
	UnderDisk
	// Drained: the node was emptied, by Drain or Retire.
	Drained
	// NodeLost: the node went away, by RemoveNode or FailNode.
	NodeLost
	// DeletedFromOutside: DeletePod deleted it. That is no eviction, and the work of the pod is not lost.
	DeletedFromOutside
	causeCount
)

// causeNames are the words of the causes.
var causeNames = [causeCount]string{"none", "preempted", "critical pod", "memory pressure", "disk pressure", "drained", "node lost", "deleted"}

// String names the cause.
func (c Cause) String() string {
	if c < causeCount {
		return causeNames[c]
	}
	return fmt.Sprintf("Cause(%d)", uint8(c))
}

// byKubelet reports whether a kubelet decides about evictions for this cause.
func (c Cause) byKubelet() bool { return c == ForCritical || c == UnderMemory || c == UnderDisk }

// Lost reports whether a pod that leaves for this cause loses its work: its controller starts it again from
// the beginning.
func (c Cause) Lost() bool { return c != NoCause && c != DeletedFromOutside }

// Causes returns all causes except NoCause, in the order of their declaration. The caller owns the slice.
func Causes() []Cause {
	list := make([]Cause, 0, causeCount-1)
	for c := NoCause + 1; c < causeCount; c++ {
		list = append(list, c)
	}
	return list
}

// Event is one event of a run. It is valid during the call that delivers it. Its objects never change, and
// the receiver must not change them.
type Event struct {
	// Time is the time since the beginning of the run.
	Time time.Duration
	Kind EventKind
	// Pod is the pod that the event is about, and Related another pod that it involves. Each is nil if there
	// is none.
	Pod, Related *outrank.Pod
	Node         string
	// Lineage is the name that the pod shares with the pods that it replaces and that replace it. It is empty
	// if Pod is nil.
	Lineage string
	// Cause is why the pod leaves. Only events of the kinds Evicted, Deleted and Left have one.
	Cause Cause
	// Object is the new version of the node. Only Changed events about a node have one; it is nil if the node
	// is gone.
	Object *outrank.Node
	// Text describes the event for people. Followers (Config.Follow) do not get it.
	Text string
}

// teller passes events on to the listeners.
type teller struct {
	clock *clock
	// fateOf returns the lineage of a pod and the cause for which it leaves; ok is false for an unknown pod.
	fateOf  func(outrank.Key) (lineage string, cause Cause, ok bool)
	observe func(Event) // Config.Observe, or nil if there is no observer
	// follow has the listeners that receive events without text, and no refused attempts.
	follow []func(Event)
}

// tell passes an event on. The text is formatted only if somebody receives it.
func (t *teller) tell(e Event, format string, args ...any) {
	if t.observe == nil && len(t.follow) == 0 {
		return
	}

	// A pod has its cause from the time at which it has to leave. Only the events of leaving report it: a pod
	// that finishes within its grace period left for none.
	e.Time = t.clock.at
	if e.Pod != nil {
		if lineage, cause, ok := t.fateOf(e.Pod.Key()); ok {
			e.Lineage = lineage
			if e.Kind == Evicted || e.Kind == Deleted || e.Kind == Left {
				e.Cause = cause
			}
		}
	}

	// Followers do not receive refused attempts, so that the run may make many of these together without an
	// event for each.
	if e.Kind != Refused {
		for _, f := range t.follow {
			f(e)
		}
	}

	if t.observe == nil {
		return
	}
	if format != "" {
		e.Text = fmt.Sprintf(format, args...)
	}
	t.observe(e)
}
