package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// asksNothing is the entry in asks for a column in which the preemptor asks for nothing. It is less than any
// node has free, unless amounts are large (see LargeAmounts).
const asksNothing = math.MinInt64 / 2

// unlimited is more than all pods of a node take together, unless amounts are large.
const unlimited = math.MaxInt64 / 2

// spare is what a node has free beyond the preemptor's needs while some of its pods are gone. A negative
// amount is missing.
type spare struct {
	// slack is what is free, by column, and room the number of pods that the node can take beside the
	// preemptor.
	slack state.AmountRow
	room  int32
}

// begin sets what is free with all pods in place. In a column that the preemptor does not ask for,
// subtracting asksNothing leaves more than the pods of a node hold, and no sum overflows (see LargeAmounts).
func (t *spare) begin(sum *state.NodeSummary, asks *state.AmountRow) {
	t.room = int32(sum.Room) - 1
	t.slack[0] = sum.Free[0] - asks[0]
	t.slack[1] = sum.Free[1] - asks[1]
	t.slack[2] = sum.Free[2] - asks[2]
}

// fits reports whether there is room for the preemptor.
func (t *spare) fits() bool {
	// The bitwise or is negative if and only if an operand is.
	return int64(t.room)|t.slack[0]|t.slack[1]|t.slack[2] >= 0
}

// holds reports whether there is room for a pod with this row beside the preemptor.
func (t *spare) holds(row *state.AmountRow) bool {
	return t.room > 0 && row[0] <= t.slack[0] && row[1] <= t.slack[1] && row[2] <= t.slack[2]
}

// fill takes the room for a pod with this row, which comes back.
func (t *spare) fill(row *state.AmountRow) {
	t.room--
	t.slack[0] -= row[0]
	t.slack[1] -= row[1]
	t.slack[2] -= row[2]
}

// freeAll frees the room of several pods. held has their number and the sum of their rows.
func (t *spare) freeAll(held *spare) {
	t.room += held.room
	t.slack[0] += held.slack[0]
	t.slack[1] += held.slack[1]
	t.slack[2] += held.slack[2]
}

// free frees the room of a pod with this row, which leaves.
func (t *spare) free(row *state.AmountRow) {
	t.room++
	t.slack[0] += row[0]
	t.slack[1] += row[1]
	t.slack[2] += row[2]
}
