package search

import (
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// asksNothing stands for what a preemptor asks of a column that it does not ask for. It is less than
// any node has free, unless its amounts are large (see LargeAmounts).
const asksNothing = math.MinInt64 / 2

// unlimited is more than all pods of a node take together, unless its amounts are large.
const unlimited = math.MaxInt64 / 2

// spare is what a node has free beyond the preemptor's needs while some of its pods are away.
// An amount below 0 is missing.
type spare struct {
	// slack is what is free by column, and room how many more pods the node may have beside the preemptor.
	slack state.AmountRow
	room  int32
}

// begin notes what is free while nobody is away. In a column that the preemptor does not ask for,
// asksNothing leaves more than the pods of a node hold, and no sum overflows (see LargeAmounts).
func (t *spare) begin(sum *state.NodeSummary, asks *state.AmountRow) {
	t.room = int32(sum.Room) - 1
	t.slack[0] = sum.Free[0] - asks[0]
	t.slack[1] = sum.Free[1] - asks[1]
	t.slack[2] = sum.Free[2] - asks[2]
}

// fits reports whether there is room for the preemptor.
func (t *spare) fits() bool {
	// The bitwise or is negative if and only if one of them is.
	return int64(t.room)|t.slack[0]|t.slack[1]|t.slack[2] >= 0
}

// holds reports whether there is room for the preemptor and, beside it, a pod with this row.
func (t *spare) holds(row *state.AmountRow) bool {
	return t.room > 0 && row[0] <= t.slack[0] && row[1] <= t.slack[1] && row[2] <= t.slack[2]
}

// fill takes the room of a pod with this row, which comes back.
func (t *spare) fill(row *state.AmountRow) {
	t.room--
	t.slack[0] -= row[0]
	t.slack[1] -= row[1]
	t.slack[2] -= row[2]
}

// freeAll frees what several pods hold that leave together.
func (t *spare) freeAll(held *spare) {
	t.room += held.room
	t.slack[0] += held.slack[0]
	t.slack[1] += held.slack[1]
	t.slack[2] += held.slack[2]
}

// free frees what a pod with this row holds, which leaves.
func (t *spare) free(row *state.AmountRow) {
	t.room++
	t.slack[0] += row[0]
	t.slack[1] += row[1]
	t.slack[2] += row[2]
}
