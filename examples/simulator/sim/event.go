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
	// Arrived: a pod came into the queue, or to its node past the scheduler. The related pod is the one that
	// it was made in place of.
	Arrived EventKind = "arrive"
	// Refused: an attempt to place the pod came to nothing.
	Refused EventKind = "refuse"
	// Evicted: the pod was told to go for the related one, under pressure, or because its node is
	// emptied.
	Evicted EventKind = "evict"
	// Nominated: room is being made for the pod on the node. NominationLost: room is made for it there no
	// longer.
	Nominated      EventKind = "nominate"
	NominationLost EventKind = "unnominate"
	// Bound: the pod is on the node from now on. It runs from then on, or with kubelets from Started on.
	// Rejected: its kubelet has turned it away. GivenUp: its controller makes it anew no more.
	Bound    EventKind = "bind"
	Started  EventKind = "start"
	Rejected EventKind = "reject"
	GivenUp  EventKind = "give-up"
	// Ended: the pod has come to its end.
	Ended EventKind = "finish"
	// Left: the pod is gone before its end.
	Left EventKind = "gone"
	// Deleted: the pod was told to go from outside.
	Deleted EventKind = "delete"
	// Changed: there was another change, of the pod, the node or the budgets.
	Changed EventKind = "change"
)

// Cause is why a pod leaves before its end.
type Cause uint8

// The causes.
const (
	// NoCause: the pod has not been told to go.
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
	// DeletedFromOutside: DeletePod took it away. It is no eviction, and what the pod has done
	// is not lost.
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

// byKubelet reports whether the decision was a kubelet's.
func (c Cause) byKubelet() bool { return c == ForCritical || c == UnderMemory || c == UnderDisk }

// Lost reports whether the work of a pod that leaves for this cause is lost: its controller
// begins it again from nothing.
func (c Cause) Lost() bool { return c != NoCause && c != DeletedFromOutside }

// Causes lists all causes but NoCause, in the order of their declaration. The slice is the caller's.
func Causes() []Cause {
	list := make([]Cause, 0, causeCount-1)
	for c := NoCause + 1; c < causeCount; c++ {
		list = append(list, c)
	}
	return list
}

// Event is one event of a run. It is valid during the call that delivers it; its objects stay as
// they are, and must not be changed.
type Event struct {
	// Time is since the beginning.
	Time time.Duration
	Kind EventKind
	// Pod is the pod that the event is about, Related the other pod that has to
	// do with it; nil where there is none.
	Pod, Related *outrank.Pod
	Node         string
	// Lineage is the name that the pod shares with those that it replaces and that replace it;
	// empty without a pod.
	Lineage string
	// Cause is why the pod leaves. Only Evicted, Deleted and Left events have one.
	Cause Cause
	// Object is the node as it is from now on. Only a Changed event about a node has one; it is nil where
	// the node is gone.
	Object *outrank.Node
	// Text is for people. Followers do not get it (Config.Follow).
	Text string
}

// teller passes events on to those who listen.
type teller struct {
	clock *clock
	// fateOf returns the lineage of a pod and why it leaves; false for an unknown one.
	fateOf  func(outrank.Key) (lineage string, cause Cause, ok bool)
	observe func(Event) // nil where nobody listens
	// follow has the listeners that hear of all but refused attempts, without the text.
	follow []func(Event)
}

// tell passes an event on. The text is made only where somebody reads it.
func (t *teller) tell(e Event, format string, args ...any) {
	if t.observe == nil && len(t.follow) == 0 {
		return
	}

	// A pod has a cause from the moment at which it is told to go. Only the events of going tell it: a pod
	// that comes to its end in its grace period has none.
	e.Time = t.clock.at
	if e.Pod != nil {
		if lineage, cause, ok := t.fateOf(e.Pod.Key()); ok {
			e.Lineage = lineage
			if e.Kind == Evicted || e.Kind == Deleted || e.Kind == Left {
				e.Cause = cause
			}
		}
	}

	// Followers hear nothing of refused attempts, so that these may be made together, without an event for
	// each.
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
