package sim

import (
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// line is the queue with counts of its pods. It passes the virtual time to the queue.
type line struct {
	queue *queue.Queue
	// inQueue counts the pods in the queue.
	inQueue int
	// relational counts the pods in the queue whose placement may depend on the labels of other pods.
	relational int

	clock *clock
	tries *tries
	meter *meter
}

// count counts a pod in the queue; with sign -1 it stops counting it, and adds its wait to the lineage's.
func (l *line) count(p *pod, sign int) {
	l.inQueue += sign
	if relational(p.obj) {
		l.relational += sign
	}

	// A pod that leaves the queue counts neither as waiting nor as tried.
	if sign < 0 {
		p.lineage.waited += l.clock.at - p.queued
		if p.tried == l.tries.state {
			l.tries.tried--
		}
	}

	l.meter.wait(p.obj.PriorityValue(), sign)
}

// refused records that an attempt with a pod has failed, unless the cluster has changed since the attempt
// began.
func (l *line) refused(p *pod, before uint64) {
	if t := l.tries; t.state == before && p.tried != t.state {
		p.tried = t.state
		t.tried++
	}
}

// move tells the queue of a change of a node or of a pod on it.
func (l *line) move(kind queue.ClusterEventKind, node *outrank.Node, obj *outrank.Pod) {
	l.queue.MoveAll(queue.ClusterEvent{Kind: kind, Node: node, Pod: obj}, l.clock.time())
}

// add puts a pod into the queue.
func (l *line) add(obj *outrank.Pod) error { return l.queue.Add(obj, l.clock.time()) }

// pop removes and returns the first pod or gang that may be tried now, and false if there is none.
func (l *line) pop() (queue.Entry, bool) { return l.queue.TryPop(l.clock.time()) }

// update tells the queue of a new version of a pod in it.
func (l *line) update(obj *outrank.Pod) error { return l.queue.Update(obj, l.clock.time()) }

// activate lets a pod in the queue be tried again at once.
func (l *line) activate(obj *outrank.Pod) { l.queue.Activate(obj) }

// remove takes a pod out of the queue for good.
func (l *line) remove(obj *outrank.Pod) { l.queue.Remove(obj) }

// assigned tells the queue that a pod has been bound: waiting pods whose placement depends on its labels may
// fit now.
func (l *line) assigned(obj *outrank.Pod, node *outrank.Node) {
	l.move(queue.EventAssignedPodAdded, node, obj)
}

// relabelled tells the queue that a pod on a node has other labels.
func (l *line) relabelled(obj *outrank.Pod, node *outrank.Node) {
	l.move(queue.EventAssignedPodUpdated, node, obj)
}

// roomGivenUp tells the queue that a pod has given up its reservation on its nominated node.
func (l *line) roomGivenUp(obj *outrank.Pod) { l.queue.RoomGivenUp(obj, l.clock.time()) }

// nextReady returns the time from which the next entry may be tried, and false if no entry becomes ready with
// time alone.
func (l *line) nextReady() (time.Time, bool) { return l.queue.NextReady(l.clock.time()) }

// pending lists all entries of the queue.
func (l *line) pending() queue.Parts[[]queue.Entry] { return l.queue.Pending() }

// refuse makes attempts that are known to fail. It returns their number, the number of pods among them that
// had not been tried in this state, and the number of the last attempt.
func (l *line) refuse(how queue.Refusing) (attempts, fresh int, last int64) {
	return l.queue.Refuse(l.clock.time(), how)
}

// gated counts the entries that a gate holds back.
func (l *line) gated() int { return l.queue.Counts().Gated }

// podsOf returns one entry for each pod: the entry of a group is replaced by those of its members.
func podsOf(entries ...[]queue.Entry) []queue.Entry {
	var out []queue.Entry
	for _, e := range slices.Concat(entries...) {
		if e.Group != nil {
			out = append(out, e.Group.Members...)
		} else {
			out = append(out, e)
		}
	}
	return out
}
