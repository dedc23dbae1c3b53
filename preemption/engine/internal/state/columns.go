package state

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/resource"
)

// Columns has the resources that have a column of their own in the snapshot: cpu, memory and a third one.
// Other resources of a pod are kept in a list, which is empty for most pods. The choice of the third resource
// affects speed only.
type Columns struct {
	Names [NumColumns]resource.Name
	// Reasons has the reasons of NodeResourcesFit for each combination of shortages. The first index is 1 if
	// there are too many pods, else 0. The second has a bit for each column that is short.
	Reasons [2][1 << NumColumns][]string
}

// NumColumns is the number of resources with a column.
const NumColumns = 3

// AmountRow holds an amount for each column.
type AmountRow [NumColumns]int64

// within reports whether no amount exceeds the other row's in the same column.
func (r *AmountRow) within(other *AmountRow) bool {
	return r[0] <= other[0] && r[1] <= other[1] && r[2] <= other[2]
}

// add and sub are written out, because they run for every pod. They may overflow on a node with the flag
// LargeAmounts, where their results must not be used.
func (r *AmountRow) add(other *AmountRow) {
	r[0] += other[0]
	r[1] += other[1]
	r[2] += other[2]
}

func (r *AmountRow) sub(other *AmountRow) {
	r[0] -= other[0]
	r[1] -= other[1]
	r[2] -= other[2]
}

// newColumns prepares the reasons for every shortage, so that decisions share them. The number of
// pods comes first, then the columns in their order.
func newColumns(third resource.Name) *Columns {
	c := &Columns{Names: [...]resource.Name{resource.CPU, resource.Memory, third}}
	for tooMany := range c.Reasons {
		for short := range c.Reasons[tooMany] {
			var reasons []string
			if tooMany > 0 {
				reasons = append(reasons, fit.ReasonTooManyPods)
			}

			for k, name := range c.Names {
				if short&(1<<k) != 0 {
					reasons = append(reasons, fit.Insufficient(string(name)))
				}
			}
			c.Reasons[tooMany][short] = slices.Clip(reasons)
		}
	}
	return c
}

// Of returns the column of a resource, -1 for none.
func (c *Columns) Of(name resource.Name) int { return slices.Index(c.Names[:], name) }

// ColumnsFor chooses the third column for a cluster: the resource other than cpu
// and memory that most containers ask for; if they ask for none, the one that
// most nodes offer; ephemeral storage if there is no other.
func ColumnsFor(c *outrank.Cluster) *Columns {
	asked, offered := map[resource.Name]int{}, map[resource.Name]int{}
	for _, p := range c.Pods {
		for i := range p.Containers {
			countThird(asked, p.Containers[i].Requests)
		}
	}
	if len(asked) > 0 {
		return newColumns(mostFrequent(asked))
	}

	// Nearly every node offers ephemeral storage, which says nothing about what pods will ask for.
	for _, n := range c.Nodes {
		countThird(offered, n.Allocatable)
	}
	delete(offered, resource.EphemeralStorage)
	return newColumns(mostFrequent(offered))
}

// countThird adds 1 to the count of each resource in a list that could have the third column.
func countThird(counts map[resource.Name]int, l resource.List) {
	for name := range l {
		if name != resource.CPU && name != resource.Memory && name.Counted() {
			counts[name]++
		}
	}
}

// mostFrequent returns the resource with the largest count. Ephemeral storage wins a tie, even with a count
// of 0; among other resources the first by name wins.
func mostFrequent(counts map[resource.Name]int) resource.Name {
	best := resource.EphemeralStorage
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > counts[best] {
			best = name
		}
	}
	return best
}
