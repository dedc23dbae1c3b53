package engine

import (
	"context"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/exact"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
)

// PreemptGroupRemembering is PreemptGroup with another bound on the answers that are
// remembered.
func PreemptGroupRemembering(e *Evaluator, snap *Snapshot, req preemption.GroupRequest, answers int) (*preemption.GroupPlan, error) {
	other := *e
	other.terms.Answers = answers
	return other.PreemptGroup(context.Background(), snap, req)
}

// PossibleUnits counts the units that could be victims of a group: what leaves together, of lower priority
// or, where another rule says so, of any but the group itself, and all of whose pods may be taken.
func PossibleUnits(e *Evaluator, snap *Snapshot, req preemption.GroupRequest) int {
	own := func(p *outrank.Pod) string {
		g, ok := snap.Group(p.GroupKey())
		if !ok {
			return "group " + string(p.GroupKey())
		}
		top, levels := "group "+string(g.Key()), outrank.MaxGroupLevels-1
		for c, ok := snap.Composite(g.ParentKey()); ok && levels > 0 && snap.of.Rules.CompositeUnits; c, ok = snap.Composite(c.ParentKey()) {
			top, levels = "composite "+string(c.Key()), levels-1
		}
		return top
	}
	rule := e.Config().Eligibility
	asked := rule.Take != nil || rule.AnyPriority
	allowed := func(p *outrank.Pod) bool {
		if asked && p.Group != "" && own(p) == own(req.Pods[0]) {
			return false
		}
		for _, preemptor := range req.Pods {
			if rule.Take != nil {
				if _, ok := rule.Take(preemptor, p); !ok {
					return false
				}
			}
		}
		return true
	}

	units := map[string]bool{} // whether they may leave
	for n := range snap.Nodes() {
		for _, p := range snap.PodsOn(n.Name) {
			unit := "pod " + string(p.Key())
			switch g, c := snap.LeavesWith(p); {
			case c != nil:
				unit = "composite " + string(c.Key())
			case g != nil:
				unit = "group " + string(g.Key())
			}
			before, seen := units[unit]
			units[unit] = (before || !seen) && allowed(p) && (rule.AnyPriority || snap.CountsAs(p) < req.Pods[0].PriorityValue())
		}
	}
	may := 0
	for _, ok := range units {
		if ok {
			may++
		}
	}
	return may
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
func UnitText(unit []preemption.Victim) string {
	first, size := &unit[0], fmt.Sprintf(" (%d pods)", len(unit))
	switch {
	case first.Composite != nil:
		return string(first.Composite.Key()) + size
	case first.Group != nil:
		return string(first.Group.Key()) + size
	}
	return string(first.Pod.Key())
}

// BuiltInFilters returns the names of the descriptors in their order.
func BuiltInFilters() []string {
	var names []string
	for _, f := range filters.BuiltIn {
		names = append(names, f.Entry.Name)
	}
	return names
}

// DrawConfig and DrawStatuses draw any configuration and what nodes said elsewhere.
var (
	DrawConfig     = drawConfig
	DrawSchedulers = drawSchedulers
	DrawStatuses   = drawStatuses
	DrawImportance = func(t *rapid.T) func(a, b *outrank.Pod) int { return drawImportance(t, 5) }
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
