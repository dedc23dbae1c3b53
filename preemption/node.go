package preemption

import (
	"math"
	"slices"
	"sort"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/resource"
)

// nodeState is what a snapshot knows of one node and of the pods on it. It is
// written by the snapshot that owns it and copied by any other that wants to
// change it.
type nodeState struct {
	owner *owner
	name  string
	// node is nil while pods name a node that the snapshot does not hold.
	node    *outrank.Node
	offers  amounts
	maxPods int64

	// pods run here, nominated are pending pods that room was made for here;
	// both by importance, a missing start counting as later than any.
	pods, nominated []*podState
	taken           usage
	// holding counts the pods that hold host ports, mounting those that have
	// volumes.
	holding, mounting int
	// unstarted counts the pods without a start time, and latest is the latest
	// start of the others in seconds: if it is not before now, the order above
	// is not the one of the call.
	unstarted int
	latest    int64
}

func newNodeState(name string, o *owner) *nodeState {
	return &nodeState{owner: o, name: name, latest: math.MinInt64}
}

// setNode puts the node itself in place, or takes it away.
func (n *nodeState) setNode(obj *outrank.Node) {
	n.node, n.offers, n.maxPods = obj, amounts{}, 0
	if obj != nil {
		n.offers = counted(obj.Allocatable)
		n.maxPods = obj.Allocatable.Amount(resource.Pods)
	}
}

// clone gives a copy that o may write.
func (n *nodeState) clone(o *owner) *nodeState {
	c := *n
	c.owner = o
	c.pods, c.nominated = slices.Clone(n.pods), slices.Clone(n.nominated)
	c.taken.extra = slices.Clone(n.taken.extra)
	return &c
}

// empty reports whether nothing refers to the node any more.
func (n *nodeState) empty() bool {
	return n.node == nil && len(n.pods) == 0 && len(n.nominated) == 0
}

// addPod puts a pod on the node, in its place by importance. Time is linear in
// the pods on the node.
func (n *nodeState) addPod(p *podState) {
	n.pods = insertByImportance(n.pods, p)
	n.taken.add(&p.takes)
	n.count(p, 1)
	if p.rank.sec == noStart {
		return
	}
	n.latest = max(n.latest, p.rank.sec)
}

// removePod takes a pod of the node away again.
func (n *nodeState) removePod(p *podState) {
	n.pods = removeByImportance(n.pods, p)
	n.taken.sub(&p.takes)
	n.count(p, -1)
	if p.rank.sec == n.latest {
		n.latest = math.MinInt64
		for _, q := range n.pods {
			if q.rank.sec != noStart {
				n.latest = max(n.latest, q.rank.sec)
			}
		}
	}
}

func (n *nodeState) count(p *podState, by int) {
	if hasHostPorts(p.pod) {
		n.holding += by
	}
	if len(p.pod.Volumes) > 0 {
		n.mounting += by
	}
	if p.rank.sec == noStart {
		n.unstarted += by
	}
}

func hasHostPorts(p *outrank.Pod) bool { return fit.HostPorts(p) != nil }

// possible lists the pods of lower priority, the most important first. The
// slice is the node's own, or sorted anew into buf where a start lies in the
// future and a missing one would count as earlier.
func (n *nodeState) possible(priority int32, now instant, buf *[]*podState) []*podState {
	first := sort.Search(len(n.pods), func(i int) bool { return n.pods[i].rank.priority < priority })
	pods := n.pods[first:]
	if n.unstarted > 0 && n.latest >= now.sec {
		*buf = append((*buf)[:0], pods...)
		slices.SortFunc(*buf, func(p, q *podState) int { return p.compare(q, now) })
		return *buf
	}
	return pods
}

func placeOf(pods []*podState, p *podState) int {
	i, _ := slices.BinarySearchFunc(pods, p, func(a, b *podState) int { return a.compare(b, never) })
	return i
}

func insertByImportance(pods []*podState, p *podState) []*podState {
	return slices.Insert(pods, placeOf(pods, p), p)
}

func removeByImportance(pods []*podState, p *podState) []*podState {
	i := placeOf(pods, p)
	return slices.Delete(pods, i, i+1)
}
