package sim

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// The first columns of every run. Columns of other resources follow.
const (
	cpuColumn = iota
	memoryColumn
)

// columns are the resources that are counted. A row has one amount for each of them.
type columns []resource.Name

// columnsOf returns cpu, memory, and every other resource that a node offers except slots for pods, by name.
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

// suffices reports whether what is left covers the request. A resource that is not requested does not matter,
// even if a node is overcommitted in it.
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
