package joint

import (
	"math"

	"github.com/outrank-go/outrank/internal/packing"
	"github.com/outrank-go/outrank/resource"
)

// relaxed is what the relaxation says of a rank that adds up, where violations do not count.
type relaxed struct {
	packing.Relaxed
	draft *draft
	*model
	by    measure
	top   int32 // the highest priority of a leaver in the model
	scale int64 // the weight of one unit of the rank, 0 where nothing is known
}

// relax asks the relaxation about the plans without a victim above top. Where amounts are too large
// for it, the result has no prices and counts as impossible.
func (b *draft) relax(m *model, by measure, top int32, best total) *relaxed {
	x := &relaxed{draft: b, model: b.withoutAbove(m, top), by: by, top: top}
	x.scale = b.weigh(x.model, by)
	known := by.amount(&best)
	if m.huge || known > math.MaxInt64/8/max(1, x.scale) {
		x.scale = 0
		x.Impossible = true
		return x
	}

	// Upper sets the length of the first steps. The least cost of losses is that of victims that all move.
	if costs := b.totals.lossCosts; costs != nil && by == byMoves {
		known = max(1, min(known, resource.MulSat(int64(best.Victims), max(1, costs.Moved))))
	}
	x.Relaxed = b.askRelaxation(x.model, packing.Goal{Most: -1, Upper: known * x.scale})
	return x
}

// askRelaxation asks for a bound, and counts its steps. A loss can weigh a hundred moves, so that rounding may
// hide that prices have settled; the rounds then end where the bound has not risen for long.
func (b *draft) askRelaxation(m *model, goal packing.Goal) packing.Relaxed {
	if b.totals.lossCosts != nil {
		goal.Patience = 60
	}
	meter := b.meter()
	r := packing.Relax(&m.Problem, goal, meter)
	b.steps += meter.Steps
	b.fail(b.ctx.Err())
	return r
}

// meter returns a meter that ends a search by amounts with the steps that are left, or with the context.
func (b *draft) meter() *packing.Meter {
	return &packing.Meter{Limit: max(0, b.limit-b.steps), Stop: func() bool { return b.ctx.Err() != nil }}
}

// atLeast returns a weight that no placement is below, and a number of leavers that none has fewer of, made from
// a bound. If each leaver were as heavy as the heaviest, the bound would take that number of them; and so many
// weigh at least as much as if each were the lightest. After an error nothing is known, and both are 0.
func (x *relaxed) atLeast(bound int64) (weight, leavers int64) {
	lightest, heaviest := int64(math.MaxInt64), int64(1)
	for i := range x.Bins {
		if !x.draft.look(1 + len(x.Bins[i].Leavers)) {
			return 0, 0
		}
		for v := range x.Bins[i].Leavers {
			w := x.Bins[i].Leavers[v].Weight
			lightest, heaviest = min(lightest, w), max(heaviest, w)
		}
	}

	leavers = ceil(bound, heaviest)
	if leavers > 0 {
		bound = max(bound, resource.MulSat(leavers, lightest))
	}
	return bound, leavers
}

// ceil divides and rounds up, to no less than 0.
func ceil(n, by int64) int64 {
	if n <= 0 {
		return 0
	}
	return (n-1)/by + 1
}
