package queue

import (
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// SchedulingGates is the check that every [Queue] makes first: no pod is tried
// while it has scheduling gates (rule 5.2.3).
const SchedulingGates = "SchedulingGates"

// Gate is a check before the queue (upstream's PreEnqueue plugin): a pod that it
// holds waits as gated.
type Gate struct {
	// Name stands in [Entry.Gate] while the gate holds the pod.
	Name string
	// Holds reports whether the pod is to be kept out. Like [Config.Helps] it must
	// not change the pod or call the queue, which is locked meanwhile. The answer
	// may change with time; see [Queue] for when the question is asked again.
	Holds func(pod *outrank.Pod) bool
	// Events are the kinds of events after which the gate is asked again, as upstream
	// those that the plugin is registered for; none means all. From v1.37 on an event
	// of the empty kind is always one of them (rule 5.2.8).
	Events []ClusterEventKind
}

// gateOf names the first gate that holds the pod, empty where none does.
func (c *Config) gateOf(pod *outrank.Pod) string {
	if pod.Gated() {
		return SchedulingGates
	}
	for i := range c.Gates {
		if c.Gates[i].Holds(pod) {
			return c.Gates[i].Name
		}
	}
	return ""
}

// mayOpen reports whether what holds a pod is asked after an event that is not a
// change of the pod (rules 5.2.6 and 5.2.8).
func (q *Queue) mayOpen(it *item, kind ClusterEventKind) bool {
	if it.heldBySpec() {
		return false
	}
	if kind == "" && q.rules.WildcardsAskGates {
		return true
	}
	return slices.ContainsFunc(q.config.Gates, func(g Gate) bool {
		return g.Name == it.Gate && (len(g.Events) == 0 || slices.Contains(g.Events, kind))
	})
}

// heldBySpec reports whether scheduling gates hold the pod, or the group.
func (it *item) heldBySpec() bool {
	if it.group != nil {
		return it.Gate == SchedulingGates
	}
	return it.Pod.Gated()
}

// askAgain returns when the gates of a gated pod are asked without an event (rule
// 5.2.7): never where only an update of the pod can open them.
func (c *core) askAgain(it *item) time.Time {
	if c.again <= 0 || it.heldBySpec() {
		return time.Time{}
	}
	since := it.Enqueued
	if it.flushed.After(since) {
		since = it.flushed
	}
	return since.Add(c.again)
}

// compareDue sorts by when items are due; never comes last.
func compareDue(a, b *item) int {
	switch {
	case a.due.IsZero() && b.due.IsZero():
		return 0
	case a.due.IsZero():
		return 1
	case b.due.IsZero():
		return -1
	}
	return a.due.Compare(b.due)
}
