package explain

import (
	"slices"

	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption"
)

// nothing says what is missing where nothing helps.
func (f *finder) nothing(b *bench, groups []NodeGroup, ex *preemption.Plan) (*Nothing, error) {
	out := &Nothing{}
	if f.nearest != nil {
		out.Nearest = &f.nearest.Nearest
	}

	// Another priority neither brings a pod past what refused it before any node nor switches preemption on.
	if ex.Refused.Code != preemption.Success || f.disabled() {
		return out, nil
	}
	if err := f.levels(b, out, fewerVictimsMightDo(groups)); err != nil {
		return nil, err
	}
	if out.Hopeless {
		var err error
		if out.Alone, err = f.nearestAtTheTop(b.ctx, b.e, b.req); err != nil {
			return nil, err
		}
	}

	// An eviction by hand is the last resort: not while a user's class may do, or while it is not known
	// whether one does.
	if out.SearchedTo != nil || out.Enough != nil && !out.Enough.beyondUsers() {
		return out, nil
	}
	return out, f.byHand(b, out, groups)
}

// byHand looks for evictions by hand that make room, or finds that there are none.
func (f *finder) byHand(b *bench, out *Nothing, groups []NodeGroup) (err error) {
	if out.Hopeless {
		if out.NoEviction, err = b.hopeless(); err != nil || out.NoEviction {
			return err
		}
	}
	out.Eviction, err = b.eviction(groups)
	return err
}

// fewerVictimsMightDo reports whether a node might take the pod if fewer pods left. That may be where a
// node turns the pod down with all its possible victims gone, as when they took away what the pod wants to
// be near. It is not so where room is short: fewer victims leave less of it.
func fewerVictimsMightDo(groups []NodeGroup) bool {
	return slices.ContainsFunc(groups, func(g NodeGroup) bool {
		return g.Stage == InVain && g.After != nil && g.After.Nobody == nil && g.After.Filter != filter.NodeResourcesFit
	})
}
