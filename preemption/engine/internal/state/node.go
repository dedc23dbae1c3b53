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
	// The fields that a search reads come first, so that they lie in few cache lines.

	// SortKeys has the sort key of each pod, and Rows what it takes, by column. Both are
	// parallel to Pods.
	SortKeys []Importance
	// Unstarted counts the pods without a start time. Latest is the latest
	// start of the others, in seconds. If it is not before the now of a call,
	// the pods may not be in the order of that call (InOrder).
	Unstarted int
	Latest    int64
	// Levels has an entry for each priority on the node, the lowest first.
	Levels []Level
	Rows   []AmountRow
	// Covered lists the pods that budgets cover, in the order of Pods.
	Covered []coveredPod
	Slot    int32
	// Grouped counts the pods that name a pod group.
	Grouped int32
	// version grows whenever the node or a pod on it changes. Tables of the caller's answers
	// compare it (podTable).
	version uint64
	// Pods run on the node. Nominated are pending pods that room was made for.
	// Both are sorted by importance; a missing start counts as later than any.
	Pods, Nominated []*PodState
	// Objects has the objects of Pods, for readers that need nothing else of them.
	Objects []*outrank.Pod

	Owner *Owner
	*nodeRef
	// Node is nil while pods name a node that the snapshot does not hold.
	Node *outrank.Node
	// Offers and MaxPods are the node's allocatable amounts and number of pods. Taken is the
	// exact sum of what Pods take.
	Offers  Amounts
	MaxPods int64
	Taken   Usage
	// Concerned counts, by filter, the pods that have a part in what the filter
	// says.
	Concerned [MaxFilters]int32
	// claimUses counts the volumes of all pods that use a claim.
	claimUses int32
	// summed is the number of pods at the end of Pods that have not changed since the node was
	// last summarized.
	summed int32
	// Held has the filters' own notes about the node and its pods.
	Held any
}

// Level sums up the pods of a priority and of all lower ones on the node. The amounts
// mean nothing on a node with large amounts.
type Level struct {
	Held     AmountRow
	Priority int32
	Pods     int32
}

// coveredPod is a pod that budgets cover.
type coveredPod struct {
	Index int32 // in NodeState.Pods
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
	n.Node = obj
	n.Offers, n.MaxPods = Amounts{}, 0
	if obj != nil {
		n.Offers = c.counted(obj.Allocatable)
		n.MaxPods = obj.Allocatable.Amount(resource.Pods)
	}
}

// clone returns a copy that o may write.
func (n *NodeState) clone(o *Owner) *NodeState {
	c := *n
	c.Owner = o

	// Each of these is written in place. Held, the node's object and the pods' states never are,
	// so that both copies may have them.
	c.Pods, c.Nominated = slices.Clone(n.Pods), slices.Clone(n.Nominated)
	c.Objects = slices.Clone(n.Objects)
	c.Rows, c.SortKeys = slices.Clone(n.Rows), slices.Clone(n.SortKeys)
	c.Levels = slices.Clone(n.Levels)
	c.Covered = slices.Clone(n.Covered)
	c.Taken.Extra = slices.Clone(n.Taken.Extra)
	return &c
}

// empty reports whether the node does not exist and no pod names it.
func (n *NodeState) empty() bool {
	return n.Node == nil && len(n.Pods) == 0 && len(n.Nominated) == 0
}

// load puts pods on a new node, all at once. The node keeps the slices. It leaves levels and
// covered pods to sumUp. Time is that of sorting the pods.
func (n *NodeState) load(pods, nominated []*PodState, traits filterTraits) {
	byImportance := func(p, q *PodState) int { return p.Compare(q, rank.Never) }
	slices.SortFunc(pods, byImportance)
	slices.SortFunc(nominated, byImportance)
	n.Pods, n.Nominated = pods, nominated

	n.Rows, n.SortKeys = make([]AmountRow, len(pods)), make([]Importance, len(pods))
	n.Objects = make([]*outrank.Pod, len(pods))
	for i, p := range pods {
		n.Rows[i], n.SortKeys[i] = p.Takes.Std, p.Rank()
		n.Objects[i] = p.Pod
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
	n.summed = min(n.summed, int32(len(n.Pods)-1-i)) // the pods behind the new one are as before

	n.raiseLevels(n.SortKeys[i].Priority, &p.Takes.Std)
	n.coverAdded(i, p.Class)
	n.count(p, 1, traits)
}

// insertAt inserts one value into a list, as slices.Insert does.
func insertAt[T any](list []T, i int, v T) []T {
	list = append(list, v)
	copy(list[i+1:], list[i:])
	list[i] = v
	return list
}

// removePod removes a pod from the node. Time is linear in the pods on the node.
func (n *NodeState) removePod(p *PodState, traits filterTraits) {
	// The levels and the covered pods go by the node's own row and key, and by the pod's index:
	// they are brought in line while these are still there.
	i := n.placeOf(p)
	n.lowerLevels(n.SortKeys[i].Priority, &n.Rows[i])
	n.coverRemoved(i)

	n.Pods = slices.Delete(n.Pods, i, i+1)
	n.Rows = slices.Delete(n.Rows, i, i+1)
	n.SortKeys = slices.Delete(n.SortKeys, i, i+1)
	n.Objects = slices.Delete(n.Objects, i, i+1)
	n.summed = min(n.summed, int32(len(n.Pods)-i)) // the pods behind the gap are as before
	n.count(p, -1, traits)

	// A maximum cannot be counted out: where the pod started last, the others are looked at anew.
	if p.Rank().Sec == n.Latest {
		n.Latest = n.latestStart()
	}
}

// latestStart returns the latest start of the pods that have one, the least int64 without any.
func (n *NodeState) latestStart() int64 {
	latest := int64(math.MinInt64)
	for i := range n.SortKeys {
		if sec := n.SortKeys[i].Sec; sec != rank.NoStart {
			latest = max(latest, sec)
		}
	}
	return latest
}

// indexOf returns the index in Pods at which the pod is or would be by its importance. It is a
// binary search over the sort keys, which lie side by side; the objects settle ties only.
func (n *NodeState) indexOf(p *PodState) int {
	key := p.Rank()
	low, high := 0, len(n.SortKeys)
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

// placeOf returns the index of a pod that is on the node. A pod that the caller has changed in
// place may not be where its importance says, so that the whole list is searched for it.
func (n *NodeState) placeOf(p *PodState) int {
	if i := n.indexOf(p); i < len(n.Pods) && n.Pods[i] == p {
		return i
	}
	return slices.Index(n.Pods, p)
}

// count adds a pod (by is 1) to the sums and counters of the node, or subtracts it
// (by is -1). It never lowers Latest: removePod does.
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

// sumUp computes from all pods at once what changes bring in line pod by pod: the levels, the
// covered pods and the filters' notes.
func (n *NodeState) sumUp(traits filterTraits) {
	n.Held = traits.HeldOn(n, &n.Concerned)

	// The least important pods are last. A level includes those below it, so that the sum runs on
	// from one priority to the next.
	n.Levels = slices.Grow(n.Levels[:0], n.priorities())
	var sum Level
	for i := len(n.Rows) - 1; i >= 0; i-- {
		if p := n.SortKeys[i].Priority; sum.Pods == 0 || sum.Priority != p {
			if sum.Pods > 0 {
				n.Levels = append(n.Levels, sum)
			}
			sum.Priority = p
		}
		sum.Pods++
		sum.Held.add(&n.Rows[i])
	}
	if sum.Pods > 0 {
		n.Levels = append(n.Levels, sum)
	}

	n.findCovered()
}

// raiseLevels counts a pod of this priority in its level and those above.
func (n *NodeState) raiseLevels(priority int32, row *AmountRow) {
	i := 0
	for i < len(n.Levels) && n.Levels[i].Priority < priority {
		i++
	}

	// The first pod of a priority opens a level. It begins with what the level below holds.
	if i == len(n.Levels) || n.Levels[i].Priority != priority {
		var opened Level
		if i > 0 {
			opened = n.Levels[i-1]
		}
		opened.Priority = priority
		n.Levels = slices.Insert(n.Levels, i, opened)
	}

	for ; i < len(n.Levels); i++ {
		n.Levels[i].Held.add(row)
		n.Levels[i].Pods++
	}
}

// lowerLevels counts a pod of this priority out of its level and those above.
func (n *NodeState) lowerLevels(priority int32, row *AmountRow) {
	below := int32(0)
	for i := 0; i < len(n.Levels); i++ {
		at := &n.Levels[i]
		if at.Priority < priority {
			below = at.Pods
			continue
		}

		at.Held.sub(row)
		at.Pods--

		// A level with no more pods than the one below has none of its own priority, and ends. Only
		// the level of the pod itself, which is the first that comes here, can: those above have
		// pods of their own still. No level has -1 pods.
		if at.Pods == below {
			n.Levels = slices.Delete(n.Levels, i, i+1)
			i--
		}
		below = -1
	}
}

// findCovered lists the pods that budgets cover. It also counts as a change of the node, since
// answers that tables keep may depend on which pods are covered.
func (n *NodeState) findCovered() {
	n.version++

	// The first list is made no longer than it needs to be.
	if n.Covered = n.Covered[:0]; n.Covered == nil {
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

// coverAdded brings the list of covered pods in line with a pod of class k that was added at index i.
func (n *NodeState) coverAdded(i int, k *PodClass) {
	at := n.shiftCovered(i, 1)
	if len(k.Covering) > 0 {
		n.Covered = slices.Insert(n.Covered, at, coveredPod{int32(i), bitsOf(k.Covering), k})
	}
}

// coverRemoved brings the list of covered pods in line with the pod at index i, which is about to go.
func (n *NodeState) coverRemoved(i int) {
	at := n.shiftCovered(i+1, -1)
	if at > 0 && n.Covered[at-1].Index == int32(i) {
		n.Covered = slices.Delete(n.Covered, at-1, at)
	}
}

// shiftCovered adds by to the index of every covered pod whose index is from or more. It returns
// the place of the first of these in the list of covered pods.
func (n *NodeState) shiftCovered(from int, by int32) int {
	at := len(n.Covered)
	for at > 0 && n.Covered[at-1].Index >= int32(from) {
		at--
		n.Covered[at].Index += by
	}
	return at
}

// bitsOf returns the bits that stand for these budgets. Several budgets may share a bit.
func bitsOf(budgets []int32) (bits uint32) {
	for _, b := range budgets {
		bits |= 1 << (b % BudgetBits)
	}
	return bits
}

// priorities returns how many different priorities the pods have.
func (n *NodeState) priorities() int {
	count := 0
	for i := range n.SortKeys {
		if i == 0 || n.SortKeys[i].Priority != n.SortKeys[i-1].Priority {
			count++
		}
	}
	return count
}

// First returns the index of the most important pod below a priority, the number of pods if there
// is none. All pods from there on are below it.
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

// InOrder reports whether the pods are sorted as a call at now needs it. The list sorts a missing
// start behind all others, and in the call it counts as now. The two differ where a pod has no
// start and another one starts at now or later.
func (n *NodeState) InOrder(now rank.Instant) bool { return n.Unstarted == 0 || n.Latest < now.Sec }

// Possible lists the pods below a priority, the most important first. The
// slice is the node's own, unless the pods need another order for this call (InOrder);
// then it is in buf.
func (n *NodeState) Possible(priority int32, now rank.Instant, buf *[]*PodState) []*PodState {
	pods := n.Pods[n.First(int64(priority)):]

	// Priority comes before start in any call's order, so that the pods are the right ones at least.
	if !n.InOrder(now) {
		*buf = append((*buf)[:0], pods...)
		slices.SortFunc(*buf, func(p, q *PodState) int { return p.Compare(q, now) })
		return *buf
	}
	return pods
}

// indexOf returns the index at which a pod is or would be in a list that is sorted by importance.
func indexOf(pods []*PodState, p *PodState) int {
	i, _ := slices.BinarySearchFunc(pods, p, func(a, b *PodState) int { return a.Compare(b, rank.Never) })
	return i
}

// insertByImportance inserts a pod into a list that is sorted by importance.
func insertByImportance(pods []*PodState, p *PodState) []*PodState {
	return slices.Insert(pods, indexOf(pods, p), p)
}

// placeOf returns the index of a pod in a list that is sorted by importance, -1 if it is not there.
// A pod that the caller has changed in place may not be where its importance says, so that the whole
// list is searched for it; a short list is searched at once.
func placeOf(pods []*PodState, p *PodState) int {
	const few = 8
	if len(pods) > few {
		if i := indexOf(pods, p); i < len(pods) && pods[i] == p {
			return i
		}
	}
	return slices.Index(pods, p)
}

// removeByImportance removes a pod from a list that is sorted by importance and has it.
func removeByImportance(pods []*PodState, p *PodState) []*PodState {
	i := placeOf(pods, p)
	return slices.Delete(pods, i, i+1)
}

// filterTraits answers the questions of the state about filters. The filter layer
// implements it.
type filterTraits interface {
	// Restricts reports whether some filter may keep even a pod that asks for nothing in
	// particular away from the node. It is true for a node that does not exist.
	Restricts(node *outrank.Node) bool
	// ConcernedBy returns the filters whose answers may depend on a pod that is on a node.
	ConcernedBy(running *outrank.Pod) FilterSet
	// HeldOn returns the filters' notes about the node and its pods, which nobody writes; nil
	// where there are none. concerned counts, by filter, the pods that concern it.
	HeldOn(n *NodeState, concerned *[MaxFilters]int32) any
}

// FilterSet has a bit for each filter.
type FilterSet uint16

// MaxFilters is how many filters a FilterSet can hold.
const MaxFilters = 16

// Has reports whether the filter of this index is in the set.
func (s FilterSet) Has(index int) bool { return s&(1<<index) != 0 }
