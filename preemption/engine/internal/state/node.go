package state

import (
	"math"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/rank"
	"github.com/outrank-go/outrank/resource"
)

// NodeState has everything that a snapshot knows of one node and the pods on it. The snapshot that owns it
// may write it; any other snapshot copies it first.
type NodeState struct {
	// The fields that a search reads come first, so that they lie in few cache lines.

	// SortKeys has the sort key of each pod, and Rows the amounts that each takes, by column. Both are
	// parallel to Pods.
	SortKeys []Importance
	// Unstarted is the number of pods without a start time, and Latest the latest start of the others, in
	// seconds. InOrder tells from the two whether the order of Pods is right for a call.
	Unstarted int
	Latest    int64
	// Levels has a Level for each priority on the node, the lowest first.
	Levels []Level
	Rows   []AmountRow
	// Covered lists the pods that any budget covers, in the order of Pods.
	Covered []coveredPod
	Slot    int32
	// Grouped is the number of pods that name a pod group.
	Grouped int32
	// version grows whenever the node or a pod on it changes. A podTable tells by it whether its answers are
	// current.
	version uint64
	// Pods are the pods that run on the node, and Nominated the pending pods nominated to it. Both are sorted
	// by importance; a missing start counts as later than any.
	Pods, Nominated []*PodState
	// Objects has the object of each pod, parallel to Pods, for readers that need nothing else.
	Objects []*outrank.Pod

	Owner *Owner
	*nodeRef
	// Node is nil if pods name a node that the snapshot does not hold.
	Node *outrank.Node
	// Offers and MaxPods are the node's allocatable amounts and number of pods. Taken is the exact sum of the
	// amounts that Pods take.
	Offers  Amounts
	MaxPods int64
	Taken   Usage
	// Concerned is, by filter, the number of pods that may change the filter's answer.
	Concerned [MaxFilters]int32
	// claimUses is the number of volumes, of all pods, that use a claim.
	claimUses int32
	// summed is the length of the tail of Pods that has not changed since the node was last summarized.
	summed int32
	// Held has the filters' own data about the node and its pods (filterTraits.HeldOn).
	Held any
}

// Level has the number and the summed amounts of a node's pods of one priority and all lower ones. The
// amounts are meaningless on a node with large amounts.
type Level struct {
	Held     AmountRow
	Priority int32
	Pods     int32
}

// coveredPod is a pod that at least one budget covers.
type coveredPod struct {
	Index int32 // in NodeState.Pods
	// Budgets has a bit for each budget that covers the pod (BudgetBits).
	Budgets uint32
	Class   *PodClass
}

// NewNodeState returns the state of a node that has no object and no pods yet.
func NewNodeState(name string, slot int32, o *Owner) *NodeState {
	return &NodeState{Owner: o, nodeRef: &nodeRef{name}, Slot: slot, Latest: math.MinInt64}
}

// setNode sets the object of the node; nil removes it.
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

	// Each of these lists is written in place. Held, the node's object and the pods' states are not, so that
	// both copies may have them.
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

// load puts all pods on a new node at once, and keeps the slices. Levels and covered pods are left to sumUp.
// Time is that of sorting the pods.
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
	n.summed = min(n.summed, int32(len(n.Pods)-1-i)) // the tail behind the new pod is unchanged

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
	// Levels and covered pods are updated by the pod's row, sort key and index, so that these are removed
	// afterwards.
	i := n.placeOf(p)
	n.lowerLevels(n.SortKeys[i].Priority, &n.Rows[i])
	n.coverRemoved(i)

	n.Pods = slices.Delete(n.Pods, i, i+1)
	n.Rows = slices.Delete(n.Rows, i, i+1)
	n.SortKeys = slices.Delete(n.SortKeys, i, i+1)
	n.Objects = slices.Delete(n.Objects, i, i+1)
	n.summed = min(n.summed, int32(len(n.Pods)-i)) // the tail behind the gap is unchanged
	n.count(p, -1, traits)

	// Removing the maximum takes a look at all other starts.
	if p.Rank().Sec == n.Latest {
		n.Latest = n.latestStart()
	}
}

// latestStart returns the latest start of the pods that have one, the least int64 if none has.
func (n *NodeState) latestStart() int64 {
	latest := int64(math.MinInt64)
	for i := range n.SortKeys {
		if sec := n.SortKeys[i].Sec; sec != rank.NoStart {
			latest = max(latest, sec)
		}
	}
	return latest
}

// indexOf returns the index in Pods at which the pod is or belongs by its importance. It searches the sort
// keys, which lie side by side in memory, and reads objects only for ties.
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

// placeOf returns the index of a pod that is on the node. A pod that the caller has changed in place may not
// be where its importance says, in which case the whole list is searched.
func (n *NodeState) placeOf(p *PodState) int {
	if i := n.indexOf(p); i < len(n.Pods) && n.Pods[i] == p {
		return i
	}
	return slices.Index(n.Pods, p)
}

// count adds a pod to the sums and counters of the node (by is 1), or subtracts it (-1). It never lowers
// Latest; removePod does.
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

// sumUp computes from all pods at once what later changes update pod by pod: the levels, the covered pods,
// and Held.
func (n *NodeState) sumUp(traits filterTraits) {
	n.Held = traits.HeldOn(n, &n.Concerned)

	// The least important pods are last. A level includes those below it, so that one running sum makes them
	// all.
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

// raiseLevels adds a pod of this priority to its level and those above.
func (n *NodeState) raiseLevels(priority int32, row *AmountRow) {
	i := 0
	for i < len(n.Levels) && n.Levels[i].Priority < priority {
		i++
	}

	// The first pod of a priority opens a level, which starts as a copy of the level below.
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

// lowerLevels takes a pod of this priority off its level and those above.
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

		// A level with no more pods than the one below has none of its own priority, and is deleted. Only the
		// pod's own level, the first to come here, can be such a level. Setting below to -1 keeps the others,
		// because no level has -1 pods.
		if at.Pods == below {
			n.Levels = slices.Delete(n.Levels, i, i+1)
			i--
		}
		below = -1
	}
}

// findCovered lists the pods that budgets cover. It also counts as a change of the node, because kept answers
// may depend on which pods are covered.
func (n *NodeState) findCovered() {
	n.version++

	// The first list is allocated with the exact length.
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

// coverAdded updates the list of covered pods after a pod of class k was added at index i.
func (n *NodeState) coverAdded(i int, k *PodClass) {
	at := n.shiftCovered(i, 1)
	if len(k.Covering) > 0 {
		n.Covered = slices.Insert(n.Covered, at, coveredPod{int32(i), bitsOf(k.Covering), k})
	}
}

// coverRemoved updates the list of covered pods before the pod at index i is removed.
func (n *NodeState) coverRemoved(i int) {
	at := n.shiftCovered(i+1, -1)
	if at > 0 && n.Covered[at-1].Index == int32(i) {
		n.Covered = slices.Delete(n.Covered, at-1, at)
	}
}

// shiftCovered adds by to the index of every covered pod from index from on. It returns the place of the
// first of these in Covered.
func (n *NodeState) shiftCovered(from int, by int32) int {
	at := len(n.Covered)
	for at > 0 && n.Covered[at-1].Index >= int32(from) {
		at--
		n.Covered[at].Index += by
	}
	return at
}

// bitsOf returns the bits of these budgets (BudgetBits).
func bitsOf(budgets []int32) (bits uint32) {
	for _, b := range budgets {
		bits |= 1 << (b % BudgetBits)
	}
	return bits
}

// priorities returns the number of different priorities among the pods.
func (n *NodeState) priorities() int {
	count := 0
	for i := range n.SortKeys {
		if i == 0 || n.SortKeys[i].Priority != n.SortKeys[i-1].Priority {
			count++
		}
	}
	return count
}

// First returns the index of the first pod below a priority, the number of pods if there is none. All pods
// from there on are below the priority.
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

// InOrder reports whether Pods has the order of a call at now. Pods sorts a missing start last, while in a
// call it counts as now. So the two orders can differ only if one pod has no start and another one's is not
// before now.
func (n *NodeState) InOrder(now rank.Instant) bool { return n.Unstarted == 0 || n.Latest < now.Sec }

// Possible lists the pods below a priority, the most important first. The
// slice is the node's own, unless the pods need another order for this call (InOrder);
// then it is in buf.
func (n *NodeState) Possible(priority int32, now rank.Instant, buf *[]*PodState) []*PodState {
	pods := n.Pods[n.First(int64(priority)):]

	// Only the order can be wrong, not the set of pods: priority comes before start in every call's order.
	if !n.InOrder(now) {
		*buf = append((*buf)[:0], pods...)
		slices.SortFunc(*buf, func(p, q *PodState) int { return p.Compare(q, now) })
		return *buf
	}
	return pods
}

// indexOf returns the index at which a pod is or belongs in a list that is sorted by importance.
func indexOf(pods []*PodState, p *PodState) int {
	i, _ := slices.BinarySearchFunc(pods, p, func(a, b *PodState) int { return a.Compare(b, rank.Never) })
	return i
}

// insertByImportance inserts a pod into a list that is sorted by importance.
func insertByImportance(pods []*PodState, p *PodState) []*PodState {
	return slices.Insert(pods, indexOf(pods, p), p)
}

// placeOf returns the index of a pod in a list that is sorted by importance, -1 if it is not there. A pod
// that the caller has changed in place may be elsewhere than its importance says, in which case the whole
// list is searched. In a short list that is done at once.
func placeOf(pods []*PodState, p *PodState) int {
	const few = 8
	if len(pods) > few {
		if i := indexOf(pods, p); i < len(pods) && pods[i] == p {
			return i
		}
	}
	return slices.Index(pods, p)
}

// removeByImportance removes a pod from a list that is sorted by importance. The pod must be in it.
func removeByImportance(pods []*PodState, p *PodState) []*PodState {
	i := placeOf(pods, p)
	return slices.Delete(pods, i, i+1)
}

// filterTraits tells this package what it has to know about the built-in filters. Package filters, which
// imports this one, implements it.
type filterTraits interface {
	// Restricts reports whether some filter may turn away even a pod without demands. It is true for nil, a
	// node that does not exist.
	Restricts(node *outrank.Node) bool
	// ConcernedBy returns the filters whose answers about a node a pod that runs there may change.
	ConcernedBy(running *outrank.Pod) FilterSet
	// HeldOn returns the filters' data about the node and its pods, nil if they need none. The result is
	// never written. concerned is NodeState.Concerned.
	HeldOn(n *NodeState, concerned *[MaxFilters]int32) any
}

// FilterSet has a bit for each filter.
type FilterSet uint16

// MaxFilters is the number of filters that a FilterSet has bits for.
const MaxFilters = 16

// Has reports whether the filter with this index is in the set.
func (s FilterSet) Has(index int) bool { return s&(1<<index) != 0 }
