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
	// Arrived: a pod came into the queue. One that was recreated did so for
	// another one, the related pod.
	Arrived EventKind = "arrive"
	// Refused: an attempt to place the pod came to nothing.
	Refused EventKind = "refuse"
	// Evicted: the pod was told to go for the related one, or under pressure.
	Evicted EventKind = "evict"
	// Nominated: room is being made for the pod on the node. NominationLost: it
	// is not any more.
	Nominated      EventKind = "nominate"
	NominationLost EventKind = "unnominate"
	// Bound: the pod is on the node from now on. Where there are kubelets it has begun
	// with Started, unless it was Rejected. GivenUp: nobody makes it anew.
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
	// Changed: there was another change from outside, of the pod or node.
	Changed EventKind = "change"
)

// Event is one event of a run.
type Event struct {
	// Time is since the beginning.
	Time time.Duration
	Kind EventKind
	// Pod is the pod that the event is about, Related the other pod that has to
	// do with it; nil where there is none.
	Pod, Related *outrank.Pod
	Node         string
	// Text is for people.
	Text string
}

// teller passes events on to the observer.
type teller struct {
	clock   *clock
	observe func(Event) // nil where nobody listens
}

// tell passes an event on. The text is made only where somebody listens.
func (t *teller) tell(e Event, format string, args ...any) {
	if t.observe == nil {
		return
	}
	e.Time = t.clock.at
	if format != "" {
		e.Text = fmt.Sprintf(format, args...)
	}
	t.observe(e)
}
