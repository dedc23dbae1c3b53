package state

import (
	"math"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// podAnswers has the podTables of a snapshot, the most recently used first. A table keeps the answers of a
// caller's rule about the pods of each node, such as their costs. A snapshot and its clones share the tables:
// an entry is valid for one state and version of a node, and no two snapshots write the same state.
type podAnswers struct {
	mu     sync.Mutex
	tables []any // each is a *podTable[T]
}

// mostPodTables is the number of tables that a snapshot keeps for each type of answer.
const mostPodTables = 4

// podTable has the answers of one rule about the pods of each node. One search at a time uses it, and its
// workers look at different nodes.
type podTable[T any] struct {
	mu sync.Mutex // held from TakeOfPods to release
	// rule is the rule that answered. Holding it here keeps it from being collected, so that no other rule
	// gets its address.
	rule   any
	bySlot []nodeAnswers[T]
}

// nodeAnswers has the answers of a rule about the pods of one version of a node.
type nodeAnswers[T any] struct {
	node    *NodeState // nil if there are no answers
	version uint64
	said    T
}

// TakeOfPods takes the table of a rule until release is called. If another search has the table, it takes a
// new one that is not kept. at returns the answers about the pods of a node; if the node has changed since
// they were kept, ask writes them anew.
func TakeOfPods[T any](s *Snapshot, rule any, ask func(n *NodeState, said *T)) (at func(n *NodeState) *T, release func()) {
	t := tableOf[T](s.ofPods, rule)
	if !t.mu.TryLock() {
		t = &podTable[T]{}
		t.mu.Lock()
	}

	if slots := len(s.NodeStates); len(t.bySlot) < slots {
		t.bySlot = append(t.bySlot, make([]nodeAnswers[T], slots-len(t.bySlot))...)
	}
	return func(n *NodeState) *T { return t.answers(n, ask) }, t.mu.Unlock
}

// tableOf returns the table of a rule and moves it to the front. If there are mostPodTables of the same type,
// a new table takes the place of the least recently used one of them.
func tableOf[T any](m *podAnswers, rule any) *podTable[T] {
	m.mu.Lock()
	defer m.mu.Unlock()

	// at is the index from which an entry is taken: of the rule's own table, or of the table of this type
	// that must go, or else behind the last.
	t := &podTable[T]{rule: rule}
	at, alike := len(m.tables), 0
	for i, other := range m.tables {
		u, ok := other.(*podTable[T])
		if !ok {
			continue
		}

		if alike++; u.rule == rule || alike == mostPodTables {
			at = i
		}
		if u.rule == rule {
			t = u
			break
		}
	}

	// The entries before it move back by one, and the table takes the first place.
	if at == len(m.tables) {
		m.tables = append(m.tables, nil)
	}
	copy(m.tables[1:at+1], m.tables[:at])
	m.tables[0] = t
	return t
}

// answers returns the answers about the pods of a node. If the node has changed since they were kept, ask
// writes them anew.
func (t *podTable[T]) answers(n *NodeState, ask func(n *NodeState, said *T)) *T {
	kept := &t.bySlot[n.Slot]
	if kept.node != n || kept.version != n.version {
		kept.node = nil // the caller's rule may panic and leave half an answer
		ask(n, &kept.said)
		kept.node, kept.version = n, n.version
	}
	return &kept.said
}

// NodeCosts has the costs of the pods of a node.
type NodeCosts struct {
	Costs []int64 // parallel to NodeState.Pods
	// Low bounds the costs of pods of the lowest priority, and All the costs of any pods.
	Low, All costBound
}

// costBound bounds the total cost of some pods of a node from below.
type costBound struct {
	// perUnit is, for each column, the least cost per unit at which any pod holds it, infinite if no pod
	// holds any.
	perUnit [NumColumns]float64
	// cheapest has the sum of the k least costs at k-1. The last element also bounds the cost of more pods.
	cheapest [TopK]int64
}

// Find asks for the costs of the pods of a node and computes the bounds. The last lowPods pods are those of
// the lowest priority.
func (c *NodeCosts) Find(n *NodeState, lowPods int, cost func(*outrank.Pod) int64) {
	c.Costs = Fill(c.Costs, len(n.Objects), 0)
	c.Low, c.All = newCostBound(), newCostBound()
	for i, p := range n.Objects {
		c.Costs[i] = CostOf(cost, p)
		c.All.add(c.Costs[i], &n.Rows[i])
		if i >= len(n.Objects)-lowPods {
			c.Low.add(c.Costs[i], &n.Rows[i])
		}
	}
	c.Low.sumUp()
	c.All.sumUp()
}

// CostOf returns the cost of a pod by the caller's rule, at least 0 (rule 11.10).
func CostOf(cost func(*outrank.Pod) int64, p *outrank.Pod) int64 { return max(0, cost(p)) }

// newCostBound returns the bound before any pod is added.
func newCostBound() (b costBound) {
	for k := range b.perUnit {
		b.perUnit[k] = math.Inf(1)
	}
	for i := range b.cheapest {
		b.cheapest[i] = math.MaxInt64
	}
	return b
}

// add includes a pod. Until sumUp, cheapest has the least costs themselves, in ascending order.
func (b *costBound) add(cost int64, row *AmountRow) {
	for k, v := range row {
		if v > 0 {
			b.perUnit[k] = min(b.perUnit[k], float64(cost)/float64(v))
		}
	}

	for i := range b.cheapest {
		if at := &b.cheapest[i]; cost < *at {
			cost, *at = *at, cost
		}
	}
}

// sumUp turns the least costs into sums.
func (b *costBound) sumUp() {
	for i := 1; i < len(b.cheapest); i++ {
		b.cheapest[i] = rank.AddCosts(b.cheapest[i], b.cheapest[i-1])
	}
}

// Least returns a lower bound on the total cost of at least this many pods that together hold at least what
// the node is short of.
func (b *costBound) Least(pods int32, short *AmountRow) int64 {
	// Costs are not negative, so that the last sum is a bound for any larger number of pods.
	least := int64(0)
	if pods > 0 {
		least = b.cheapest[min(pods, TopK)-1]
	}

	// Pods that hold an amount of a column cost at least that amount times the least cost per unit. The
	// product is lowered by more than its rounding error.
	for k, v := range short {
		if v > 0 && !math.IsInf(b.perUnit[k], 1) {
			least = max(least, int64(min(float64(v)*b.perUnit[k]*(1-1e-9), math.MaxInt64/2)))
		}
	}
	return least
}
