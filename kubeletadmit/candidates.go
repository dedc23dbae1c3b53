package kubeletadmit

import (
	"slices"

	"github.com/outrank-go/outrank/resource"
)

// candidates are the pods of one tier that have not been chosen. The order of
// the list breaks the last ties.
type candidates struct {
	// pods are indexes of movable pods.
	pods []int
	// all are the pods of the tier, whether or not they have been chosen. It is empty
	// unless keepsAll is set.
	all      []int
	keepsAll bool
	// columns has, for each need, what each of pods frees of it.
	columns [][]float64
	// held is what all pods of the tier free together, by need, whether or not they
	// have been chosen.
	held []int64
}

// reset makes the list empty, with a column per need. keepsAll says whether all is filled.
func (c *candidates) reset(needs int, keepsAll bool) {
	c.pods, c.all, c.keepsAll = c.pods[:0], c.all[:0], keepsAll
	c.held = zeros(c.held, needs)
	c.columns = slices.Grow(c.columns[:0], needs)[:needs]
	for i := range c.columns {
		c.columns[i] = c.columns[i][:0]
	}
}

// zeros returns n zeros, in the memory of list if it is large enough.
func zeros[T int64 | float64](list []T, n int) []T {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// add appends a pod to the list.
func (c *candidates) add(pod int, f *figures) {
	c.pods = append(c.pods, pod)
	if c.keepsAll {
		c.all = append(c.all, pod)
	}
	for i, held := range c.held {
		frees := f.frees(pod, i)
		c.held[i] = resource.AddSat(held, frees)
		c.columns[i] = append(c.columns[i], float64(frees))
	}
}

// remove removes the i-th pod. The last of the list takes its place (rule 17.6.6).
func (c *candidates) remove(i int) {
	end := len(c.pods) - 1
	c.pods[i], c.pods = c.pods[end], c.pods[:end]
	for j, column := range c.columns {
		column[i], c.columns[j] = column[end], column[:end]
	}
}
