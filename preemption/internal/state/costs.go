package state

import (
	"math"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

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
