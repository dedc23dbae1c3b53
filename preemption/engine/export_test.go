package engine

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/exact"
	"github.com/outrank-go/outrank/internal/lookout"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
)

// PreemptGroupRemembering is PreemptGroup with another bound on the answers that are
// remembered.
func PreemptGroupRemembering(e *Evaluator, snap *Snapshot, req GroupRequest, answers int) (*preemption.GroupPlan, error) {
	r, err := e.newGroupRun(context.Background(), snap.of, &req)
	if err != nil {
		return nil, err
	}
	r.mostAnswers = answers
	return r.plan, r.run(context.Background(), req.Refused)
}

// SortedUnits returns the possible victims of a group as they are sorted, and as
// they should be, by name.
func SortedUnits(e *Evaluator, snap *Snapshot, req GroupRequest) (got, want []string, err error) {
	r, err := e.newGroupRun(context.Background(), snap.of, &req)
	if err != nil {
		return nil, nil, err
	}
	units := r.possible()
	byComparison := slices.Clone(units)
	slices.SortFunc(byComparison, r.moreImportant)
	r.sort(units)
	for i := range units {
		got, want = append(got, r.told(&units[i])), append(want, r.told(&byComparison[i]))
	}
	return got, want, nil
}

// told names a unit.
func (r *groupRun) told(u *possibleVictim) string {
	of := groupRun{plan: &preemption.GroupPlan{}, whole: r.whole, snap: r.snap, work: r.work, config: r.config, pods: r.pods}
	of.public(0, u, &preemption.Refusal{})
	return nameOf(of.plan.Victims)
}

// PossibleUnits counts the units that could be victims of a group.
func PossibleUnits(e *Evaluator, snap *Snapshot, req GroupRequest) int {
	r, err := e.newGroupRun(context.Background(), snap.of, &req)
	if err != nil {
		panic(err)
	}
	r.look = lookout.New(context.Background())
	return len(r.possible())
}

// PodsOf lists the pods of victims.
func PodsOf(victims []preemption.Victim) []*outrank.Pod {
	var pods []*outrank.Pod
	for i := range victims {
		pods = append(pods, victims[i].Pod)
	}
	return pods
}

// UnitText names victims that leave together.
func UnitText(unit []preemption.Victim) string { return nameOf(unit) }

// BuiltInFilters returns the names of the descriptors in their order.
func BuiltInFilters() []string {
	var names []string
	for _, f := range filters.BuiltIn {
		names = append(names, f.Name)
	}
	return names
}

// DrawConfig and DrawStatuses draw any configuration and what nodes said elsewhere.
var (
	DrawConfig     = drawConfig
	DrawSchedulers = drawSchedulers
	DrawStatuses   = drawStatuses
)

// SearchHeavily makes searches for exact victims use at once what they otherwise use for
// large nodes only, until the function that it returns is called.
func SearchHeavily() (stop func()) {
	return exact.SearchHeavily()
}

// SetChunk sets how many nodes a worker takes at a time.
func SetChunk(e *Evaluator, chunk int) { e.terms.Chunk = chunk }

// errOf is the error of a call that returns something beside it.
func errOf[T any](_ T, err error) error { return err }

// setBudgets puts a list in the place of all budgets, in its order. Where there are the same in the
// same order, none is taken away.
func setBudgets(s *Snapshot, budgets []*outrank.PodDisruptionBudget) error {
	known := slices.Collect(s.Budgets())
	sameKey := func(a, b *outrank.PodDisruptionBudget) bool { return a.Key() == b.Key() }
	if !slices.EqualFunc(known, budgets, sameKey) {
		for _, b := range known {
			if err := s.RemoveBudget(b.Key()); err != nil {
				return err
			}
		}
	}
	for _, b := range budgets {
		if err := s.PutBudget(b); err != nil {
			return err
		}
	}
	return nil
}

// SetBudgets is setBudgets for tests from outside.
var SetBudgets = setBudgets
