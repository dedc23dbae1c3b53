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

// unitGuard is the caller's guard, which follows the units that are away for a group (rules
// 13.6.8 to 13.6.10).
type unitGuard struct {
	name  string
	state preemption.GuardState
	snap  *state.Snapshot
}

// startGuard starts the caller's guard for all pods of the group. Where r.guard stays nil it has nothing
// to say.
func (r *run) startGuard(ctx context.Context, guard *preemption.Guard) error {
	begun, err := guard.Start(slices.Clone(r.pods), r.snap.Within(ctx))
	if err == nil && ctx.Err() != nil {
		return ctx.Err() // what it was shown may have ended with that
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

// change tells of the pods of a unit that leaves (by is -1) or comes back (1).
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

// says returns what the guard says of those that are away.
func (g *unitGuard) says() preemption.Status {
	s := g.state.Check()
	if s.Code == preemption.Success {
		return preemption.Status{}
	}
	return preemption.Status{Code: preemption.Unschedulable, Filter: g.name, Reasons: s.Reasons}
}

// tries tells of a unit that leaves or comes back, unless the guard refuses those that are away
// then: it returns what it says.
func (g *unitGuard) tries(pods []*state.PodState, by int) preemption.Status {
	g.change(pods, by)
	s := g.says()
	if s.Code != preemption.Success {
		g.change(pods, -by)
	}
	return s
}

// letGo reports which of so many units, which are in order, the guard lets go. They are taken
// away one after the other, the least important first, and each stays whose loss the guard
// refuses beside those that are away by then. Those that stay are asked about again, as long as
// that lets any go: each where somebody has left since it was asked about, as the answer is the
// same otherwise. Those that go are away in the end. The status is what the guard says last of
// the least important one that it keeps.
func (g *unitGuard) letGo(ctx context.Context, units int, podsOf func(i int) []*state.PodState) (gone []bool, refusal preemption.Status, err error) {
	gone = make([]bool, units)
	asked := slices.Repeat([]int{-1}, units) // how many were away then
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
			if s := g.tries(podsOf(i), -1); s.Code == preemption.Success {
				gone[i], left = true, left-1
			}
		}
	}
	for i := units - 1; i >= 0; i-- {
		if !gone[i] {
			refusal = g.tries(podsOf(i), -1) // as before: nobody has left since
			gone[i] = refusal.Code == preemption.Success
			break
		}
	}
	return gone, refusal, nil
}

// ruleFor names the rule by which a pod that is away may be taken, beside the others that are: the
// guard's or, without one that names a rule, that of Eligibility.Take.
func (r *run) ruleFor(victim *outrank.Pod) (rule string) {
	if r.guard != nil {
		rule = r.guard.state.Rule(victim)
	}
	if rule == "" {
		rule = r.terms.RuleOf(r.pods[0], victim)
	}
	return rule
}

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

// comesBack puts a unit back as far as the guard is concerned, unless it refuses that the
// others stay away then: it returns what it says.
func (r *run) comesBack(u *possibleVictim) *preemption.Refusal {
	if r.guard == nil {
		return nil
	}
	if s := r.guard.tries(r.podsOf(u), 1); s.Code != preemption.Success {
		return &preemption.Refusal{Guard: s}
	}
	return nil
}
