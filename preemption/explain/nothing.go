package explain

import (
	"slices"

	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption"
)

// nothing says what is missing for a pod that nothing helps.
func (f *finder) nothing(b *bench, groups []NodeGroup, ex *preemption.Plan) (*Nothing, error) {
	out := &Nothing{}
	if f.nearest != nil {
		out.Nearest = &f.nearest.Nearest
	}

	// No priority helps if the pod was refused before any node was asked, or if preemption is switched off.
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

	// Evictions by hand are the last resort. They are not searched if a user's priority class may help, or if it is
	// not known whether one does.
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

// fewerVictimsMightDo reports whether a node might take the pod if fewer pods left. That is possible if the node
// rejects the pod with all possible victims gone, for example because the pod has affinity to one of them. It is not
// possible if room is short then, because fewer victims free less of it.
func fewerVictimsMightDo(groups []NodeGroup) bool {
	return slices.ContainsFunc(groups, func(g NodeGroup) bool {
		return g.Stage == InVain && g.After != nil && g.After.Nobody == nil && g.After.Filter != filter.NodeResourcesFit
	})
}
