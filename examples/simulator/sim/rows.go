package sim

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// The columns that every run has; those of other resources follow.
const (
	cpuColumn = iota
	memoryColumn
)

// columns are the resources that are counted. A row has one amount for each.
type columns []resource.Name

// columnsOf returns cpu, memory, and whatever else the nodes offer but slots for
// pods, by name.
func columnsOf(nodes []*outrank.Node) columns {
	var others []resource.Name
	for _, n := range nodes {
		for name := range n.Allocatable {
			if name != resource.CPU && name != resource.Memory && name != resource.Pods {
				others = append(others, name)
			}
		}
	}
	slices.Sort(others)
	return append([]resource.Name{resource.CPU, resource.Memory}, slices.Compact(others)...)
}

// row returns the amounts of a list by column.
func (cs columns) row(l resource.List) []int64 {
	row := make([]int64, len(cs))
	for i, name := range cs {
		row[i] = l.Amount(name)
	}
	return row
}

// addTo adds a row to a sum, or subtracts it with a negative sign; sums saturate.
func addTo(sum, row []int64, sign int64) {
	for i, v := range row {
		if sign < 0 {
			sum[i] = resource.SubSat(sum[i], v)
		} else {
			sum[i] = resource.AddSat(sum[i], v)
		}
	}
}

// suffices reports whether enough is left for the demand. Where nothing is asked for, a node that has too
// little already is good enough.
func suffices(left, asks []int64) bool {
	for c, asked := range asks {
		if asked > left[c] && asked > 0 {
			return false
		}
	}
	return true
}

// one returns 1 for true and 0 for false.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
