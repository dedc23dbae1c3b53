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

// Plan is engine.Evaluator.Verify for a plan to preempt.
func Plan(ctx context.Context, terms *dryrun.Terms, snap *state.Snapshot, plan *preemption.Plan) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if plan.Pod != nil {
		if err := verifyPreemptor(snap, plan.Pod); err != nil {
			return err
		}
	}
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
	v := verification{terms: terms, snap: snap, attempt: a, plan: plan, pod: plan.Pod.Key(), priority: a.Asked.Priority, dry: dryrun.NewDryRunner(a)}
	v.budgets = &v.dry.Budgets
	for _, step := range []func() error{v.node, v.eligibility, v.findVictims, v.room, v.accounts} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// verifyPreemptor reports a preemptor that runs by now, or is another pod.
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
	dry      *dryrun.DryRunner
	budgets  *dryrun.Charger // of dry
	at       *state.NodeState
	victims  []*state.PodState // by importance
}

// fault returns the error for a plan.
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

// eligibility asks whether the pod may preempt (step 3).
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

// FindVictims finds the victims in the snapshot (step 4).
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
		case v.attempt.HasUnits(v.at) && !v.terms.Across:
			if err := v.unitLeaves(p); err != nil {
				return err
			}
		case p.Priority() >= v.priority && !v.terms.OfAnyPriority(p):
			return v.fault(state.ErrUnsound, "victim %s has priority %d, the pod %d", victim, p.Priority(), v.priority)
		case !v.attempt.MayEvict(p):
			return v.fault(state.ErrUnsound, "victim %s must not be evicted", victim)
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

// unitLeaves says what is wrong about a victim where victims are units.
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

// wholeUnits finds a pod that is no victim though one of its unit is. An extender may
// leave pods out.
func (v *verification) wholeUnits() error {
	if !v.attempt.Asked.Rules.VictimUnits || !v.attempt.HasUnits(v.at) && !v.terms.Across || v.attempt.Extended() {
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
	v.dry.Enter(v.at)
	v.dry.Possible() // where victims are units, their pods on other nodes are followed, too
	v.dry.Far = true // and so are victims of a plan across nodes
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

// unitFrom returns the victims from one on that leave together. They stand one after the
// other.
func (v *verification) unitFrom(at int) []*state.PodState {
	to := at + 1
	if v.attempt.HasUnits(v.at) {
		whole := v.wholeOf(at)
		for whole != nil && to < len(v.victims) && v.wholeOf(to) == whole {
			to++
		}
	}
	return v.victims[at:to]
}

// wholeOf returns what leaves whole with a victim, nil where it leaves by itself.
func (v *verification) wholeOf(at int) *state.WholeUnit { return v.snap.Units.Of(v.victims[at]).Whole }

// noneIsSpare reports whether no victim may be one too many.
func (v *verification) noneIsSpare() bool {
	if v.terms.Across && (v.terms.Importance != nil || v.terms.Ranks != nil) {
		return false // the best set by these may have a pod more than makes room
	}
	c := v.terms
	return !c.Exact && !c.Ascending() && c.Chooser == nil && c.Guard == nil && v.attempt.Plan.Fixed && !v.attempt.Extended()
}

// accounts holds the score and the nominations to what there is (step 7).
func (v *verification) accounts() error {
	violations := v.plan.Score.Violations
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

// agrees reports whether a score is that of the plan, as far as its victims say it: not by the
// figures of whole candidates, which the caller would be asked for again.
func (v *verification) agrees(score preemption.Score) bool {
	candidate := preemption.Candidate{Node: v.plan.Node, Victims: v.plan.Victims, Score: score}
	v.attempt.AddCosts(&candidate)
	return sameSums(candidate.Score, v.plan.Score)
}

// sameSums reports whether two scores have the same sums over victims, the first without other figures.
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

// ascending lists the victims as they are taken without reprieve, unit by unit.
func (v *verification) ascending() []*state.PodState {
	var out []*state.PodState
	for at := 0; at < len(v.victims); {
		unit := v.unitFrom(at)
		out = append(slices.Clone(unit), out...)
		at += len(unit)
	}
	return out
}

// firstTop is the priority of the first victim where those that violate a budget come
// first (rule 13.2.3), and top where none does.
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

// free reports whether the plan is to take a node on which nobody has to leave.
func (v *verification) free() bool {
	return len(v.plan.Victims) == 0 && v.terms.ByVariant().TakesFree
}

// violations charges the budgets as the dry run does, and counts those that the
// victims violate.
func (v *verification) violations() int {
	charged := slices.Clone(v.dry.Chargeable())
	switch {
	case v.terms.Ascending() && !v.terms.ChargesVictims() && !v.terms.Across:
		charged = v.ascending()
	case v.terms.ChargesVictims() || v.terms.Across || v.terms.Strict:
		charged = v.victims // a pod that a strict policy spares takes nothing (rule 13.5.1)
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
