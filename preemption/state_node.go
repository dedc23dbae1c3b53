package preemption

import (
	"math"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// nodeState is what a snapshot knows of one node and of the pods on it. It is
// written by the snapshot that owns it and copied by any other that wants to
// change it.
type nodeState struct {
	// What a search looks at comes first, to lie in few cache lines.

	// ranks are what the pods are ordered by, and rows what each of them takes,
	// by column.
	sortKeys []importance
	// unstarted counts the pods without a start time, and latest is the latest
	// start of the others in seconds: if it is not before now, the order of the
	// pods is not the one of the call.
	unstarted int
	latest    int64
	// levels are the priorities that there are, the lowest first.
	levels []level
	rows   []amountRow
	// guarded are the pods that budgets cover, by index.
	covered []coveredPod
	slot    int32
	// pods run here, nominated are pending pods that room was made for here;
	// both by importance, a missing start counting as later than any.
	pods, nominated []*podState

	owner *owner
	*nodeRef
	// node is nil while pods name a node that the snapshot does not hold.
	node    *outrank.Node
	offers  amounts
	maxPods int64
	taken   usage
	// concerned counts the pods that have a part in what a filter says.
	concerned [maxFilters]int32
}

// level says what the pods of a priority and below hold together, which means
// nothing where amounts are odd.
type level struct {
	held     amountRow
	priority int32
	pods     int32
}

// guard is a pod that budgets cover.
type coveredPod struct {
	index int32 // in the node's pods
	class *podClass
}

func newNodeState(name string, slot int32, o *owner) *nodeState {
	return &nodeState{owner: o, nodeRef: &nodeRef{name}, slot: slot, latest: math.MinInt64}
}

// setNode puts the node itself in place, or takes it away.
func (n *nodeState) setNode(obj *outrank.Node, c *columns) {
	n.node, n.offers, n.maxPods = obj, amounts{}, 0
	if obj != nil {
		n.offers = c.counted(obj.Allocatable)
		n.maxPods = obj.Allocatable.Amount(resource.Pods)
	}
}

// clone gives a copy that o may write.
func (n *nodeState) clone(o *owner) *nodeState {
	c := *n
	c.owner = o
	c.pods, c.nominated = slices.Clone(n.pods), slices.Clone(n.nominated)
	c.covered = slices.Clone(n.covered)
	c.rows, c.sortKeys, c.levels = slices.Clone(n.rows), slices.Clone(n.sortKeys), slices.Clone(n.levels)
	c.taken.extra = slices.Clone(n.taken.extra)
	return &c
}

// empty reports whether nothing refers to the node any more.
func (n *nodeState) empty() bool {
	return n.node == nil && len(n.pods) == 0 && len(n.nominated) == 0
}

// load puts pods on a new node, all at once. The slice is the node's from now
// on. Time is that of sorting them.
func (n *nodeState) load(pods, nominated []*podState, traits filterTraits) {
	byImportance := func(p, q *podState) int { return p.compare(q, never) }
	slices.SortFunc(pods, byImportance)
	slices.SortFunc(nominated, byImportance)
	n.pods, n.nominated = pods, nominated
	n.rows, n.sortKeys = make([]amountRow, len(pods)), make([]importance, len(pods))
	for i, p := range pods {
		n.rows[i], n.sortKeys[i] = p.takes.std, p.rank()
		n.count(p, 1, traits)
	}
}

// addPod puts a pod on the node, in its place by importance. Time is linear in
// the pods on the node.
func (n *nodeState) addPod(p *podState, traits filterTraits) {
	i := indexOf(n.pods, p)
	n.pods = slices.Insert(n.pods, i, p)
	n.rows = slices.Insert(n.rows, i, p.takes.std)
	n.sortKeys = slices.Insert(n.sortKeys, i, p.rank())
	n.count(p, 1, traits)
}

// removePod takes a pod of the node away again.
func (n *nodeState) removePod(p *podState, traits filterTraits) {
	i := indexOf(n.pods, p)
	n.pods = slices.Delete(n.pods, i, i+1)
	n.rows = slices.Delete(n.rows, i, i+1)
	n.sortKeys = slices.Delete(n.sortKeys, i, i+1)
	n.count(p, -1, traits)
	if p.rank().sec == n.latest {
		n.latest = math.MinInt64
		for _, r := range n.sortKeys {
			if r.sec != noStart {
				n.latest = max(n.latest, r.sec)
			}
		}
	}
}

// count follows a pod that came or went in all that is summed up.
func (n *nodeState) count(p *podState, by int32, traits filterTraits) {
	if by > 0 {
		n.taken.add(&p.takes)
	} else {
		n.taken.sub(&p.takes)
	}
	for set := traits.concernedBy(p.pod); set != 0; set &= set - 1 {
		n.concerned[bits.TrailingZeros16(uint16(set))] += by
	}
	if p.rank().sec == noStart {
		n.unstarted += int(by)
	} else if by > 0 {
		n.latest = max(n.latest, p.rank().sec)
	}
}

// sumUp works out the levels, and which pods budgets cover.
func (n *nodeState) sumUp() {
	n.levels, n.covered = slices.Grow(n.levels[:0], n.priorities()), n.covered[:0]
	var at level
	for i := len(n.rows) - 1; i >= 0; i-- {
		if p := n.sortKeys[i].priority; at.pods == 0 || at.priority != p {
			if at.pods > 0 {
				n.levels = append(n.levels, at)
			}
			at.priority = p
		}
		at.pods++
		for k, v := range n.rows[i] {
			at.held[k] += v
		}
	}
	if at.pods > 0 {
		n.levels = append(n.levels, at)
	}
	for i, p := range n.pods {
		if len(p.class.covering) > 0 {
			n.covered = append(n.covered, coveredPod{int32(i), p.class})
		}
	}
}

// priorities counts the priorities of the pods.
func (n *nodeState) priorities() int {
	count := 0
	for i := range n.sortKeys {
		if i == 0 || n.sortKeys[i].priority != n.sortKeys[i-1].priority {
			count++
		}
	}
	return count
}

// first is the place of the most important pod below a priority.
func (n *nodeState) first(priority int32) int {
	low, high := 0, len(n.sortKeys)
	for low < high {
		if mid := int(uint(low+high) / 2); n.sortKeys[mid].priority < priority {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// inOrder reports whether the pods are in the order of a call at now: a missing
// start may count as earlier than one that is yet to come.
func (n *nodeState) inOrder(now instant) bool { return n.unstarted == 0 || n.latest < now.sec }

// possible lists the pods of lower priority, the most important first. The
// slice is the node's own, or sorted anew into buf where a start lies in the
// future and a missing one would count as earlier.
func (n *nodeState) possible(priority int32, now instant, buf *[]*podState) []*podState {
	pods := n.pods[n.first(priority):]
	if !n.inOrder(now) {
		*buf = append((*buf)[:0], pods...)
		slices.SortFunc(*buf, func(p, q *podState) int { return p.compare(q, now) })
		return *buf
	}
	return pods
}

func indexOf(pods []*podState, p *podState) int {
	i, _ := slices.BinarySearchFunc(pods, p, func(a, b *podState) int { return a.compare(b, never) })
	return i
}

func insertByImportance(pods []*podState, p *podState) []*podState {
	return slices.Insert(pods, indexOf(pods, p), p)
}

func removeByImportance(pods []*podState, p *podState) []*podState {
	i := indexOf(pods, p)
	return slices.Delete(pods, i, i+1)
}
