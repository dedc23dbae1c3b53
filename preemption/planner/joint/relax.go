package joint

import (
	"math"

	"github.com/outrank-go/outrank/internal/packing"
	"github.com/outrank-go/outrank/resource"
)

// relaxed is what the relaxation says of a rank that adds up, without budgets.
type relaxed struct {
	packing.Relaxed
	draft *draft
	*model
	by    measure
	top   int32
	scale int64 // what one unit of the rank weighs
}

// relax asks the relaxation about the plans without a victim above top. Where amounts are too large
// for it, it has no prices.
func (b *draft) relax(m *model, by measure, top int32, best total) *relaxed {
	x := &relaxed{draft: b, model: b.upTo(m, top), by: by, top: top}
	x.scale = b.weigh(x.model, by)
	known := by.of(&best)
	if m.huge || known > math.MaxInt64/8/max(1, x.scale) {
		x.scale = 0
		x.Impossible = true // for all that is known
		return x
	}
	if costs := b.totals.moves; costs != nil && by == byMoves { // most may move, for all that is known
		known = max(1, min(known, resource.MulSat(int64(best.Victims), max(1, costs.Moved))))
	}
	x.Relaxed = b.asRelaxed(x.model, packing.Goal{Most: -1, Upper: known * x.scale})
	return x
}

// asRelaxed asks for a bound, and counts its steps.
func (b *draft) asRelaxed(m *model, goal packing.Goal) packing.Relaxed {
	if b.totals.moves != nil { // a loss can weigh a hundred moves
		goal.Patience = 60
	}
	meter := b.meter()
	r := packing.Relax(&m.Problem, goal, meter)
	b.steps += meter.Steps
	b.fail(b.ctx.Err())
	return r
}

// meter limits a search by amounts by what is left of the steps.
func (b *draft) meter() *packing.Meter {
	return &packing.Meter{Limit: max(0, b.limit-b.steps), Stop: func() bool { return b.ctx.Err() != nil }}
}

// goal is what no placement weighs less than, made from a bound: so many leavers as it takes at
// least, each as heavy as the heaviest, weigh at least as much as the lightest each. After an error nothing is
// known.
func (x *relaxed) goal(bound int64) (weight, leavers int64) {
	least, most := int64(math.MaxInt64), int64(1)
	for i := range x.Bins {
		if !x.draft.look(1 + len(x.Bins[i].Leavers)) {
			return 0, 0
		}
		for v := range x.Bins[i].Leavers {
			w := x.Bins[i].Leavers[v].Weight
			least, most = min(least, w), max(most, w)
		}
	}
	leavers = ceil(bound, most)
	if leavers > 0 {
		bound = max(bound, resource.MulSat(leavers, least))
	}
	return bound, leavers
}

// ceil divides and rounds up.
func ceil(n, by int64) int64 {
	if n <= 0 {
		return 0
	}
	return (n-1)/by + 1
}
