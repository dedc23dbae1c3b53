package preemption

import (
	"math"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// nodeState is what a snapshot knows of one node and of the pods on it. The
// snapshot that owns it may write it; any other snapshot copies it first.
type nodeState struct {
	// What a search looks at comes first, to lie in few cache lines.

	// sortKeys are what the pods are sorted by, and rows what each of them
	// takes, by column. Both are parallel to pods.
	sortKeys []importance
	// unstarted counts the pods without a start time. latest is the latest
	// start of the others, in seconds. If it is not before the now of a call,
	// the pods may not be in the order of that call.
	unstarted int
	latest    int64
	// levels has an entry for each priority on the node, the lowest first.
	levels []level
	rows   []amountRow
	// covered lists the pods that budgets cover, by index.
	covered []coveredPod
	slot    int32
	// pods run on the node. nominated are pending pods that room was made for.
	// Both are sorted by importance; a missing start counts as later than any.
	pods, nominated []*podState
	// objects are the objects of pods, which are wanted without all the rest.
	objects []*outrank.Pod

	owner *owner
	*nodeRef
	// node is nil while pods name a node that the snapshot does not hold.
	node    *outrank.Node
	offers  amounts
	maxPods int64
	taken   usage
	// version counts the changes.
	version uint64
	// concerned counts, by filter, the pods that have a part in what the filter
	// says.
	concerned [maxFilters]int32
	// grouped counts the pods that name a pod group.
	grouped int32
	// claimUses counts how often the pods name a claim.
	claimUses int32
	// attached lists, by attachment, the pods that concern the filter.
	attached [][]*podState
}

// level is what the pods of a priority and below hold together. The amounts
// mean nothing on a node with large amounts.
type level struct {
	held     amountRow
	priority int32
	pods     int32
}

// coveredPod is a pod that budgets cover.
type coveredPod struct {
	index int32 // in the node's pods
	class *podClass
}

func newNodeState(name string, slot int32, o *owner) *nodeState {
	return &nodeState{owner: o, nodeRef: &nodeRef{name}, slot: slot, latest: math.MinInt64}
}

// setNode sets the node itself, nil to remove it.
func (n *nodeState) setNode(obj *outrank.Node, c *columns) {
	n.node, n.offers, n.maxPods = obj, amounts{}, 0
	if obj != nil {
		n.offers = c.counted(obj.Allocatable)
		n.maxPods = obj.Allocatable.Amount(resource.Pods)
	}
}

// clone returns a copy that o may write.
func (n *nodeState) clone(o *owner) *nodeState {
	c := *n
	c.owner = o
	c.pods, c.nominated = slices.Clone(n.pods), slices.Clone(n.nominated)
	c.covered = slices.Clone(n.covered)
	c.objects = slices.Clone(n.objects)
	c.attached = cloneLists(n.attached)
	c.rows, c.sortKeys, c.levels = slices.Clone(n.rows), slices.Clone(n.sortKeys), slices.Clone(n.levels)
	c.taken.extra = slices.Clone(n.taken.extra)
	return &c
}

// empty reports whether the node does not exist and no pod names it.
func (n *nodeState) empty() bool {
	return n.node == nil && len(n.pods) == 0 && len(n.nominated) == 0
}

// load puts pods on a new node, all at once. The node keeps the slices. Time is
// that of sorting them.
func (n *nodeState) load(pods, nominated []*podState, traits filterTraits) {
	byImportance := func(p, q *podState) int { return p.compare(q, never) }
	slices.SortFunc(pods, byImportance)
	slices.SortFunc(nominated, byImportance)
	n.pods, n.nominated = pods, nominated
	n.rows, n.sortKeys = make([]amountRow, len(pods)), make([]importance, len(pods))
	n.objects = make([]*outrank.Pod, len(pods))
	for i, p := range pods {
		n.rows[i], n.sortKeys[i], n.objects[i] = p.takes.std, p.rank(), p.pod
		n.count(p, 1, traits)
	}
}

// addPod puts a pod on the node, sorted by importance. Time is linear in the
// pods on the node.
func (n *nodeState) addPod(p *podState, traits filterTraits) {
	i := indexOf(n.pods, p)
	n.pods = slices.Insert(n.pods, i, p)
	n.rows = slices.Insert(n.rows, i, p.takes.std)
	n.sortKeys = slices.Insert(n.sortKeys, i, p.rank())
	n.objects = slices.Insert(n.objects, i, p.pod)
	n.count(p, 1, traits)
}

// removePod removes a pod from the node.
func (n *nodeState) removePod(p *podState, traits filterTraits) {
	i := placeOf(n.pods, p)
	n.pods = slices.Delete(n.pods, i, i+1)
	n.rows = slices.Delete(n.rows, i, i+1)
	n.sortKeys = slices.Delete(n.sortKeys, i, i+1)
	n.objects = slices.Delete(n.objects, i, i+1)
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

// count adds a pod (by is 1) to everything that is summed up, or subtracts it
// (by is -1).
func (n *nodeState) count(p *podState, by int32, traits filterTraits) {
	if by > 0 {
		n.taken.add(&p.takes)
	} else {
		n.taken.sub(&p.takes)
	}
	for set := traits.concernedBy(p.pod); set != 0; set &= set - 1 {
		n.concerned[bits.TrailingZeros16(uint16(set))] += by
	}
	if p.pod.Group != "" {
		n.grouped += by
	}
	for i := range p.pod.Volumes {
		if usesClaim(&p.pod.Volumes[i]) {
			n.claimUses += by
		}
	}
	if p.rank().sec == noStart {
		n.unstarted += int(by)
	} else if by > 0 {
		n.latest = max(n.latest, p.rank().sec)
	}
}

// sumUp computes the levels, and which pods budgets cover.
func (n *nodeState) sumUp() {
	n.version++
	n.levels = slices.Grow(n.levels[:0], n.priorities())
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
	n.findCovered()
}

// findCovered lists the pods that budgets cover.
func (n *nodeState) findCovered() {
	n.covered = n.covered[:0]
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

// first returns the index of the most important pod below a priority.
func (n *nodeState) first(priority int64) int {
	low, high := 0, len(n.sortKeys)
	for low < high {
		if mid := int(uint(low+high) / 2); int64(n.sortKeys[mid].priority) < priority {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// inOrder reports whether the pods are sorted as a call at now needs it. They
// are not where a start lies in the future: a missing start counts as now,
// which is earlier.
func (n *nodeState) inOrder(now instant) bool { return n.unstarted == 0 || n.latest < now.sec }

// possible lists the pods of lower priority, the most important first. The
// slice is the node's own, unless the pods have to be sorted for this call;
// then it is in buf.
func (n *nodeState) possible(priority int32, now instant, buf *[]*podState) []*podState {
	pods := n.pods[n.first(int64(priority)):]
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

// placeOf returns where a pod is. One that the caller has changed in place is not where
// its importance says.
func placeOf(pods []*podState, p *podState) int {
	if i := indexOf(pods, p); i < len(pods) && pods[i] == p {
		return i
	}
	return slices.Index(pods, p)
}

func removeByImportance(pods []*podState, p *podState) []*podState {
	i := placeOf(pods, p)
	return slices.Delete(pods, i, i+1)
}

// concerning lists the pods of the node that concern an attached filter, the most
// important first.
func (n *nodeState) concerning(attachment int) []*podState {
	if attachment < len(n.attached) {
		return n.attached[attachment]
	}
	return nil
}

// list puts a pod on the list of those that concern an attached filter (by is 1) or
// takes it off (by is -1). It reports whether the list has changed; it has not if the
// filter has changed its mind about the pod.
func (n *nodeState) list(p *podState, attachment, by int) bool {
	for len(n.attached) <= attachment {
		n.attached = append(n.attached, nil)
	}
	pods := &n.attached[attachment]
	switch at := slices.IndexFunc(*pods, func(q *podState) bool { return sameName(p.pod, q.pod) }); {
	case by > 0 && at < 0:
		*pods = insertByImportance(*pods, p)
	case by < 0 && at >= 0:
		*pods = slices.Delete(*pods, at, at+1)
	default:
		return false
	}
	return true
}

// relist puts another state of the same pod on the lists of attached filters.
func (n *nodeState) relist(p, q *podState) {
	for _, pods := range n.attached {
		if at := slices.Index(pods, p); at >= 0 {
			pods[at] = q
		}
	}
}

// cloneLists returns independent copies of lists.
func cloneLists(lists [][]*podState) [][]*podState {
	out := slices.Clone(lists)
	for i := range out {
		out[i] = slices.Clone(out[i])
	}
	return out
}
