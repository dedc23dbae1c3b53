package preemption

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank/preemption/internal/dryrun"
)

// unguarded are the settings for single pods of a group: the guard is asked about the whole.
func unguarded(config *dryrun.Settings) *dryrun.Settings {
	if config.Guard == nil {
		return config
	}
	c := *config
	c.Guard = nil
	return &c
}

// beginGuard starts the guard for all pods of the group.
func (r *groupRun) beginGuard() error {
	guard := r.evaluator.config.Guard
	if guard == nil {
		return nil
	}
	begun, err := guard.Start(slices.Clone(r.pods), r.snap)
	switch {
	case err != nil && r.owner.key == "":
		return fmt.Errorf("guard %s: pod %s: %w", guard.Name(), r.pods[0].Key(), err)
	case err != nil:
		return fmt.Errorf("guard %s: podgroup %s: %w", guard.Name(), r.owner.key, err)
	case begun != nil:
		r.guard = &groupGuard{guard.Name(), begun.Clone()}
	}
	return nil
}

// changeGuard tells the guard of a unit that leaves (by is -1) or comes back (1).
func (r *groupRun) changeGuard(u *possibleVictim, by int) {
	for _, p := range r.podsOf(u) {
		n := r.snap.NodeState(p.At.Name).Node
		if by < 0 {
			r.guard.state.Remove(p.Pod, n)
		} else {
			r.guard.state.Add(p.Pod, n)
		}
	}
}

// letGo parts the possible victims, which are in order, into those that the guard lets go and
// those that it keeps. They are taken away one after the other, the least important first,
// and each stays whose loss the guard refuses beside those that are away by then. Those that
// stay are asked about again, as long as that lets somebody go. The status is what the guard
// says last of the least important one that it keeps.
func (r *groupRun) letGo(ctx context.Context, possible []possibleVictim) (away, kept []possibleVictim, refusal Status, err error) {
	gone := make([]bool, len(possible))
	for left, before := len(possible), -1; left > 0 && left != before; {
		before, refusal = left, Status{}
		for i := len(possible) - 1; i >= 0; i-- {
			if i%dryrun.ChunkSize == 0 && ctx.Err() != nil {
				return nil, nil, refusal, ctx.Err()
			}
			if gone[i] {
				continue
			}
			r.changeGuard(&possible[i], -1)
			if s := r.guard.says(); s.Code != Success {
				r.changeGuard(&possible[i], 1)
				if refusal.Code == Success {
					refusal = s
				}
				continue
			}
			gone[i], left = true, left-1
		}
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
func (r *groupRun) comesBack(u *possibleVictim) *Refusal {
	if r.guard == nil {
		return nil
	}
	r.changeGuard(u, 1)
	s := r.guard.says()
	if s.Code == Success {
		return nil
	}
	r.changeGuard(u, -1)
	return &Refusal{Guard: s}
}

// ruleFor names the rule by which a victim may be taken, beside the other victims.
func (r *groupRun) ruleFor(u *possibleVictim) (rule string) {
	first := r.podsOf(u)[0].Pod
	if r.guard != nil {
		rule = r.guard.state.Rule(first)
	}
	if rule == "" {
		rule, _ = r.config.Takes(r.pods[0], first)
	}
	return rule
}
