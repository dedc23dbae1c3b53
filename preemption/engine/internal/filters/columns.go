package filters

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// On most nodes a pod filter that looks at the pods of the node alone is like a resource. Pods
// hold whole amounts of something, and the preemptor passes if and only if the pods that stay
// hold no more than a certain amount. A host port that the preemptor wants is held by some pods, and
// none of them may stay. A volume takes one of the places that its driver has.
//
// On a few nodes this does not hold, because two pods hold the same thing, or the preemptor's volume
// is attached already. There the filter itself is asked.

// columnFilter is such a filter in one attempt.
type columnFilter interface {
	PodFilter
	// addColumns adds a column for each thing that keeps the preemptor away from the node as it is. It
	// is not ok where the filter itself must be asked.
	addColumns(h *holdings, c *Columns) (ok bool)
	// appendKey appends everything of the preemptor that the filter reads.
	appendKey(key *state.KeyWriter)
}

// column is something that pods of a node hold. As things are they hold too much of it for the
// preemptor to pass.
type column struct {
	// excess is the amount that must be set free. It is above 0 as long as nobody leaves.
	excess int64
	holds  []hold // the most important pod first
	// most is the most that one pod holds.
	most   int32
	status *Status
	// early is set for a filter before NodeResourcesFit.
	early bool
}

// Columns are the columns of one node, on which the pods below a priority may leave.
type Columns struct {
	reach int64 // that priority
	list  []column
	space []hold // memory of the holds of columns
	// rest is the answer of the filters that look at no pods. They come after the others.
	rest Status
}

// begin begins with a node.
func (c *Columns) begin(reach int64) {
	c.reach, c.rest = reach, Status{}
	c.list, c.space = c.list[:0], c.space[:0]
}

// Release drops everything that belongs to the attempt.
func (c *Columns) Release() {
	clear(c.list[:cap(c.list)])
	c.list, c.rest = c.list[:0], Status{}
}

// mayLeave reports whether a pod may leave.
func (c *Columns) mayLeave(h *hold) bool { return int64(h.priority) < c.reach }

// beginColumn begins a column for pods that must all leave, and returns where its holds begin. wantGone
// adds a pod that may leave. endColumn adds the column; stay is the number of further holders that do
// not leave.
func (c *Columns) beginColumn() (at int) { return len(c.space) }

func (c *Columns) wantGone(at int, h hold) {
	// A pod counts once, also if it holds several things that are in the way.
	if last := len(c.space); last == at || c.space[last-1].pod != h.pod {
		c.space = append(c.space, h)
	}
}

func (c *Columns) endColumn(at int, stay int64, x column) {
	x.holds, x.most = c.space[at:], 1
	if x.excess = int64(len(x.holds)) + stay; x.excess > 0 {
		c.list = append(c.list, x)
	}
}

// failing has the statuses of the first filter that fails before NodeResourcesFit, and of the
// first after it; nil where none does.
type failing struct{ early, late *Status }

// note notes a column that is in excess. Columns come in the order of their filters.
func (f *failing) note(x *column) {
	switch {
	case x.early:
		f.early = x.status // only NodePorts has such columns
	case f.late == nil:
		f.late = x.status
	}
}

// failing returns what fails as things are.
func (c *Columns) failing() (f failing) {
	for i := range c.list {
		f.note(&c.list[i])
	}
	return f
}

// Without returns the statuses of the first filter that fails before NodeResourcesFit, and of
// the first after it, with all pods away that may leave; nil where none does. If none fails,
// top is the lowest priority such that all filters pass with the pods of it and below away, and
// fewest a lower bound on the number of pods that must leave. Where nobody must, top is the lowest
// number of its type.
func (c *Columns) Without() (early, late *Status, top int32, fewest int64) {
	var f failing
	top = math.MinInt32
	for i := range c.list {
		x := &c.list[i]

		// The holders leave from the least important one up, until the rest is no more in excess. Then
		// the last one that left has the priority in question.
		excess := x.excess
		for j := len(x.holds) - 1; j >= 0 && excess > 0 && c.mayLeave(&x.holds[j]); j-- {
			excess -= int64(x.holds[j].amount)
			top = max(top, x.holds[j].priority)
		}
		if excess > 0 {
			f.note(x)
		}

		// No pod holds more than x.most, so that at least excess / most, rounded up, must leave.
		fewest = max(fewest, (x.excess+int64(x.most)-1)/int64(max(1, x.most)))
	}

	if f.late == nil && c.rest.Code != Success {
		f.late = &c.rest
	}
	return f.early, f.late, top, min(fewest, math.MaxUint16)
}

// Leave counts off what the pods from an index on hold.
func (c *Columns) Leave(from int) {
	for i := range c.list {
		x := &c.list[i]
		for j := len(x.holds) - 1; j >= 0 && int(x.holds[j].pod) >= from; j-- {
			x.excess -= int64(x.holds[j].amount)
		}
	}
}

// Return puts a pod back that has left, if the preemptor passes beside it, and reports whether it
// does.
func (c *Columns) Return(pod int32) bool {
	for i := range c.list {
		if x := &c.list[i]; x.excess+x.heldBy(pod) > 0 {
			return false
		}
	}
	for i := range c.list {
		c.list[i].excess += c.list[i].heldBy(pod)
	}
	return true
}

// heldBy returns how much a pod holds. The holds are in the order of the pods, so that a binary search
// finds it.
func (x *column) heldBy(pod int32) int64 {
	low, high := 0, len(x.holds)
	for low < high {
		if mid := int(uint(low+high) / 2); x.holds[mid].pod < pod {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(x.holds) && x.holds[low].pod == pod {
		return int64(x.holds[low].amount)
	}
	return 0
}
