package joint

import (
	"math"

	"github.com/outrank-go/outrank/internal/packing"
	"github.com/outrank-go/outrank/resource"
)

// relaxed is the answer of the relaxation about one rank that adds up, with any number of violations.
type relaxed struct {
	packing.Relaxed
	draft *draft
	*model
	by    measure
	top   int32 // no leaver of the model has a higher priority
	scale int64 // the weight of one unit of the rank, 0 if amounts were too large to be weighed
}

// relax asks the relaxation about the plans without a victim above top. If amounts are too large for it, the result
// has no prices and is marked as impossible.
func (b *draft) relax(m *model, by measure, top int32, best total) *relaxed {
	x := &relaxed{draft: b, model: b.withoutAbove(m, top), by: by, top: top}
	x.scale = b.weigh(x.model, by)
	known := by.amount(&best)
	if m.huge || known > math.MaxInt64/8/max(1, x.scale) {
		x.scale = 0
		x.Impossible = true
		return x
	}

	// Upper sets the length of the first steps, so an estimate is enough. With moves it is that all victims move.
	if costs := b.totals.lossCosts; costs != nil && by == byMoves {
		known = max(1, min(known, resource.MulSat(int64(best.Victims), max(1, costs.Moved))))
	}
	x.Relaxed = b.askRelaxation(x.model, packing.Goal{Most: -1, Upper: known * x.scale})
	return x
}

// askRelaxation asks the relaxation for a bound, and counts its steps. With moves one loss can weigh as much as a
// hundred moved victims, and rounding may hide that the prices have converged. The relaxation then ends once the
// bound has not risen for 60 rounds.
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

// meter returns a meter that ends a packing search when the remaining steps are used up or the context ends.
func (b *draft) meter() *packing.Meter {
	return &packing.Meter{Limit: max(0, b.limit-b.steps), Stop: func() bool { return b.ctx.Err() != nil }}
}

// atLeast turns a bound into a least weight and a least number of leavers of any placement. It takes bound/heaviest
// leavers, rounded up, to reach the bound, and that number weighs at least as much as if each were the lightest.
// After an error nothing is known, and both are 0.
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

// ceil returns n/by rounded up, and 0 if n is negative.
func ceil(n, by int64) int64 {
	if n <= 0 {
		return 0
	}
	return (n-1)/by + 1
}
