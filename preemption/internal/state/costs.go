package state

import (
	"math"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// costMemory keeps what victims cost, by the rule that says so. A snapshot shares it
// with its clones: what is kept of a node holds for that very state and version of
// it, and a state is written by the one snapshot that owns it.
type costMemory struct {
	mu     sync.Mutex
	tables []*CostTable // the last one used first
}

// mostCostTables is how many rules a snapshot remembers the costs of.
const mostCostTables = 4

// Release lets others have the table.
func (t *CostTable) Release() { t.mu.Unlock() }

// of returns the table of a rule.
func (m *costMemory) of(rule any) *CostTable {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, t := range m.tables {
		if t.rule == rule {
			copy(m.tables[1:i+1], m.tables[:i])
			m.tables[0] = t
			return t
		}
	}
	t := &CostTable{rule: rule}
	if len(m.tables) < mostCostTables {
		m.tables = append(m.tables, nil)
	}
	copy(m.tables[1:], m.tables)
	m.tables[0] = t
	return t
}

// CostTable has the costs of the pods on each node by one rule. One search at a time
// uses it, the one that holds mu; its workers look at different nodes.
type CostTable struct {
	mu sync.Mutex
	// rule is the *Config whose Cost was asked. The table keeps it from being
	// collected, so that no other one has its address.
	rule   any
	bySlot []nodeCosts
}

// nodeCosts is what the pods of a version of a node cost.
type nodeCosts struct {
	node    *NodeState
	version uint64
	Costs   []int64 // parallel to the pods
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

// At returns the costs on a node.
func (t *CostTable) At(n *NodeState, lowPods int, cost func(*outrank.Pod) int64) *nodeCosts {
	c := &t.bySlot[n.Slot]
	if c.node == n && c.version == n.version {
		return c
	}
	c.node = nil // until all is known: the caller's rule may panic
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
	c.node, c.version = n, n.version
	return c
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
