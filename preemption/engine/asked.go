package engine

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// askedFilter is a filter of the caller as the engine asks it.
type askedFilter struct{ Filter }

func (f askedFilter) Start(pod *outrank.Pod, snap *state.Snapshot) (preemption.FilterState, error) {
	return f.Filter.Start(pod, held(snap))
}

// askedSelective is a selective filter of the caller as the engine asks it.
type askedSelective struct{ SelectiveFilter }

func (f askedSelective) Start(pod *outrank.Pod, snap *state.Snapshot) (preemption.FilterState, error) {
	return f.SelectiveFilter.Start(pod, held(snap))
}

func (f askedSelective) Own() state.NamedFilter { return f.SelectiveFilter }

// askedFilters returns filters as the engine asks them; nil for one that is missing.
func askedFilters(fs []Filter) []filters.Filter {
	if fs == nil {
		return nil
	}
	asked := make([]filters.Filter, len(fs))
	for i, f := range fs {
		switch f := f.(type) {
		case nil:
		case ruleFilter:
			asked[i] = f.of
		case SelectiveFilter:
			asked[i] = askedSelective{f}
		default:
			asked[i] = askedFilter{f}
		}
	}
	return asked
}

// keepStates has a snapshot that changes during attempts keep what the filters know of its
// cluster. It returns which pods concern any of them, and whether the snapshot keeps the
// states of all that look at pods.
func keepStates(fs []filters.Filter, snap *state.Snapshot) (concerns []func(*outrank.Pod) bool, all bool) {
	snap.KeepState(nil)
	all = true
	for _, f := range fs {
		switch f := f.(type) {
		case askedFilter:
			all = false
		case askedSelective:
			stateful, ok := f.SelectiveFilter.(StatefulFilter)
			if !ok {
				all = false
				continue
			}
			snap.KeepState(stateful)
			concerns = append(concerns, stateful.Concerns)
		}
	}
	return concerns, all
}

// askedGuard is a guard as the engine asks it.
type askedGuard struct{ Guard }

func (g askedGuard) Start(preemptors []*outrank.Pod, snap *state.Snapshot) (preemption.GuardState, error) {
	return g.Guard.Start(preemptors, held(snap))
}
