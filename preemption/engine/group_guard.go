package engine

import (
	"context"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// unguarded are the settings for single pods of a group: the guard is asked about the whole.
func unguarded(config *dryrun.Terms) *dryrun.Terms {
	if config.Guard == nil {
		return config
	}
	c := *config
	c.Guard = nil
	return &c
}

// letGo parts the possible victims, which are in order, into those that the guard lets go and
// those that it keeps (rule 13.6.8). The status is what it says of the least important one that
// it keeps.
func (r *groupRun) letGo(ctx context.Context, possible []possibleVictim) (away, kept []possibleVictim, refusal preemption.Status, err error) {
	gone, refusal, err := r.guard.LetGo(ctx, len(possible), func(i int) []*state.PodState { return r.podsOf(&possible[i]) })
	if err != nil {
		return nil, nil, refusal, err
	}
	for i := range possible {
		if gone[i] {
			away = append(away, possible[i])
		} else {
			kept = append(kept, possible[i])
		}
	}
	return away, kept, refusal, nil
}

// comesBack puts a unit back as far as the guard is concerned, unless it refuses that the
// others stay away then: it returns what it says.
func (r *groupRun) comesBack(u *possibleVictim) *preemption.Refusal {
	if r.guard == nil {
		return nil
	}
	if s := r.guard.Tries(r.podsOf(u), 1); s.Code != preemption.Success {
		return &preemption.Refusal{Guard: s}
	}
	return nil
}
