package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/across"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Plan is engine.Evaluator.Verify for a plan to preempt. Comments refer to the numbered steps of its
// documentation.
func Plan(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, plan *preemption.Plan) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if plan.Pod != nil {
		if err := verifyPreemptor(snap, plan.Pod); err != nil {
			return err
		}
	}

	// For a plan without a preemptor NewAttempt returns the same error as a decision would.
	if err := dryrun.CheckAlone(snap, plan.Pod); err != nil {
		return err
	}
	a, err := dryrun.NewAttempt(ctx, terms, snap, plan.Pod, plan.Now)
	if err != nil {
		return err
	}
	if terms.Across {
		across.FollowsAsCounted(&a.Plan)
	}

	// Each step relies on what the steps before it have found.
	v := newVerification(a, plan)
	for _, step := range []func() error{v.node, v.eligibility, v.findVictims, v.room, v.accounts} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// verifyPreemptor returns an error if the preemptor runs by now, or another pod has its name (step 1).
func verifyPreemptor(s *state.Snapshot, pod *outrank.Pod) error {
	p, ok := s.PodStates.Of(pod)
	switch {
	case ok && !state.SamePod(p.Pod, pod):
		return fmt.Errorf("pod %s: %w: another pod has its name", pod.Key(), state.ErrStale)
	case ok && p.Running && !(filters.MakesRoomFor(s, pod, p) && p.Pod.ResizeDeferred):
		return fmt.Errorf("pod %s: %w: it runs on node %s", pod.Key(), state.ErrStale, p.Node())
	}
	return nil
}

// verification is the state of verifying one plan to preempt.
type verification struct {
	terms   *dryrun.Terms
	snap    *state.Snapshot
	attempt *dryrun.Attempt
	plan    *preemption.Plan
	// pod is the key of the preemptor, and priority its priority.
	pod      outrank.Key
	priority int32
	// unitsLeave is set if groups leave whole by the rules of the release, and fixed is Plan.Fixed: no active
	// filter looks at other pods.
	unitsLeave, fixed bool
	dry               *dryrun.DryRunner
	budgets           *dryrun.Charger // the charger of dry
	// at is the node of the plan; the step node sets it. victims has the victims by importance; the step
	// findVictims sets it.
	at      *state.NodeState
	victims []*state.PodState
}

// newVerification prepares the verification of a plan with an attempt for its preemptor.
func newVerification(a *dryrun.Attempt, plan *preemption.Plan) *verification {
	dry, asked, asks := dryrun.NewDryRunner(a), &a.Asked, &a.Plan
	return &verification{
		terms: a.Config, snap: a.Snap, attempt: a, plan: plan, pod: a.Pod.Key(), priority: asked.Priority,
		unitsLeave: asked.Rules.VictimUnits, fixed: asks.Fixed, dry: dry, budgets: &dry.Budgets,
	}
}

// fault returns an error about the plan. kind is ErrStale or ErrUnsound.
func (v *verification) fault(kind error, format string, args ...any) error {
	return fmt.Errorf("plan for pod %s on node %s: %w: %s", v.pod, v.plan.Node, kind, fmt.Sprintf(format, args...))
}

// node finds the node, and verifies that it does not take the preemptor and that preemption may help (step
// 2).
func (v *verification) node() error {
	n := v.snap.NodeState(v.plan.Node)
	if n == nil || n.Node == nil {
		return v.fault(state.ErrStale, "there is no such node")
	}
	v.at = n

	// Only a plan without victims, which one variant allows, is for a node that takes the pod (rule 13.2.11).
	switch s := v.dry.Filter(n); s.Code {
	case filters.Success:
		if v.free() {
			return nil
		}
		return v.fault(state.ErrStale, "the node takes the pod as things are")
	case filters.Unschedulable:
		return nil
	default:
		return v.fault(state.ErrUnsound, "preemption does not help: %s", v.attempt.Public(s))
	}
}

// eligibility verifies that the pod may preempt (step 3).
func (v *verification) eligibility() error {
	reason := v.attempt.Eligible(func(node string) (filters.Status, bool) {
		n := v.snap.NodeState(node)
		if n == nil || n.Node == nil {
			return filters.Status{}, false
		}
		return v.dry.Filter(n), true
	})
	if reason != "" {
		return v.fault(state.ErrUnsound, "%s", reason.Message())
	}
	return nil
}

// findVictims finds the victims in the snapshot, and verifies that each may leave (step 4).
func (v *verification) findVictims() error {
	if len(v.plan.Victims) == 0 && !v.free() {
		return v.fault(state.ErrUnsound, "there are no victims")
	}
	// Each victim is named once, still runs where the plan says, and may be evicted.
	for i, victim := range v.plan.Victims {
		if victim.Pod == nil {
			return v.fault(state.ErrUnsound, "victim %d is missing", i)
		}

		p, ok := v.snap.Known(victim.Pod)
		switch {
		case !ok || p.Node() != cmp.Or(victim.Node, v.plan.Node) || !state.SamePod(p.Pod, victim.Pod):
			return v.fault(state.ErrStale, "victim %s does not run there", victim)
		case slices.Contains(v.victims, p):
			return v.fault(state.ErrUnsound, "victim %s is named twice", victim)
		}
		if err := v.mayLeave(victim, p); err != nil {
			return err
		}
		v.victims = append(v.victims, p)
	}

	if v.terms.Across {
		slices.SortFunc(v.victims, v.attempt.MoreImportant)
	} else {
		v.attempt.SortVictims(v.at, v.victims)
	}
	return v.wholeUnits()
}

// mayLeave returns an error if the preemptor may not evict a victim. On a node with units the whole unit of
// the victim is looked at. By [preemption.Across] victims are single pods (rule 23.6).
func (v *verification) mayLeave(victim preemption.Victim, p *state.PodState) error {
	switch {
	case v.attempt.HasUnits(v.at) && !v.terms.Across:
		return v.unitLeaves(p)
	case p.Priority() >= v.priority && !v.terms.OfAnyPriority(p):
		return v.fault(state.ErrUnsound, "victim %s has priority %d, the pod %d", victim, p.Priority(), v.priority)
	case !v.attempt.MayEvict(p):
		return v.fault(state.ErrUnsound, "victim %s must not be evicted", victim)
	}
	return nil
}

// unitLeaves returns an error if the preemptor may not evict the unit of a victim.
func (v *verification) unitLeaves(p *state.PodState) error {
	u := v.attempt.UnitOf(p)
	switch {
	case !slices.ContainsFunc(u.Pods, func(q *state.PodState) bool { return q.At.Name == v.at.Name }):
		return v.fault(state.ErrUnsound, "victim %s does not run there, nor leaves with one that does", p.Pod.Key())
	case u.Priority >= v.priority && !v.terms.UnitOfAnyPriority(u):
		return v.fault(state.ErrUnsound, "victim %s counts with priority %d, the pod has %d", p.Pod.Key(), u.Priority, v.priority)
	case !v.attempt.MayEvictUnit(u):
		return v.fault(state.ErrUnsound, "victim %s must not be evicted", p.Pod.Key())
	}
	return nil
}

// wholeUnits returns an error if a pod is no victim although another pod of its unit is. With an extender
// that is allowed, because it may leave pods out.
func (v *verification) wholeUnits() error {
	if !v.unitsLeave || !v.attempt.HasUnits(v.at) && !v.terms.Across || v.attempt.Extended() {
		return nil
	}
	for _, p := range v.victims {
		for _, q := range v.attempt.UnitOf(p).Pods {
			if !slices.Contains(v.victims, q) {
				return v.fault(state.ErrUnsound, "pod %s has to leave with victim %s", q.Pod.Key(), p.Pod.Key())
			}
		}
	}
	return nil
}

// room verifies that the node takes the preemptor with the victims removed, and does not with any one of them
// back (steps 5 and 6). All pods are back in the end, because filters of the caller keep their state.
func (v *verification) room() error {
	// Victims may be on other nodes: pods of units, which Possible finds, and victims of a plan by Across.
	// Far makes the filters follow them.
	v.dry.Enter(v.at)
	v.dry.Possible()
	v.dry.Far = true
	v.dry.ChangeAll(v.victims, -1)
	defer v.dry.ChangeAll(v.victims, 1)

	if s := v.dry.Check(); s.Code != filters.Success {
		return v.fault(state.ErrUnsound, "with the victims gone there is still: %s", v.attempt.Public(s))
	}
	if s := v.dry.GuardAllows(v.victims); s.Code != filters.Success {
		return v.fault(state.ErrUnsound, "the victims may not leave together: %s", v.attempt.Public(s))
	}

	if !v.noneIsSpare() {
		return nil
	}
	for at := 0; at < len(v.victims); {
		unit := v.unitFrom(at)
		if s := v.dry.Beside(unit); s.Code == filters.Success {
			return v.fault(state.ErrUnsound, "victim %s need not leave", unit[0].Pod.Key())
		}
		at += len(unit)
	}
	return nil
}

// unitFrom returns the victims that leave together with the one at index at, which must be the first of them.
// The victims of a unit are consecutive.
func (v *verification) unitFrom(at int) []*state.PodState {
	to := at + 1
	if v.attempt.HasUnits(v.at) {
		whole := wholeOf(v.snap, v.victims[at])
		for whole != nil && to < len(v.victims) && wholeOf(v.snap, v.victims[to]) == whole {
			to++
		}
	}
	return v.victims[at:to]
}

// wholeOf returns the unit of a pod, nil if the pod leaves by itself.
func wholeOf(snap *state.Snapshot, p *state.PodState) *state.WholeUnit { return snap.Units.Of(p).Whole }

// noneIsSpare reports whether the plan promises that each victim has to leave (step 6).
func (v *verification) noneIsSpare() bool {
	c := v.terms
	if c.Across && (c.Importance != nil || c.Ranks != nil) {
		return false // the best set by these may have a pod that need not leave
	}
	return !c.Exact && !c.Ascending() && c.Chooser == nil && c.Guard == nil && v.fixed && !v.attempt.Extended()
}

// accounts compares the score and the cleared nominations of the plan with those by the snapshot (step 7).
func (v *verification) accounts() error {
	// With an extender the number of violations is the extender's, and cannot be verified.
	plan := v.plan
	violations := plan.Score.Violations
	if !v.attempt.Extended() {
		violations = v.violations()
	}
	if v.terms.Strict && violations > 0 {
		return v.fault(state.ErrUnsound, "%d budget violations, and the policy is strict", violations)
	}

	score := v.attempt.ScoreOf(v.victims, violations)
	if v.terms.ReadsFirst() && !v.attempt.Extended() && !v.terms.Across {
		score.Top = v.firstTop(score.Top)
	}
	if want := v.attempt.Tell(&score); !v.agrees(want) {
		return v.fault(state.ErrStale, "the score is %+v, not %+v", want, v.plan.Score)
	}

	cleared := v.attempt.ClearedNominations(v.at, v.plan.Victims)
	if !slices.EqualFunc(cleared, v.plan.ClearedNominations, func(a, b *outrank.Pod) bool {
		return b != nil && state.SameName(a, b) && state.SamePod(a, b)
	}) {
		return v.fault(state.ErrStale, "the nominations to be cleared are not those that there are")
	}
	return nil
}

// agrees reports whether a score equals the plan's in all figures that are sums over victims. Figures of
// whole candidates are not compared, because the caller would have to compute them again.
func (v *verification) agrees(score preemption.Score) bool {
	candidate := preemption.Candidate{Node: v.plan.Node, Victims: v.plan.Victims, Score: score}
	v.attempt.AddCosts(&candidate)
	return sameSums(candidate.Score, v.plan.Score)
}

// sameSums reports whether two scores have the same sums over victims. Only the costs that s has are
// compared, and starts are not.
func sameSums(s, other preemption.Score) bool {
	if s.Violations != other.Violations || s.TopPriority != other.TopPriority || s.PrioritySum != other.PrioritySum || s.Victims != other.Victims {
		return false
	}
	for name, cost := range s.Own {
		if other.Own[name] != cost {
			return false
		}
	}
	return true
}

// ascending lists the victims in the order in which an ascent takes them: unit by unit, the least important
// first (rule 13.3.1).
func (v *verification) ascending() []*state.PodState {
	var out []*state.PodState
	for at := 0; at < len(v.victims); {
		unit := v.unitFrom(at)
		out = append(slices.Clone(unit), out...)
		at += len(unit)
	}
	return out
}

// firstTop returns the priority of the victim that is found first (rule 13.2.3): that of the first that
// violates a budget, or top if none does.
func (v *verification) firstTop(top int32) int32 {
	defer v.budgets.Reset()
	for at := 0; at < len(v.victims); {
		unit := v.unitFrom(at)
		if slices.ContainsFunc(unit, func(p *state.PodState) bool { return len(v.budgets.Charge(p)) > 0 }) {
			return unit[0].Priority()
		}
		at += len(unit)
	}
	return top
}

// free reports whether the plan has no victims and the variant allows that (rule 13.2.11).
func (v *verification) free() bool {
	return len(v.plan.Victims) == 0 && v.terms.ByVariant().TakesFree
}

// violations charges the budgets as the dry run does, and returns the violations of the victims.
func (v *verification) violations() int {
	// By default all possible victims are charged. A strict policy charges only the victims, because a spared
	// pod takes nothing (rule 13.5.1).
	charged := slices.Clone(v.dry.Chargeable())
	switch {
	case v.terms.Ascending() && !v.terms.ChargesVictims() && !v.terms.Across:
		charged = v.ascending()
	case v.terms.ChargesVictims() || v.terms.Across || v.terms.Strict:
		charged = v.victims
	}

	count := 0
	for _, p := range charged {
		if broken := len(v.budgets.Charge(p)); slices.Contains(v.victims, p) {
			count += v.budgets.Violations(broken)
		}
	}
	v.budgets.Reset()
	return count
}
