package state

import (
	"math"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// podAnswers are the tables of a snapshot, the last one used first. A table keeps what a rule of
// the caller says about the pods of each node, such as what each costs. A snapshot shares its
// tables with its clones: what is kept of a node holds for that very state and version of it,
// and a state is written by the one snapshot that owns it.
type podAnswers struct {
	mu     sync.Mutex
	tables []any // each a podTable
}

// mostPodTables is how many rules a snapshot remembers the answers of, of each sort.
const mostPodTables = 4

// podTable is what one rule says about the pods of each node. One search at a time uses it;
// its workers look at different nodes.
type podTable[T any] struct {
	mu sync.Mutex // held from TakeOfPods to release
	// rule is the one that was asked. The table keeps it from being collected, so that no
	// other one has its address.
	rule   any
	bySlot []ofPods[T]
}

// ofPods is what a rule says about the pods of a version of a node.
type ofPods[T any] struct {
	node    *NodeState
	version uint64
	said    T
}

// TakeOfPods returns what is kept, by node, of a rule about its pods, and a new table while
// another search uses that. Where a node is another than before, ask writes what the rule says of
// its pods. After release others may have the table.
func TakeOfPods[T any](s *Snapshot, rule any, ask func(n *NodeState, said *T)) (at func(n *NodeState) *T, release func()) {
	t := tableOf[T](s.ofPods, rule)
	if !t.mu.TryLock() {
		t = &podTable[T]{}
		t.mu.Lock()
	}
	if slots := len(s.NodeStates); len(t.bySlot) < slots {
		t.bySlot = append(t.bySlot, make([]ofPods[T], slots-len(t.bySlot))...)
	}
	return func(n *NodeState) *T { return t.at(n, ask) }, t.mu.Unlock
}

// tableOf returns the table of a rule. A new one may take the place of the one of its sort that
// was not used for longest.
func tableOf[T any](m *podAnswers, rule any) *podTable[T] {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, at, alike := &podTable[T]{rule: rule}, len(m.tables), 0
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
	if at == len(m.tables) {
		m.tables = append(m.tables, nil)
	}
	copy(m.tables[1:at+1], m.tables[:at])
	m.tables[0] = t
	return t
}

// at returns what the rule says about the pods of a node. Where the node is another than
// before, ask writes it anew.
func (t *podTable[T]) at(n *NodeState, ask func(n *NodeState, said *T)) *T {
	of := &t.bySlot[n.Slot]
	if of.node != n || of.version != n.version {
		of.node = nil // until all is known: the caller's rule may panic
		ask(n, &of.said)
		of.node, of.version = n, n.version
	}
	return &of.said
}

// NodeCosts is what the pods of a node cost.
type NodeCosts struct {
	Costs []int64 // parallel to the pods
	// Low is about the pods of the lowest priority, all about all pods.
	Low, All costBound
}

// costBound bounds the cost of pods from below.
type costBound struct {
	// perUnit is the least cost of a unit of a column.
	perUnit [NumColumns]float64
	// cheapest has the sum of the k least costs at k-1; the last is for more as well.
	cheapest [TopK]int64
}

// Find finds the costs on a node.
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

// CostOf returns what a rule says that a pod costs, at least 0 (rule 11.10).
func CostOf(cost func(*outrank.Pod) int64, p *outrank.Pod) int64 { return max(0, cost(p)) }

func newCostBound() (b costBound) {
	for k := range b.perUnit {
		b.perUnit[k] = math.Inf(1)
	}
	for i := range b.cheapest {
		b.cheapest[i] = math.MaxInt64
	}
	return b
}

// add takes a pod into account.
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

// Least returns a lower bound on the cost of at least so many pods that hold so much.
func (b *costBound) Least(pods int32, short *AmountRow) int64 {
	least := int64(0)
	if pods > 0 {
		least = b.cheapest[min(pods, TopK)-1]
	}
	for k, v := range short {
		if v > 0 && !math.IsInf(b.perUnit[k], 1) {
			// Rounded down by more than the error of the arithmetic.
			least = max(least, int64(min(float64(v)*b.perUnit[k]*(1-1e-9), math.MaxInt64/2)))
		}
	}
	return least
}
