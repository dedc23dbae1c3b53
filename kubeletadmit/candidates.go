package kubeletadmit

import (
	"slices"

	"github.com/outrank-go/outrank/resource"
)

// candidates are the pods of one tier that have not been chosen, in a list
// whose order breaks the last ties.
type candidates struct {
	// pods are places among the active pods.
	pods []int
	// rows has, for each of pods, what it frees of each of the needs, and then
	// its memory and cpu for breaking ties.
	rows  []int64
	needs int
	// columns has, for each of the needs, what each of pods frees of it.
	columns [][]float64
	// held is the sum of what all of them freed before the first was chosen,
	// and freed what those chosen free, each by needs.
	held, freed []int64
}

func (c *candidates) reset() {
	c.pods, c.rows = c.pods[:0], c.rows[:0]
}

// shape makes an empty list for a number of needs.
func (c *candidates) shape(needs int) {
	c.needs = needs
	c.held, c.freed = zeros(c.held, needs), zeros(c.freed, needs)
	c.columns = slices.Grow(c.columns[:0], needs)[:needs]
	for i := range c.columns {
		c.columns[i] = c.columns[i][:0]
	}
}

// zeros gives n zeros, in the memory of list if it is long enough.
func zeros(list []int64, n int) []int64 {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// add lists the pod, whose row has been appended. It reports whether nothing
// in it is below 0.
func (c *candidates) add(pod int) bool {
	c.pods = append(c.pods, pod)
	row := c.row(len(c.pods) - 1)
	for i := range c.held {
		c.held[i] = resource.AddSat(c.held[i], row[i])
		c.columns[i] = append(c.columns[i], float64(row[i]))
	}
	return slices.Min(row) >= 0
}

// row gives the figures of the i-th pod.
func (c *candidates) row(i int) []int64 {
	width := c.needs + 2
	return c.rows[i*width : (i+1)*width]
}

// remove puts the last of the list into the place of the i-th.
func (c *candidates) remove(i int) {
	end := len(c.pods) - 1
	copy(c.row(i), c.row(end))
	c.pods[i] = c.pods[end]
	c.pods, c.rows = c.pods[:end], c.rows[:end*(c.needs+2)]
	for j, column := range c.columns {
		column[i] = column[end]
		c.columns[j] = column[:end]
	}
}

// smaller compares the requests of two rows for breaking ties, memory first,
// then cpu (smallerResourceRequest). It is 0 where both are equal.
func (c *candidates) compare(a, b []int64) int {
	return slices.Compare(a[c.needs:], b[c.needs:])
}

// closest finds the candidate with the least distance, ties broken as in step
// 5 of Resolve. There is at least one.
func (c *candidates) closest(left []int64, g *gauge) (at int, least float64) {
	about, limit := g.estimate(left, c.columns)
	at = -1
	for i, estimate := range about {
		if estimate > limit {
			continue
		}
		row := c.row(i)
		d := distance(left, row)
		if at < 0 || d < least || d == least && c.compare(row, c.row(at)) <= 0 {
			at, least = i, d
		}
	}
	return at, least
}

// distance sums the squares of the parts of left that the pod would leave, in
// their order. The conversion keeps the compiler from fusing the product into
// the sum, which would round differently on some machines.
//
// It never grows where an amount in the row does: each step is a function that
// does not fall, or one that does not rise, and rounding keeps it so.
func distance(left, row []int64) float64 {
	var sum float64
	for i, n := range left {
		if n > row[i] {
			part := float64(n-row[i]) / float64(n)
			sum += float64(part * part)
		}
	}
	return sum
}
