package sim

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// line is the queue with counts of its pods.
type line struct {
	queue *queue.Queue
	// inQueue counts the pods in the queue, relational those of them whose place may
	// depend on other pods' labels.
	inQueue    int
	relational int

	clock *clock
	tries *tries
	meter *meter
}

// count counts a pod in the queue, or ends that.
func (l *line) count(p *pod, sign int) {
	l.inQueue += sign
	if relational(p.obj) {
		l.relational += sign
	}
	if sign < 0 {
		p.lineage.waited += l.clock.at - p.queued
		if p.tried == l.tries.state {
			l.tries.tried--
		}
	}
	l.meter.wait(p.obj.PriorityValue(), sign)
}

// refused records that an attempt with a pod came to nothing, if the state is
// still the one from before the attempt.
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

// roomGivenUp tells the queue that a pod does not want its nominated node any more.
func (l *line) roomGivenUp(obj *outrank.Pod) { l.queue.RoomGivenUp(obj, l.clock.time()) }

// update tells the queue of a new version of a pod in it.
func (l *line) update(obj *outrank.Pod) error { return l.queue.Update(obj, l.clock.time()) }

// podsOf lists the pods of entries, those of groups among them.
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
