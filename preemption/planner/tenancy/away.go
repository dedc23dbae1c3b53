package tenancy

import (
	"cmp"
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
)

// away counts those of other queues who are away, queue by queue. What the guard says of them
// takes the same time however many they are.
type away struct {
	byNode []*awayOf // by the queue's index in the tree; nil where nobody was ever away
	taken  []*awayOf // the same, in the order of the tree
	// units are those who leave with others, by the group and the queue. Each stands for one
	// workload of the queue (rule 24.5.3).
	units map[unitOf]*unitUses
	total []int64 // what all of them use
	// pods are all of a queue that have ever been away, those of other queues and the
	// preemptor's. memory has what each uses.
	pods   map[*outrank.Pod]takenPod
	memory []int64
}

// takenPod is a pod: of which queue, from where in the memory on stands what it uses, and
// whether it is away. One that is high may not be taken from by a queue that borrows (rule
// 24.3.5), and one that is grouped leaves with others. Windows spare one that is kept from being
// reclaimed, and one that is settled from a comparison of shares (rule 24.8.5).
type takenPod struct {
	at, slot                           int32
	high, kept, settled, grouped, away bool
}

// awayOf counts those who are away of one queue.
type awayOf struct {
	queue int
	// meet is where it meets the preemptor's queue, with the nodes below that on both ways.
	meet, mine, theirs int
	level              int // of meet, the top being 1
	workloads          int // that are away
	high               int // pods that one who borrows may not take
	kept, settled      int // pods that windows spare
	largest            []largest
	// reason is what the guard says of them, once known.
	reason string
	known  bool
}

// unitOf is a unit, as far as it is in one queue.
type unitOf struct {
	group     *outrank.PodGroup
	composite *outrank.CompositePodGroup
	queue     int
}

// unitUses is what the pods of a unit use that are away.
type unitUses struct {
	pods int
	uses []int64
}

func newAway(nodes, names int) away {
	return away{
		byNode: make([]*awayOf, nodes), units: map[unitOf]*unitUses{}, total: make([]int64, names),
		pods: map[*outrank.Pod]takenPod{},
	}
}

func (a *away) uses(t takenPod) []int64 {
	return a.memory[t.slot : int(t.slot)+len(a.total) : int(t.slot)+len(a.total)]
}

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

// of returns the entry of a queue.
func (a *away) of(queue int, s *guardState) *awayOf {
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

// doubt forgets what was said of the queues that a change in this one has to do with: those
// that share a part of the tree with it below where both meet the preemptor's queue, and those
// that meet the preemptor's queue higher up, where its claims go by what is used below (rule
// 24.3.4).
func (a *away) doubt(changed *awayOf, all bool) {
	for _, q := range a.taken {
		q.known = q.known && !all && q.theirs != changed.theirs && q.level >= changed.level
	}
}

// doubtAll forgets what was said of all queues.
func (a *away) doubtAll() {
	for _, q := range a.taken {
		q.known = false
	}
}

// follow counts a pod of a queue with what it uses: it leaves (by is -1) or comes back (1).
func (a *away) follow(q *awayOf, key unitOf, uses []int64, by int64) {
	for r, v := range uses {
		a.total[r] -= by * v
	}
	if key.group == nil && key.composite == nil {
		q.count(uses, by)
		return
	}
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

// count counts a workload.
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

// most returns the most of each resource that any workload uses which is away.
func (q *awayOf) most(into []int64) []int64 {
	for r := range q.largest {
		into = append(into, q.largest[r].top())
	}
	return into
}

// largest knows the largest of numbers that come and go, each in the time of the logarithm of
// how many there are. removed are numbers that are in both heaps yet.
type largest struct{ there, removed maxHeap }

func (l *largest) clone() largest { return largest{slices.Clone(l.there), slices.Clone(l.removed)} }
func (l *largest) add(v int64)    { l.there.push(v) }

// remove takes a number out that is there.
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
