package state

import (
	"math"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/rank"
	"github.com/outrank-go/outrank/resource"
)

// NodeState is what a snapshot knows of one node and of the pods on it. The
// snapshot that owns it may write it; any other snapshot copies it first.
type NodeState struct {
	// What a search looks at comes first, to lie in few cache lines.

	// SortKeys are what the pods are sorted by, and rows what each of them
	// takes, by column. Both are parallel to pods.
	SortKeys []Importance
	// Unstarted counts the pods without a start time. latest is the latest
	// start of the others, in seconds. If it is not before the now of a call,
	// the pods may not be in the order of that call.
	Unstarted int
	Latest    int64
	// Levels has an entry for each priority on the node, the lowest first.
	Levels []Level
	Rows   []AmountRow
	// Covered lists the pods that budgets cover, by index.
	Covered []coveredPod
	Slot    int32
	// Grouped counts the pods that name a pod group.
	Grouped int32
	// version counts the changes.
	version uint64
	// Pods run on the node. Nominated are pending pods that room was made for.
	// Both are sorted by importance; a missing start counts as later than any.
	Pods, Nominated []*PodState
	// Objects are the objects of pods, which are wanted without all the rest.
	Objects []*outrank.Pod

	Owner *Owner
	*nodeRef
	// Node is nil while pods name a node that the snapshot does not hold.
	Node    *outrank.Node
	Offers  Amounts
	MaxPods int64
	Taken   Usage
	// Concerned counts, by filter, the pods that have a part in what the filter
	// says.
	Concerned [MaxFilters]int32
	// claimUses counts how often the pods name a claim.
	claimUses int32
	// summed is how many of the last pods are as they were when the node was summarized last.
	summed int32
	// Held is what the filters note of the node and its pods.
	Held any
}

// Level is what the pods of a priority and below hold together. The amounts
// mean nothing on a node with large amounts.
type Level struct {
	Held     AmountRow
	Priority int32
	Pods     int32
}

// coveredPod is a pod that budgets cover.
type coveredPod struct {
	Index int32 // in the node's pods
	// Budgets has a bit for each budget that covers the pod (BudgetBits).
	Budgets uint32
	Class   *PodClass
}

// NewNodeState returns a node without an object and without pods.
func NewNodeState(name string, slot int32, o *Owner) *NodeState {
	return &NodeState{Owner: o, nodeRef: &nodeRef{name}, Slot: slot, Latest: math.MinInt64}
}

// setNode sets the node itself, nil to remove it.
func (n *NodeState) setNode(obj *outrank.Node, c *Columns) {
	n.Node, n.Offers, n.MaxPods = obj, Amounts{}, 0
	if obj != nil {
		n.Offers = c.counted(obj.Allocatable)
		n.MaxPods = obj.Allocatable.Amount(resource.Pods)
	}
}

// clone returns a copy that o may write.
func (n *NodeState) clone(o *Owner) *NodeState {
	c := *n
	c.Owner = o
	c.Pods, c.Nominated = slices.Clone(n.Pods), slices.Clone(n.Nominated)
	c.Covered = slices.Clone(n.Covered)
	c.Objects = slices.Clone(n.Objects)
	c.Rows, c.SortKeys, c.Levels = slices.Clone(n.Rows), slices.Clone(n.SortKeys), slices.Clone(n.Levels)
	c.Taken.Extra = slices.Clone(n.Taken.Extra)
	return &c
}

// empty reports whether the node does not exist and no pod names it.
func (n *NodeState) empty() bool {
	return n.Node == nil && len(n.Pods) == 0 && len(n.Nominated) == 0
}

// load puts pods on a new node, all at once. The node keeps the slices. Time is
// that of sorting them.
func (n *NodeState) load(pods, nominated []*PodState, traits filterTraits) {
	byImportance := func(p, q *PodState) int { return p.Compare(q, rank.Never) }
	slices.SortFunc(pods, byImportance)
	slices.SortFunc(nominated, byImportance)
	n.Pods, n.Nominated = pods, nominated
	n.Rows, n.SortKeys = make([]AmountRow, len(pods)), make([]Importance, len(pods))
	n.Objects = make([]*outrank.Pod, len(pods))
	for i, p := range pods {
		n.Rows[i], n.SortKeys[i], n.Objects[i] = p.Takes.Std, p.Rank(), p.Pod
		n.count(p, 1, traits)
	}
}

// addPod puts a pod on the node, sorted by importance. Time is linear in the
// pods on the node.
func (n *NodeState) addPod(p *PodState, traits filterTraits) {
	i := n.indexOf(p)
	n.Pods = insertAt(n.Pods, i, p)
	n.Rows = insertAt(n.Rows, i, p.Takes.Std)
	n.SortKeys = insertAt(n.SortKeys, i, p.Rank())
	n.Objects = insertAt(n.Objects, i, p.Pod)
	n.summed = min(n.summed, int32(len(n.Pods)-1-i))
	n.raiseLevels(n.SortKeys[i].Priority, &p.Takes.Std)
	n.coverAdded(i, p.Class)
	n.count(p, 1, traits)
}

// insertAt is slices.Insert of one value.
func insertAt[T any](list []T, i int, v T) []T {
	list = append(list, v)
	copy(list[i+1:], list[i:])
	list[i] = v
	return list
}

// removePod removes a pod from the node.
func (n *NodeState) removePod(p *PodState, traits filterTraits) {
	i := n.placeOf(p)
	n.lowerLevels(n.SortKeys[i].Priority, &n.Rows[i])
	n.coverRemoved(i)
	n.Pods = slices.Delete(n.Pods, i, i+1)
	n.Rows = slices.Delete(n.Rows, i, i+1)
	n.SortKeys = slices.Delete(n.SortKeys, i, i+1)
	n.Objects = slices.Delete(n.Objects, i, i+1)
	n.summed = min(n.summed, int32(len(n.Pods)-i))
	n.count(p, -1, traits)
	if p.Rank().Sec == n.Latest {
		n.Latest = math.MinInt64
		for i := range n.SortKeys {
			if sec := n.SortKeys[i].Sec; sec != rank.NoStart {
				n.Latest = max(n.Latest, sec)
			}
		}
	}
}

// indexOf returns the place among the pods by importance, by what they are sorted by.
func (n *NodeState) indexOf(p *PodState) int {
	key, low, high := p.Rank(), 0, len(n.SortKeys)
	for low < high {
		mid := int(uint(low+high) / 2)
		c := n.SortKeys[mid].compare(key)
		if c == 0 {
			c = compareNames(n.Objects[mid], p.Pod)
		}
		if c < 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// placeOf returns where a pod of the node is. One that the caller has changed in place is not
// where its importance says.
func (n *NodeState) placeOf(p *PodState) int {
	if i := n.indexOf(p); i < len(n.Pods) && n.Pods[i] == p {
		return i
	}
	return slices.Index(n.Pods, p)
}

// count adds a pod (by is 1) to everything that is summed up, or subtracts it
// (by is -1).
func (n *NodeState) count(p *PodState, by int32, traits filterTraits) {
	if by > 0 {
		n.Taken.Add(&p.Takes)
	} else {
		n.Taken.Sub(&p.Takes)
	}
	for set := traits.ConcernedBy(p.Pod); set != 0; set &= set - 1 {
		n.Concerned[bits.TrailingZeros16(uint16(set))] += by
	}
	if p.Pod.Group != "" {
		n.Grouped += by
	}
	for i := range p.Pod.Volumes {
		if UsesClaim(&p.Pod.Volumes[i]) {
			n.claimUses += by
		}
	}
	if p.Rank().Sec == rank.NoStart {
		n.Unstarted += int(by)
	} else if by > 0 {
		n.Latest = max(n.Latest, p.Rank().Sec)
	}
}

// sumUp computes the levels, which pods budgets cover, and what filters note, of all pods at
// once.
func (n *NodeState) sumUp(traits filterTraits) {
	n.Held = traits.HeldOn(n, &n.Concerned)
	n.Levels = slices.Grow(n.Levels[:0], n.priorities())
	var at Level
	for i := len(n.Rows) - 1; i >= 0; i-- {
		if p := n.SortKeys[i].Priority; at.Pods == 0 || at.Priority != p {
			if at.Pods > 0 {
				n.Levels = append(n.Levels, at)
			}
			at.Priority = p
		}
		at.Pods++
		at.Held.add(&n.Rows[i])
	}
	if at.Pods > 0 {
		n.Levels = append(n.Levels, at)
	}
	n.findCovered()
}

// raiseLevels counts a pod of this priority in its level and those above, and lowerLevels
// counts it out again.
func (n *NodeState) raiseLevels(priority int32, row *AmountRow) {
	i := 0
	for i < len(n.Levels) && n.Levels[i].Priority < priority {
		i++
	}
	if i == len(n.Levels) || n.Levels[i].Priority != priority {
		var below Level
		if i > 0 {
			below = n.Levels[i-1]
		}
		below.Priority = priority
		n.Levels = slices.Insert(n.Levels, i, below)
	}
	for ; i < len(n.Levels); i++ {
		n.Levels[i].Held.add(row)
		n.Levels[i].Pods++
	}
}

func (n *NodeState) lowerLevels(priority int32, row *AmountRow) {
	below := int32(0)
	for i := 0; i < len(n.Levels); i++ {
		at := &n.Levels[i]
		if at.Priority < priority {
			below = at.Pods
			continue
		}
		at.Held.sub(row)
		if at.Pods--; at.Pods == below { // the last pod of its priority
			n.Levels = slices.Delete(n.Levels, i, i+1)
			i--
		}
		below = -1 // no level above ends
	}
}

// findCovered lists the pods that budgets cover.
func (n *NodeState) findCovered() {
	n.version++
	if n.Covered = n.Covered[:0]; n.Covered == nil { // made as long as it has to be, not longer
		covered := 0
		for _, p := range n.Pods {
			covered += min(1, len(p.Class.Covering))
		}
		n.Covered = slices.Grow(n.Covered, covered)
	}
	for i, p := range n.Pods {
		if len(p.Class.Covering) > 0 {
			n.Covered = append(n.Covered, coveredPod{int32(i), bitsOf(p.Class.Covering), p.Class})
		}
	}
}

// coverAdded keeps the list of covered pods in line with a pod that was added at i, and
// coverRemoved with one that goes from there.
func (n *NodeState) coverAdded(i int, k *PodClass) {
	at := n.shiftCovered(i, 1)
	if len(k.Covering) > 0 {
		n.Covered = slices.Insert(n.Covered, at, coveredPod{int32(i), bitsOf(k.Covering), k})
	}
}

func (n *NodeState) coverRemoved(i int) {
	at := n.shiftCovered(i+1, -1)
	if at > 0 && n.Covered[at-1].Index == int32(i) {
		n.Covered = slices.Delete(n.Covered, at-1, at)
	}
}

// shiftCovered adds to the indexes of the covered pods from an index on. It returns the place
// of the first of them in the list.
func (n *NodeState) shiftCovered(from int, by int32) int {
	at := len(n.Covered)
	for at > 0 && n.Covered[at-1].Index >= int32(from) {
		at--
		n.Covered[at].Index += by
	}
	return at
}

// bitsOf returns the bits that budgets are told apart by.
func bitsOf(budgets []int32) (bits uint32) {
	for _, b := range budgets {
		bits |= 1 << (b % BudgetBits)
	}
	return bits
}

// priorities counts the priorities of the pods.
func (n *NodeState) priorities() int {
	count := 0
	for i := range n.SortKeys {
		if i == 0 || n.SortKeys[i].Priority != n.SortKeys[i-1].Priority {
			count++
		}
	}
	return count
}

// First returns the index of the most important pod below a priority.
func (n *NodeState) First(priority int64) int {
	low, high := 0, len(n.SortKeys)
	for low < high {
		if mid := int(uint(low+high) / 2); int64(n.SortKeys[mid].Priority) < priority {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// InOrder reports whether the pods are sorted as a call at now needs it. They
// are not where a start lies in the future: a missing start counts as now,
// which is earlier.
func (n *NodeState) InOrder(now rank.Instant) bool { return n.Unstarted == 0 || n.Latest < now.Sec }

// Possible lists the pods of lower priority, the most important first. The
// slice is the node's own, unless the pods have to be sorted for this call;
// then it is in buf.
func (n *NodeState) Possible(priority int32, now rank.Instant, buf *[]*PodState) []*PodState {
	pods := n.Pods[n.First(int64(priority)):]
	if !n.InOrder(now) {
		*buf = append((*buf)[:0], pods...)
		slices.SortFunc(*buf, func(p, q *PodState) int { return p.Compare(q, now) })
		return *buf
	}
	return pods
}

func indexOf(pods []*PodState, p *PodState) int {
	i, _ := slices.BinarySearchFunc(pods, p, func(a, b *PodState) int { return a.Compare(b, rank.Never) })
	return i
}

func insertByImportance(pods []*PodState, p *PodState) []*PodState {
	return slices.Insert(pods, indexOf(pods, p), p)
}

// placeOf returns where a pod is. One that the caller has changed in place is not where
// its importance says.
func placeOf(pods []*PodState, p *PodState) int {
	const few = 8
	if len(pods) > few {
		if i := indexOf(pods, p); i < len(pods) && pods[i] == p {
			return i
		}
	}
	return slices.Index(pods, p)
}

func removeByImportance(pods []*PodState, p *PodState) []*PodState {
	i := placeOf(pods, p)
	return slices.Delete(pods, i, i+1)
}

// filterTraits is what the state asks about filters. The filter layer
// implements it.
type filterTraits interface {
	// Restricts reports whether a filter may turn away from the node a pod that
	// asks for nothing in particular. It is true for a node that does not
	// exist.
	Restricts(node *outrank.Node) bool
	// ConcernedBy returns the filters that a pod on a node has a part in.
	ConcernedBy(running *outrank.Pod) FilterSet
	// HeldOn returns what filters note of the node and its pods, and nobody writes; nil for
	// nothing. It is told how many of the pods concern each filter.
	HeldOn(n *NodeState, concerned *[MaxFilters]int32) any
}

// FilterSet has a bit for each filter.
type FilterSet uint16

// MaxFilters is how many filters a FilterSet can hold.
const MaxFilters = 16

// Has reports whether the filter of this index is in the set.
func (s FilterSet) Has(index int) bool { return s&(1<<index) != 0 }
