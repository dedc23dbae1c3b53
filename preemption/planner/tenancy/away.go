package tenancy

import (
	"cmp"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
)

// away counts the pods of other queues that are away, queue by queue. What the guard says of them
// takes the same time however many they are.
type away struct {
	byNode []*awayOf // by the queue's index in the tree; nil where nobody was ever away
	taken  []*awayOf // the same, in the order of the tree
	// units has the pods that leave with others, by the group and the queue. Each unit stands for one
	// workload of the queue (rule 24.5.3).
	units map[unitOf]*unitUses
	total []int64 // what all pods that are away use
	// pods has all pods of a queue that have ever been away, also those of the preemptor's queue. memory has
	// what each of them uses.
	pods   map[*outrank.Pod]takenPod
	memory []int64
}

// takenPod is what the guard knows of a pod that is or was away.
type takenPod struct {
	at   int32 // the queue
	slot int32 // where in the memory the amounts that it uses begin
	// high marks a pod that a queue which borrows may not take from (rule 24.3.5).
	high bool
	// kept marks a pod that a window spares from being reclaimed, and settled one that a window spares from a
	// comparison of shares (rule 24.8.5).
	kept, settled bool
	grouped       bool // it leaves with others
	away          bool
}

// awayOf counts the pods of one queue that are away.
type awayOf struct {
	queue int
	// meet is the node where the queue meets the preemptor's. mine and theirs are the nodes just below that
	// on the ways to the preemptor's queue and to this one.
	meet, mine, theirs int
	level              int       // of meet, 1 at the top
	workloads          int       // that are away
	high               int       // pods that one who borrows may not take
	kept, settled      int       // pods that windows spare
	largest            []largest // by resource, what the workloads use
	// reason is what the guard says of these pods, once known is set.
	reason string
	known  bool
}

// unitOf names the part of a unit that is in one queue.
type unitOf struct {
	group     *outrank.PodGroup
	composite *outrank.CompositePodGroup
	queue     int
}

// unitUses says how many pods of a unit are away, and what they use together.
type unitUses struct {
	pods int
	uses []int64
}

// newAway returns an away without pods, for a tree with these numbers of nodes and of resources.
func newAway(nodes, names int) away {
	return away{
		byNode: make([]*awayOf, nodes), units: map[unitOf]*unitUses{}, total: make([]int64, names),
		pods: map[*outrank.Pod]takenPod{},
	}
}

// uses returns what a pod uses, by resource. The slice is the memory's.
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

// entryOf returns the entry of a queue, and makes it where nobody of the queue was ever away.
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

// forget forgets what was said of the queues to which a change in this one matters, or of all. It matters to those
// that share a part of the tree with the changed queue below where both meet the preemptor's, and to those that
// meet the preemptor's queue higher up, where its claims go by what is used below (rule 24.3.4).
func (a *away) forget(changed *awayOf, all bool) {
	for _, q := range a.taken {
		q.known = q.known && !all && q.theirs != changed.theirs && q.level >= changed.level
	}
}

// forgetAll forgets what was said of all queues.
func (a *away) forgetAll() {
	for _, q := range a.taken {
		q.known = false
	}
}

// follow counts a pod of a queue with what it uses: it leaves (by is -1) or comes back (1). A unit counts as one
// workload with what its pods that are away use, so it is counted out before that changes and in again afterwards.
func (a *away) follow(q *awayOf, key unitOf, uses []int64, by int64) {
	for r, v := range uses {
		a.total[r] -= by * v
	}
	if key.group == nil && key.composite == nil {
		q.count(uses, by)
		return
	}

	// The unit's workload in the queue's counts is replaced by one with what is away of it now.
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

// count counts a workload that leaves (by is -1) or comes back (1).
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

// most appends, for each resource, the most that any workload of the queue uses which is away.
func (q *awayOf) most(into []int64) []int64 {
	for r := range q.largest {
		into = append(into, q.largest[r].top())
	}
	return into
}

// largest knows the largest of numbers that come and go. Adding and removing take the time of the logarithm of
// how many there are. A number that was removed stays in there, and is in removed as well, until it is the largest.
type largest struct{ there, removed maxHeap }

func (l *largest) clone() largest { return largest{slices.Clone(l.there), slices.Clone(l.removed)} }
func (l *largest) add(v int64)    { l.there.push(v) }

// remove removes a number that was added.
func (l *largest) remove(v int64) {
	if l.removed.push(v); v < l.there[0] {
		return
	}
	for len(l.removed) > 0 && l.removed[0] == l.there[0] {
		l.there.pop()
		l.removed.pop()
	}
}

// top returns the largest, 0 without any.
func (l *largest) top() int64 {
	if len(l.there) == 0 {
		return 0
	}
	return l.there[0]
}

// maxHeap has the largest number first.
type maxHeap []int64

// push adds a number at the end and moves it up.
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

// pop removes the first number: the last takes its place and moves down.
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
