package filters

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// On most nodes a pod filter that looks at the pods of the node alone is like a resource: pods
// hold whole amounts of something, and the preemptor passes if and only if the pods that stay
// hold no more than so much. A host port that the preemptor wants is held by some pods, and
// none of them may stay. A volume takes one of the places that its driver has.
//
// On a few nodes it is not so, because two pods hold the same thing, or the preemptor's volume
// is attached already. There the filter is asked.

// columnFilter is such a filter in one attempt.
type columnFilter interface {
	PodFilter
	// addColumns adds what of the node matters to the preemptor. It is not ok where the filter
	// has to be asked.
	addColumns(h *holdings, c *Columns) (ok bool)
	// appendKey appends everything of the preemptor that the filter reads.
	appendKey(key *state.KeyWriter)
}

// column is something that pods of a node hold. It matters: as things are, the preemptor does
// not pass.
type column struct {
	// excess is how much has to be set free. It is above 0 as long as nobody leaves.
	excess int64
	holds  []hold // the most important pod first
	// most is the most that one pod holds.
	most   int32
	status *Status
	// early is set for a filter before NodeResourcesFit.
	early bool
}

// Columns are those of one node, on which the pods below a priority may leave.
type Columns struct {
	reach int64
	list  []column
	space []hold
	// rest is what the filters say that look at no pods. They come after the others.
	rest Status
}

// Release drops everything that belongs to the attempt.
func (c *Columns) Release() {
	clear(c.list[:cap(c.list)])
	c.list, c.rest = c.list[:0], Status{}
}

// mayLeave reports whether a pod may leave.
func (c *Columns) mayLeave(h *hold) bool { return int64(h.priority) < c.reach }

// begin begins a column of pods none of which may stay. want adds one that may leave, and end
// adds the column, with so many others that do not leave.
func (c *Columns) begin() (at int) { return len(c.space) }

func (c *Columns) want(at int, h hold) {
	if last := len(c.space); last == at || c.space[last-1].pod != h.pod {
		c.space = append(c.space, h)
	}
}

func (c *Columns) end(at int, stay int64, x column) {
	x.holds, x.most = c.space[at:], 1
	if x.excess = int64(len(x.holds)) + stay; x.excess > 0 {
		c.list = append(c.list, x)
	}
}

// failing are the statuses of the first filter that fails before NodeResourcesFit, and of the
// first behind it; nil where none does.
type failing struct{ early, late *Status }

func (f *failing) note(x *column) {
	switch {
	case x.early:
		f.early = x.status // there is one such filter
	case f.late == nil:
		f.late = x.status
	}
}

// failing finds those that fail as things are.
func (c *Columns) failing() (f failing) {
	for i := range c.list {
		f.note(&c.list[i])
	}
	return f
}

// Without returns the statuses of the first filter that fails before NodeResourcesFit, and of
// the first behind it, with all pods away that may leave; nil where none does. If none fails,
// top is the lowest priority such that all filters pass with the pods of it and below away, and
// fewest a lower bound on how many pods have to leave. Top is less than any priority where
// nobody has to.
func (c *Columns) Without() (early, late *Status, top int32, fewest int64) {
	var f failing
	top = math.MinInt32
	for i := range c.list {
		x := &c.list[i]
		excess := x.excess
		for j := len(x.holds) - 1; j >= 0 && excess > 0 && c.mayLeave(&x.holds[j]); j-- {
			excess -= int64(x.holds[j].amount)
			top = max(top, x.holds[j].priority)
		}
		if excess > 0 {
			f.note(x)
		}
		fewest = max(fewest, (x.excess+int64(x.most)-1)/int64(max(1, x.most)))
	}
	if f.late == nil && c.rest.Code != Success {
		f.late = &c.rest
	}
	return f.early, f.late, top, min(fewest, math.MaxUint16)
}

// Leave has all pods from an index on leave.
func (c *Columns) Leave(from int) {
	for i := range c.list {
		x := &c.list[i]
		for j := len(x.holds) - 1; j >= 0 && int(x.holds[j].pod) >= from; j-- {
			x.excess -= int64(x.holds[j].amount)
		}
	}
}

// Return puts a pod back that has left, if the preemptor passes beside it.
func (c *Columns) Return(pod int32) bool {
	for i := range c.list {
		if x := &c.list[i]; x.excess+x.of(pod) > 0 {
			return false
		}
	}
	for i := range c.list {
		c.list[i].excess += c.list[i].of(pod)
	}
	return true
}

// of returns how much a pod holds.
func (x *column) of(pod int32) int64 {
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
