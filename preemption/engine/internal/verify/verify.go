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

// Plan is engine.Evaluator.Verify for a plan to preempt. The steps are numbered as there.
func Plan(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, plan *preemption.Plan) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if plan.Pod != nil {
		if err := verifyPreemptor(snap, plan.Pod); err != nil {
			return err
		}
	}

	// A plan without a preemptor has no attempt. The error is that of a decision without one.
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

	v := newVerification(a, plan)
	for _, step := range []func() error{v.node, v.eligibility, v.findVictims, v.room, v.accounts} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// verifyPreemptor returns the error for a preemptor that runs by now, or is another pod (step 1).
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

// verification is one plan to preempt that is verified.
type verification struct {
	terms   *dryrun.Terms
	snap    *state.Snapshot
	attempt *dryrun.Attempt
	plan    *preemption.Plan
	// pod is the preemptor, and priority its own.
	pod      outrank.Key
	priority int32
	// unitsLeave is set if groups leave whole by the rules of the release, and fixed if no filter looks at
	// what other pods are (Plan.Fixed).
	unitsLeave, fixed bool
	dry               *dryrun.DryRunner
	budgets           *dryrun.Charger // of dry
	// at is the node of the plan, once it is found, and victims lists the victims by importance.
	at      *state.NodeState
	victims []*state.PodState
}

// newVerification returns the verification of a plan, with an attempt for its preemptor.
func newVerification(a *dryrun.Attempt, plan *preemption.Plan) *verification {
	dry, asked, asks := dryrun.NewDryRunner(a), &a.Asked, &a.Plan
	return &verification{
		terms: a.Config, snap: a.Snap, attempt: a, plan: plan, pod: a.Pod.Key(), priority: asked.Priority,
		unitsLeave: asked.Rules.VictimUnits, fixed: asks.Fixed, dry: dry, budgets: &dry.Budgets,
	}
}

// fault returns the error that says what is wrong about the plan: ErrStale or ErrUnsound with a text.
func (v *verification) fault(kind error, format string, args ...any) error {
	return fmt.Errorf("plan for pod %s on node %s: %w: %s", v.pod, v.plan.Node, kind, fmt.Sprintf(format, args...))
}

// node finds the node, and asks it as things are (step 2).
func (v *verification) node() error {
	n := v.snap.NodeState(v.plan.Node)
	if n == nil || n.Node == nil {
		return v.fault(state.ErrStale, "there is no such node")
	}
	v.at = n

	// A plan without victims, by the variant that makes such plans, is for a node that takes the pod as things
	// are (rule 13.2.11).
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

// eligibility finds out whether the pod may preempt (step 3).
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

// findVictims finds the victims in the snapshot (step 4).
func (v *verification) findVictims() error {
	if len(v.plan.Victims) == 0 && !v.free() {
		return v.fault(state.ErrUnsound, "there are no victims")
	}
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

// mayLeave returns the error for a victim that the preemptor may not evict. A victim on a node where units
// leave is asked about with its unit. By [preemption.Across] victims are single pods (rule 23.6).
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

// unitLeaves returns the error for a victim whose unit the preemptor may not evict.
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

// wholeUnits returns the error for a pod that is no victim though another pod of its unit is. An extender may
// leave pods out.
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

// room asks the filters with the victims gone, and with each of them back (steps 5
// and 6). The pods are back in the end, for filters with a memory of their own.
func (v *verification) room() error {
	// Pods on other nodes are followed, too: those of units that leave, which Possible finds, and victims of a
	// plan across nodes.
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

// unitFrom returns the victims that leave together with the one at an index, the first of them. The victims
// of a unit stand in a row.
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

// wholeOf returns what leaves whole with a pod, nil if it leaves by itself.
func wholeOf(snap *state.Snapshot, p *state.PodState) *state.WholeUnit { return snap.Units.Of(p).Whole }

// noneIsSpare reports whether the plan promises that each victim has to leave (step 6).
func (v *verification) noneIsSpare() bool {
	c := v.terms
	if c.Across && (c.Importance != nil || c.Ranks != nil) {
		return false // the best set by these may have a pod more than makes room
	}
	return !c.Exact && !c.Ascending() && c.Chooser == nil && c.Guard == nil && v.fixed && !v.attempt.Extended()
}

// accounts holds the score and the nominations of the plan to what the snapshot says (step 7).
func (v *verification) accounts() error {
	// An extender says how many violations there are, and may say anything.
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

// agrees reports whether a score is that of the plan in all figures that add up over victims. The other
// figures are not compared, because the caller would be asked again for those of whole candidates.
func (v *verification) agrees(score preemption.Score) bool {
	candidate := preemption.Candidate{Node: v.plan.Node, Victims: v.plan.Victims, Score: score}
	v.attempt.AddCosts(&candidate)
	return sameSums(candidate.Score, v.plan.Score)
}

// sameSums reports whether two scores have the same sums over victims. Costs are compared as far as the first
// score has any. Starts are not compared.
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

// ascending lists the victims in the order in which they are taken without reprieve: unit by unit, the least
// important first (rule 13.3.1).
func (v *verification) ascending() []*state.PodState {
	var out []*state.PodState
	for at := 0; at < len(v.victims); {
		unit := v.unitFrom(at)
		out = append(slices.Clone(unit), out...)
		at += len(unit)
	}
	return out
}

// firstTop returns the priority of the victim that is found first: the first one that violates a budget
// (rule 13.2.3), or top if none does.
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

// free reports whether the plan takes a node on which nobody has to leave (rule 13.2.11).
func (v *verification) free() bool {
	return len(v.plan.Victims) == 0 && v.terms.ByVariant().TakesFree
}

// violations charges the budgets as the dry run does, and counts those that the
// victims violate.
func (v *verification) violations() int {
	// Usually all possible victims are charged. A pod that a strict policy spares takes nothing (rule 13.5.1).
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
