package dryrun

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// UnitGuard is the caller's guard, which follows the units that are away for a group (rules
// 13.6.8 to 13.6.10).
type UnitGuard struct {
	name  string
	state preemption.GuardState
	snap  *state.Snapshot
}

// GuardUnits starts the guard for all pods of a group, which errors call by its key. It is nil
// where no guard has anything to say.
func (c *Terms) GuardUnits(ctx context.Context, snap *state.Snapshot, pods []*outrank.Pod, group outrank.Key) (*UnitGuard, error) {
	if c.Guard == nil {
		return nil, nil
	}
	begun, err := c.Guard.Start(slices.Clone(pods), snap.Within(ctx))
	if err == nil && ctx.Err() != nil {
		return nil, ctx.Err() // what it was shown may have ended with that
	}
	switch {
	case err != nil && group == "":
		return nil, fmt.Errorf("guard %s: pod %s: %w", c.Guard.Name, pods[0].Key(), err)
	case err != nil:
		return nil, fmt.Errorf("guard %s: podgroup %s: %w", c.Guard.Name, group, err)
	case begun == nil:
		return nil, nil
	}
	return &UnitGuard{c.Guard.Name, begun.Clone(), snap}, nil
}

// Change tells of the pods of a unit that leaves (by is -1) or comes back (1).
func (g *UnitGuard) Change(pods []*state.PodState, by int) {
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
func (g *UnitGuard) says() preemption.Status {
	s := g.state.Check()
	if s.Code == preemption.Success {
		return preemption.Status{}
	}
	return preemption.Status{Code: preemption.Unschedulable, Filter: g.name, Reasons: s.Reasons}
}

// Tries tells of a unit that leaves or comes back, unless the guard refuses those that are away
// then: it returns what it says.
func (g *UnitGuard) Tries(pods []*state.PodState, by int) preemption.Status {
	g.Change(pods, by)
	s := g.says()
	if s.Code != preemption.Success {
		g.Change(pods, -by)
	}
	return s
}

// LetGo reports which of so many units, which are in order, the guard lets go. They are taken
// away one after the other, the least important first, and each stays whose loss the guard
// refuses beside those that are away by then. Those that stay are asked about again, as long as
// that lets any go: each where somebody has left since it was asked about, as the answer is the
// same otherwise. Those that go are away in the end. The status is what the guard says last of
// the least important one that it keeps.
func (g *UnitGuard) LetGo(ctx context.Context, units int, podsOf func(i int) []*state.PodState) (gone []bool, refusal preemption.Status, err error) {
	gone = make([]bool, units)
	asked := slices.Repeat([]int{-1}, units) // how many were away then
	for left, before := units, -1; left > 0 && left != before; {
		before = left
		for i := units - 1; i >= 0; i-- {
			if i%ChunkSize == 0 && ctx.Err() != nil {
				return nil, refusal, ctx.Err()
			}
			if gone[i] || asked[i] == units-left {
				continue
			}
			asked[i] = units - left
			if s := g.Tries(podsOf(i), -1); s.Code == preemption.Success {
				gone[i], left = true, left-1
			}
		}
	}
	for i := units - 1; i >= 0; i-- {
		if !gone[i] {
			refusal = g.Tries(podsOf(i), -1) // as before: nobody has left since
			gone[i] = refusal.Code == preemption.Success
			break
		}
	}
	return gone, refusal, nil
}

// RuleFor names the rule by which a pod that is away may be taken, beside the others that are:
// the guard's, which may be nil, or that of Eligibility.Take.
func (c *Terms) RuleFor(preemptor, victim *outrank.Pod, g *UnitGuard) (rule string) {
	if g != nil {
		rule = g.state.Rule(victim)
	}
	if rule == "" {
		rule = c.RuleOf(preemptor, victim)
	}
	return rule
}

// GroupEligible returns whether a group may preempt whose pods have a policy and are nominated
// to nodes (rules 12.9.6 and 12.9.7; preemptorEligibleToPreemptOthers). Unlike for a single
// pod, the answer of a nominated node does not matter.
func (c *Terms) GroupEligible(policy outrank.PreemptionPolicy, nominated map[string]bool, possible iter.Seq[*state.PodState]) preemption.Ineligibility {
	variant := c.ByVariant()
	switch {
	case c.Disabled:
		return preemption.Disabled
	case policy == outrank.PreemptNever && !variant.IgnoresNever:
		return preemption.PolicyNever
	case len(nominated) == 0:
		return ""
	case variant.waits == waitsWhileNominated:
		return preemption.Nominated
	}
	for p := range possible {
		leaves := leavesByPreemption(p) || variant.waits == waitsForTerminating && p.Pod.Terminating()
		if leaves && nominated[p.Node()] {
			return preemption.VictimsTerminating
		}
	}
	return ""
}

// UnitCharger returns a charger for units: each pod is charged up to the first budget that it
// violates (rule 12.9.10).
func UnitCharger(budgets *state.BudgetSet) *Charger {
	return &Charger{Budgets: budgets, Ledger: budgets.Ledger(false), ToFirst: true}
}
