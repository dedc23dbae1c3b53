package sim

import (
	"cmp"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// changeLog is what changed in the cluster, in order: the node each time, nil for
// something that may concern everybody.
type changeLog struct {
	hosts []*host
	// dropped counts the changes before these.
	dropped int
}

const (
	// mostChanges bounds the log, mostUnseen what is looked through of it rather
	// than to ask anew.
	mostChanges = 1 << 16
	mostUnseen  = 64
)

func (l *changeLog) count() int { return l.dropped + len(l.hosts) }

func (l *changeLog) add(h *host) {
	if len(l.hosts) == mostChanges {
		n := copy(l.hosts, l.hosts[mostChanges/2:])
		clear(l.hosts[n:])
		l.hosts, l.dropped = l.hosts[:n], l.dropped+mostChanges/2
	}
	l.hosts = append(l.hosts, h)
}

// concern reports whether a change that a class has not seen may make another
// answer of the one that its pods are refused with.
//
// Such an answer says that no node takes the pod, even without the pods of lower
// priority. For plain pods, where one node has changed, it stays true as long as
// the node has too little left for that, and so do the names of the filters:
// before the change as well as after it the node turns the pod down by a filter
// that looks at no other pods and stands before NodeResourcesFit, or else by
// NodeResourcesFit. Before the change because a node that takes the pod does not
// give this answer, and the filters behind have nothing to say to plain pods.
func (l *changeLog) concern(a *alike) bool {
	if a.seen == l.count() {
		return false
	}
	if !a.plain || a.seen < l.dropped || l.count()-a.seen > mostUnseen {
		return true
	}
	var last *host
	for _, h := range l.hosts[a.seen-l.dropped:] {
		switch {
		case h == nil || a.alone && h == a.host:
			return true
		case h == last:
			continue
		case h.mayTake(a):
			return true
		}
		last = h
	}
	return false
}

// changed notes that attempts may come to something else from now on, because of
// a change on a node; nil stands for everything.
func (s *Simulation) changed(on *host) {
	s.state++
	s.tried = 0
	s.since = s.latest
	s.changes.add(on)
}

// tier is what the pods of one level have in use of a node. Pods without a priority
// are of the lowest level, since some rules let any pod push them out.
type tier struct {
	level int64
	used  []int64
	pods  int64
}

func levelOf(p *pod) int64 {
	if p.obj.Priority == nil {
		return math.MinInt64
	}
	return int64(*p.obj.Priority)
}

// count counts a pod on the node, or no more.
func (h *host) count(p *pod, sign int64) {
	h.rooms = h.rooms[:0]
	level := levelOf(p)
	at, found := slices.BinarySearchFunc(h.tiers, level, func(t tier, level int64) int { return cmp.Compare(t.level, level) })
	if !found {
		h.tiers = slices.Insert(h.tiers, at, tier{level: level, used: make([]int64, len(p.asks))})
	}
	t := &h.tiers[at]
	addTo(t.used, p.asks, sign)
	if t.pods += sign; t.pods == 0 {
		h.tiers = slices.Delete(h.tiers, at, at+1)
	}
}

// room is what a node has left for pods of a level that may push out those below
// another one: left, and of that free beside the pods that room is kept for.
type room struct {
	level, stay      int64
	slots, freeSlots int64
	left, free       []int64
}

// roomFor works out the room for pods of a class, if the node does not remember it.
func (h *host) roomFor(a *alike) *room {
	for i := range h.rooms {
		if r := &h.rooms[i]; r.stay == a.stay && r.level == a.level {
			return r
		}
	}
	r := room{level: a.level, stay: a.stay, slots: h.slots, left: slices.Clone(h.has)}
	for i := len(h.tiers) - 1; i >= 0 && h.tiers[i].level >= a.stay; i-- {
		r.slots -= h.tiers[i].pods
		addTo(r.left, h.tiers[i].used, -1)
	}
	r.freeSlots, r.free = r.slots, slices.Clone(r.left)
	for _, p := range h.nominated {
		if a.heeds(p.obj) {
			r.freeSlots--
			addTo(r.free, p.asks, -1)
		}
	}
	h.rooms = append(h.rooms, r)
	return &h.rooms[len(h.rooms)-1]
}

// staying is from which level on the pods of a node stay where they are: all of
// them where the class may push nobody out, which a change on another node than the
// one it is nominated to does not alter.
func (a *alike) staying(plan *preemption.Plan) int64 {
	if plan.Outcome == preemption.NotEligible {
		return math.MinInt64
	}
	return a.level
}

// mayTake reports whether the node has enough for a pod of the class if all pods
// leave that it may push out. Sums that have saturated count for less than they are.
func (h *host) mayTake(a *alike) bool {
	r := h.roomFor(a)
	return r.slots >= 1 && r.freeSlots >= 1 && suffices(r.left, a.asks) && suffices(r.free, a.asks)
}

// suffices reports whether there is as much left as is asked for.
func suffices(left, asks []int64) bool {
	for c, asked := range asks {
		if asked > left[c] && asked > 0 {
			return false
		}
	}
	return true
}

// heeds reports whether room is kept for a pod that is nominated, and not the one
// of the class. The schedulers of a simulation share their nominations.
func (a *alike) heeds(nominated *outrank.Pod) bool {
	return int64(nominated.PriorityValue()) >= a.level && !nominated.Gated() && !nominated.Terminating()
}

// reserve notes which node a pod in the queue is nominated to in the snapshot.
func (s *Simulation) reserve(p *pod) {
	if h := p.reserved; h != nil {
		h.rooms = h.rooms[:0]
		h.nominated = slices.DeleteFunc(h.nominated, func(q *pod) bool { return q == p })
		p.reserved = nil
	}
	if p.shown == nil || p.phase != Queued {
		return
	}
	if h := s.hostOf(p.shown); h != nil {
		h.rooms = h.rooms[:0]
		h.nominated = append(h.nominated, p)
		p.reserved = h
	}
}

// hostOf returns the node that a pod in the snapshot is on, or nominated to; nil
// if there is none of that name.
func (s *Simulation) hostOf(obj *outrank.Pod) *host {
	return s.hosts[cmp.Or(obj.NodeName, obj.NominatedNodeName)]
}
