package filters

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// On most nodes a filter that looks only at the node's own pods behaves like a resource. Pods hold whole
// amounts of something, and the preemptor passes if and only if the pods that stay hold no more than a
// certain amount. A host port that the preemptor wants is held by some pods, and none of them may stay. A
// volume takes one of the places that its driver has. A resource for which the snapshot has no column, such as a
// GPU beside two others, is one itself.
//
// On a few nodes this does not hold, because two pods hold the same thing, or the preemptor's volume is
// attached already. Such nodes are left to the filter itself.

// columnFilter is a filter in one attempt that can express what it forbids on a node in columns.
type columnFilter interface {
	PodFilter
	// addColumns adds a column for each thing of which the pods on the node hold too much for the preemptor.
	// It reports false where columns cannot tell and the filter itself must be asked.
	addColumns(h *holdings, c *Columns) (ok bool)
	// appendKey appends everything that the filter reads of the preemptor.
	appendKey(key *state.KeyWriter)
}

// column is one thing, such as the ports that the preemptor wants, of which the pods on a node hold too much
// for the preemptor to pass.
type column struct {
	// excess is the amount that still has to be freed. It starts above 0 and falls as pods leave; the
	// preemptor passes from 0 down.
	excess int64
	holds  []hold // the most important pod first
	// most is the largest amount that a single pod holds.
	most   int64
	status *Status
	// early is set if the filter runs before NodeResourcesFit.
	early bool
	// short has the bit of a need, as in Status.Short. It is 0 for a column of another filter than
	// NodeResourcesFit, which alone has a status.
	short uint64
}

// Columns are the columns of one node, with the pods below the priority reach as those that may leave.
type Columns struct {
	reach int64 // pods of a lower priority may leave
	list  []column
	space []hold // backing memory for the holds of the columns
	// Short has the needs without a column in the snapshot that are short with all pods on the node, and
	// ShortWithout, once Without was called, those that are short with the pods removed that may leave. Hopeless
	// is set if even the empty node is short of one.
	Short, ShortWithout uint64
	Hopeless            bool
	// rest is the first failure of the filters that look at no pods. They run after all filters with columns.
	rest Status
}

// begin empties the columns for the next node.
func (c *Columns) begin(reach int64) {
	c.reach, c.rest = reach, Status{}
	c.Short, c.ShortWithout, c.Hopeless = 0, 0, false
	c.list, c.space = c.list[:0], c.space[:0]
}

// Release drops all references to the attempt, and keeps the memory.
func (c *Columns) Release() {
	clear(c.list[:cap(c.list)])
	c.list, c.rest = c.list[:0], Status{}
}

// mayLeave reports whether the holding pod is of low enough priority to leave.
func (c *Columns) mayLeave(h *hold) bool { return int64(h.priority) < c.reach }

// mostAmount is more than any amount that columns add up. With larger ones the filter is asked itself.
const mostAmount = math.MaxInt64 / 4

// addNeeds adds a column for each resource without one in the snapshot of which a node has too little. It reports
// false if an amount is too large for columns.
func (c *Columns) addNeeds(q *Question, n *state.NodeState, h *holdings) (ok bool) {
	for i := range q.Needs {
		d := &q.Needs[i]
		if d.Column >= 0 {
			continue
		}
		taken, offer := d.Used(&n.Taken), max(0, d.In(&n.Offers))
		if taken.Leaves(d.Value, offer) {
			continue
		}
		if taken.Saturated() > mostAmount || d.Value > mostAmount || offer > mostAmount {
			return false
		}

		x := column{excess: taken.Saturated() + d.Value - offer, short: shortBit(i)}
		if held := h.amountsOf(d.Name); held != nil {
			x.holds, x.most = held.pods, held.most
		}
		c.list = append(c.list, x)
		c.Short |= x.short
		c.Hopeless = c.Hopeless || d.Value > offer
	}
	return true
}

// beginColumn begins a column whose holders must all leave, and returns the index at which its holds begin in
// space. wantGone adds a holder that may leave. endColumn completes the column; stay is the number of holders
// that may not leave.
func (c *Columns) beginColumn() (at int) { return len(c.space) }

func (c *Columns) wantGone(at int, h hold) {
	// A pod counts once, even if it holds several things that are in the way. Its holds come in a row.
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

// failing has the status of the first filter that fails before NodeResourcesFit (early) and of the first that
// fails after it (late). Either is nil if none fails.
type failing struct{ early, late *Status }

// note records that a column is in excess. It must be called in the order of the filters.
func (f *failing) note(x *column) {
	switch {
	case x.short != 0: // NodeResourcesFit has one status for all resources together
	case x.early:
		f.early = x.status // only NodePorts has such columns
	case f.late == nil:
		f.late = x.status
	}
}

// failing returns what fails with every pod on the node. It notes all columns, because only those in excess
// were added.
func (c *Columns) failing() (f failing) {
	for i := range c.list {
		f.note(&c.list[i])
	}
	return f
}

// Without answers with all pods removed that may leave. early and late are the statuses of the first filters
// that fail before and after NodeResourcesFit, nil where none does. If none fails, it is enough to remove the
// pods of priority top and below; top is the lowest such priority, or the least int32 if nobody must leave.
// fewest is a lower bound on the number of pods that must leave.
func (c *Columns) Without() (early, late *Status, top int32, fewest int64) {
	var f failing
	top = math.MinInt32
	for i := range c.list {
		x := &c.list[i]

		// The holders leave from the least important one up, until the rest is no more in excess. Then
		// the last one that left has the priority in question.
		excess := x.excess
		for j := len(x.holds) - 1; j >= 0 && excess > 0 && c.mayLeave(&x.holds[j]); j-- {
			excess -= x.holds[j].amount
			top = max(top, x.holds[j].priority)
		}
		if excess > 0 {
			f.note(x)
			c.ShortWithout |= x.short
		}

		// No pod holds more than x.most, so that at least excess / most, rounded up, must leave.
		fewest = max(fewest, (x.excess+x.most-1)/max(1, x.most))
	}

	if f.late == nil && c.rest.Code != Success {
		f.late = &c.rest
	}
	return f.early, f.late, top, min(fewest, math.MaxUint16)
}

// Leave removes the pods from an index on: it takes what they hold off each excess.
func (c *Columns) Leave(from int) {
	for i := range c.list {
		x := &c.list[i]
		for j := len(x.holds) - 1; j >= 0 && int(x.holds[j].pod) >= from; j-- {
			x.excess -= x.holds[j].amount
		}
	}
}

// Return puts a removed pod back if the preemptor still passes then, and reports whether it did.
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

// heldBy returns how much the pod with this index holds. The holds are sorted by that index, so that a binary
// search finds it.
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
		return x.holds[low].amount
	}
	return 0
}
