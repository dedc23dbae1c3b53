package groups

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// unitGuard is the caller's guard for a group. It follows which units are removed (rules 13.6.8 to 13.6.10).
type unitGuard struct {
	name  string
	state preemption.GuardState
	snap  *state.Snapshot
}

// startGuard starts the caller's guard for all pods of the group. r.guard stays nil if the guard has
// nothing to say.
func (r *run) startGuard(ctx context.Context, guard *preemption.Guard) error {
	begun, err := guard.Start(slices.Clone(r.pods), r.snap.Within(ctx))
	if err == nil && ctx.Err() != nil {
		return ctx.Err() // the view that the guard was given may have ended with the context
	}
	switch {
	case err != nil && r.owner.key == "":
		return fmt.Errorf("guard %s: pod %s: %w", guard.Name, r.pods[0].Key(), err)
	case err != nil:
		return fmt.Errorf("guard %s: podgroup %s: %w", guard.Name, r.owner.key, err)
	case begun != nil:
		r.guard = &unitGuard{guard.Name, begun.Clone(), r.snap}
	}
	return nil
}

// change informs the guard that pods leave (by is -1) or come back (1).
func (g *unitGuard) change(pods []*state.PodState, by int) {
	for _, p := range pods {
		n := g.snap.NodeState(p.At.Name).Node
		if by < 0 {
			g.state.Remove(p.Pod, n)
		} else {
			g.state.Add(p.Pod, n)
		}
	}
}

// status asks the guard whether the removed pods may be gone together.
func (g *unitGuard) status() preemption.Status {
	s := g.state.Check()
	if s.Code == preemption.Success {
		return preemption.Status{}
	}
	return preemption.Status{Code: preemption.Unschedulable, Filter: g.name, Reasons: s.Reasons}
}

// try lets pods leave (by is -1) or come back (1), and returns the guard's status. If the guard refuses, it
// undoes the change.
func (g *unitGuard) try(pods []*state.PodState, by int) preemption.Status {
	g.change(pods, by)
	s := g.status()
	if s.Code != preemption.Success {
		g.change(pods, -by)
	}
	return s
}

// letGo finds the units that the guard lets go, out of this many units in order of importance. They are
// removed one after another, the least important first. A unit stays if the guard refuses its loss beside
// those already removed. The units that stay are tried again until none of them can go. The units in gone are
// removed for the guard afterwards. refusal is the guard's status for the least important unit that stays.
func (g *unitGuard) letGo(ctx context.Context, units int, podsOf func(i int) []*state.PodState) (gone []bool, refusal preemption.Status, err error) {
	gone = make([]bool, units)

	// asked has, for each unit, how many units were removed when the guard was last asked about it. While
	// that number is the same, so is the answer.
	asked := slices.Repeat([]int{-1}, units)
	// A pass that lets no unit go ends the loop: the next would ask the same questions.
	for left, before := units, -1; left > 0 && left != before; {
		before = left
		for i := units - 1; i >= 0; i-- {
			if i%dryrun.ChunkSize == 0 && ctx.Err() != nil {
				return nil, refusal, ctx.Err()
			}
			if gone[i] || asked[i] == units-left {
				continue
			}
			asked[i] = units - left
			if s := g.try(podsOf(i), -1); s.Code == preemption.Success {
				gone[i], left = true, left-1
			}
		}
	}

	// The guard is asked once more about the least important unit that stays, for its reasons.
	for i := units - 1; i >= 0; i-- {
		if !gone[i] {
			refusal = g.try(podsOf(i), -1)
			gone[i] = refusal.Code == preemption.Success
			break
		}
	}
	return gone, refusal, nil
}

// ruleFor returns the name of the rule by which a pod leaves together with the other removed pods: the
// guard's rule or, if the guard names none, that of Eligibility.Take.
func (r *run) ruleFor(victim *outrank.Pod) (rule string) {
	if r.guard != nil {
		rule = r.guard.state.Rule(victim)
	}
	if rule == "" {
		rule = r.terms.RuleOf(r.pods[0], victim)
	}
	return rule
}

// unguarded returns the terms for single pods of a group: without a guard, which is asked about the whole
// group.
func unguarded(config *dryrun.Terms) *dryrun.Terms {
	if config.Guard == nil {
		return config
	}
	c := *config
	c.Guard = nil
	return &c
}

// letGo splits the sorted possible victims into those that the guard lets go (away) and those that it keeps
// (rule 13.6.8). refusal is the guard's status for the least important one that it keeps.
func (r *run) letGo(ctx context.Context, possible []possibleVictim) (away, kept []possibleVictim, refusal preemption.Status, err error) {
	gone, refusal, err := r.guard.letGo(ctx, len(possible), func(i int) []*state.PodState { return r.podsOf(&possible[i]) })
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

// returnToGuard informs the guard that a unit comes back. If the guard then does not allow the remaining
// units to be gone, the unit stays removed, and the refusal is returned.
func (r *run) returnToGuard(u *possibleVictim) *preemption.Refusal {
	if r.guard == nil {
		return nil
	}
	if s := r.guard.try(r.podsOf(u), 1); s.Code != preemption.Success {
		return &preemption.Refusal{Guard: s}
	}
	return nil
}
