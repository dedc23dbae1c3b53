package tenancy

import (
	"cmp"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
)

// away counts the victims that have left (that are away) per queue other than the preemptor's. The guard's verdict
// about a queue takes the same time however many its victims are.
type away struct {
	byNode []*awayOf // by the queue's index in the tree; nil for a queue that never had a victim
	taken  []*awayOf // the entries of byNode that are set, in the order of the tree
	// units has the victims that leave together with others, by group and queue. The victims of one unit count as
	// one workload of the queue (rule 24.5.3).
	units map[unitOf]*unitUses
	total []int64 // by resource, the amounts of all victims
	// pods has every pod with a queue that was ever a victim, also in the preemptor's queue. memory has the amounts
	// of each, from takenPod.slot on.
	pods   map[*outrank.Pod]takenPod
	memory []int64
}

// takenPod describes a pod that is a victim or was one.
type takenPod struct {
	at   int32 // the pod's queue, none for no queue in the tree
	slot int32 // index in away.memory of the pod's first amount
	// high marks a pod that may not leave if the preemptor's queue borrows in the end (rule 24.3.5).
	high bool
	// kept marks a pod that a window spares from being reclaimed, and settled a pod that a window spares from a
	// comparison of shares (rule 24.8.5).
	kept, settled bool
	grouped       bool // the pod leaves together with others
	away          bool // the pod is a victim now
}

// awayOf counts the victims of one queue.
type awayOf struct {
	queue int
	// meet is the lowest common cohort of this queue and the preemptor's. mine and theirs are its children on the
	// ways to the preemptor's queue and to this one.
	meet, mine, theirs int
	level              int       // the depth of meet, 1 at the top
	workloads          int       // number of victims, where a unit counts as one
	high               int       // number of victims marked as high
	kept, settled      int       // numbers of victims marked as kept and as settled
	largest            []largest // by resource, the amounts of the workloads
	// reason is why these victims may not leave together, empty if they may. It is only valid if known is set.
	reason string
	known  bool
}

// unitOf identifies the part of a unit that belongs to one queue.
type unitOf struct {
	group     *outrank.PodGroup
	composite *outrank.CompositePodGroup
	queue     int
}

// unitUses has the number of victims of a unit, and the amounts that they use together.
type unitUses struct {
	pods int
	uses []int64
}

// newAway returns an away without victims, for a tree with these numbers of nodes and resources.
func newAway(nodes, names int) away {
	return away{
		byNode: make([]*awayOf, nodes), units: map[unitOf]*unitUses{}, total: make([]int64, names),
		pods: map[*outrank.Pod]takenPod{},
	}
}

// uses returns the amounts that a pod uses, by resource, as a part of memory.
func (a *away) uses(t takenPod) []int64 {
	return a.memory[t.slot : int(t.slot)+len(a.total) : int(t.slot)+len(a.total)]
}

// clone returns a copy that shares nothing with this one.
func (a *away) clone() away {
	c := away{
		byNode: make([]*awayOf, len(a.byNode)), units: maps.Clone(a.units), total: slices.Clone(a.total),
		pods: maps.Clone(a.pods), memory: slices.Clone(a.memory),
	}
	for _, q := range a.taken {
		copied := *q
		copied.largest = slices.Clone(q.largest)
		for r := range copied.largest {
			copied.largest[r] = q.largest[r].clone()
		}
		c.byNode[q.queue] = &copied
		c.taken = append(c.taken, &copied)
	}
	for key, u := range c.units {
		c.units[key] = &unitUses{u.pods, slices.Clone(u.uses)}
	}
	return c
}

// entryOf returns the entry of a queue, and creates it if the queue has none.
func (a *away) entryOf(queue int, s *guardState) *awayOf {
	if q := a.byNode[queue]; q != nil {
		return q
	}

	q := &awayOf{queue: queue, largest: make([]largest, len(a.total))}
	q.meet, q.mine, q.theirs = s.now.meet(s.at, queue)
	for at := q.meet; at != none; at = s.now.nodes[at].parent {
		q.level++
	}
	a.byNode[queue] = q
	at, _ := slices.BinarySearchFunc(a.taken, queue, func(q *awayOf, queue int) int { return cmp.Compare(q.queue, queue) })
	a.taken = slices.Insert(a.taken, at, q)
	return q
}

// forget discards the verdicts that a change in one queue can affect, or all verdicts. Affected are two kinds of
// queues: those below the same child of the meeting point, because they share that child's quota; and those that
// meet the preemptor's queue higher up, because its claims there depend on the usage below (rule 24.3.4).
func (a *away) forget(changed *awayOf, all bool) {
	for _, q := range a.taken {
		q.known = q.known && !all && q.theirs != changed.theirs && q.level >= changed.level
	}
}

// forgetAll discards the verdicts about all queues.
func (a *away) forgetAll() {
	for _, q := range a.taken {
		q.known = false
	}
}

// follow counts a pod of a queue that leaves (by is -1) or comes back (by is 1). A unit is one workload that uses the
// amounts of all its victims, so its old workload is taken out and the changed one is put in.
func (a *away) follow(q *awayOf, key unitOf, uses []int64, by int64) {
	for r, v := range uses {
		a.total[r] -= by * v
	}
	if key.group == nil && key.composite == nil {
		q.count(uses, by)
		return
	}

	// The number of victims tells whether the unit has a workload in the queue's counts before and after the change.
	u := a.units[key]
	if u == nil {
		u = &unitUses{uses: make([]int64, len(uses))}
		a.units[key] = u
	}
	if u.pods > 0 {
		q.count(u.uses, 1)
	}

	u.pods -= int(by)
	for r, v := range uses {
		u.uses[r] -= by * v
	}
	if u.pods > 0 {
		q.count(u.uses, -1)
		return
	}
	delete(a.units, key)
}

// count counts a workload that leaves (by is -1) or comes back (by is 1).
func (q *awayOf) count(uses []int64, by int64) {
	q.workloads -= int(by)
	for r, v := range uses {
		if by < 0 {
			q.largest[r].add(v)
		} else {
			q.largest[r].remove(v)
		}
	}
}

// most appends, for each resource, the largest amount that a single victim of the queue uses.
func (q *awayOf) most(into []int64) []int64 {
	for r := range q.largest {
		into = append(into, q.largest[r].top())
	}
	return into
}

// largest is a multiset of numbers that knows its maximum. Adding and removing take logarithmic time. Removal is lazy: a
// removed number also goes to removed, and leaves both heaps once it is the largest.
type largest struct{ there, removed maxHeap }

// clone returns a copy with heaps of its own.
func (l *largest) clone() largest { return largest{slices.Clone(l.there), slices.Clone(l.removed)} }

// add adds a number.
func (l *largest) add(v int64) { l.there.push(v) }

// remove removes one occurrence of a number that was added.
func (l *largest) remove(v int64) {
	if l.removed.push(v); v < l.there[0] {
		return
	}
	for len(l.removed) > 0 && l.removed[0] == l.there[0] {
		l.there.pop()
		l.removed.pop()
	}
}

// top returns the largest number, or 0 if there is none.
func (l *largest) top() int64 {
	if len(l.there) == 0 {
		return 0
	}
	return l.there[0]
}

// maxHeap is a binary heap with the largest number first.
type maxHeap []int64

// push adds a number: it goes to the end and moves up past smaller ones.
func (h *maxHeap) push(v int64) {
	*h = append(*h, v)
	s := *h
	for i := len(s) - 1; i > 0; {
		above := (i - 1) / 2
		if s[above] >= s[i] {
			return
		}
		s[above], s[i] = s[i], s[above]
		i = above
	}
}

// pop removes the first number: the last one takes its place and moves down past larger ones.
func (h *maxHeap) pop() {
	s := *h
	last := len(s) - 1
	s[0] = s[last]
	s = s[:last]
	for i := 0; ; {
		below := 2*i + 1
		if below+1 < last && s[below+1] > s[below] {
			below++
		}
		if below >= last || s[i] >= s[below] {
			break
		}
		s[i], s[below] = s[below], s[i]
		i = below
	}
	*h = s
}
