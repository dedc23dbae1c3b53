package engine_test

import (
	"context"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/invariants"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// What always holds of the engine: the same that holds of the book, by the same judges (package invariants). The book
// is not asked.
var fast = invariants.Decider{
	Preempt: func(c *outrank.Cluster, req preemption.Request, config preemption.Config) (*preemption.Plan, error) {
		e, snap, err := indexed(c, config)
		if err != nil {
			return nil, err
		}
		// The same snapshot has been asked by other rules before, of which nothing may be left. What they leave are
		// charges.
		if len(c.Budgets) > 0 {
			if _, err := bySimplifiedRules.Preempt(context.Background(), snap, req); err != nil {
				return nil, err
			}
		}
		return e.Preempt(context.Background(), snap, req)
	},
	Explain: func(c *outrank.Cluster, req preemption.Request, config preemption.Config) (*preemption.Plan, error) {
		e, snap, err := indexed(c, config)
		if err != nil {
			return nil, err
		}
		return e.Explain(context.Background(), snap, req)
	},
	PreemptGroup: func(c *outrank.Cluster, req preemption.GroupRequest, config preemption.Config) (*preemption.GroupPlan, error) {
		e, snap, err := indexed(c, config)
		if err != nil {
			return nil, err
		}
		return e.PreemptGroup(context.Background(), snap, req)
	},
}

// bySimplifiedRules decides by the variant whose budgets count most unlike those of the others.
var bySimplifiedRules = func() *engine.Evaluator {
	e, err := engine.New(preemption.Config{Variant: outrank.VariantSimplified})
	if err != nil {
		panic(err)
	}
	return e
}()

// indexed makes an evaluator, and a snapshot that has seen changes: a budget has left it, and a pod has left it and come
// back.
func indexed(c *outrank.Cluster, config preemption.Config) (*engine.Evaluator, *engine.Snapshot, error) {
	e, err := engine.New(config)
	if err != nil {
		return nil, nil, err
	}

	gone := &outrank.PodDisruptionBudget{Name: "gone", Selector: &outrank.LabelSelector{}}
	before := *c
	before.Budgets = append([]*outrank.PodDisruptionBudget{gone}, c.Budgets...)
	snap, err := engine.NewSnapshot(&before)
	if err != nil {
		return nil, nil, err
	}
	if err := snap.RemoveBudget(gone.Key()); err != nil || len(c.Pods) == 0 {
		return e, snap, err
	}
	if err := snap.RemovePod(c.Pods[0].Key()); err != nil {
		return nil, nil, err
	}
	_, err = snap.PutPod(c.Pods[0])
	return e, snap, err
}

func TestInvariantNobodyOfEqualOrHigherPriorityLeaves(t *testing.T) {
	fast.NobodyOfEqualOrHigherPriorityLeaves(t)
}

func TestInvariantOnlyAPodThatMayPreemptPushesOut(t *testing.T) {
	fast.OnlyAPodThatMayPreemptPushesOut(t)
}

func TestInvariantThePodFitsOnceTheVictimsAreGone(t *testing.T) {
	fast.ThePodFitsOnceTheVictimsAreGone(t)
}

func TestInvariantNoVictimCouldHaveStayed(t *testing.T) {
	fast.NoVictimCouldHaveStayed(t)
}

func TestInvariantBudgetsComeBackFirstThenImportance(t *testing.T) {
	fast.BudgetsComeBackFirstThenImportance(t)
}

func TestInvariantABudgetIsBrokenOnlyBeyondWhatItAllows(t *testing.T) {
	fast.ABudgetIsBrokenOnlyBeyondWhatItAllows(t)
}

func TestInvariantNoCandidateIsBetterByTheRanks(t *testing.T) {
	fast.NoCandidateIsBetterByTheRanks(t)
}

func TestInvariantANodeIsRefusedOnlyIfNobodyCanHelp(t *testing.T) {
	fast.ANodeIsRefusedOnlyIfNobodyCanHelp(t)
}

func TestInvariantEachNodeSaysWhyItTurnsThePodDown(t *testing.T) {
	fast.EachNodeSaysWhyItTurnsThePodDown(t)
}

func TestInvariantNominatedPodsKeepTheirRoom(t *testing.T) {
	fast.NominatedPodsKeepTheirRoom(t)
}

func TestInvariantNothingElseIsTouched(t *testing.T) {
	fast.NothingElseIsTouched(t)
}

func TestInvariantTheOrderOfTheInputDecidesOnlyTheLastTie(t *testing.T) {
	fast.TheOrderOfTheInputDecidesOnlyTheLastTie(t)
}
