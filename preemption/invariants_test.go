package preemption_test

import (
	"testing"

	"github.com/outrank-go/outrank/internal/tests/invariants"
	"github.com/outrank-go/outrank/preemption"
)

// What always holds of the rules as the book carries them out. Each test draws small clusters, and judges the answers
// by sums of its own (package invariants). A failure is a sentence, and the cluster as a scenario.
var book = invariants.Decider{Preempt: preemption.Preempt, Explain: preemption.Explain, PreemptGroup: preemption.PreemptGroup}

func TestInvariantNobodyOfEqualOrHigherPriorityLeaves(t *testing.T) {
	book.NobodyOfEqualOrHigherPriorityLeaves(t)
}

func TestInvariantOnlyAPodThatMayPreemptPushesOut(t *testing.T) {
	book.OnlyAPodThatMayPreemptPushesOut(t)
}

func TestInvariantThePodFitsOnceTheVictimsAreGone(t *testing.T) {
	book.ThePodFitsOnceTheVictimsAreGone(t)
}

func TestInvariantNoVictimCouldHaveStayed(t *testing.T) {
	book.NoVictimCouldHaveStayed(t)
}

func TestInvariantBudgetsComeBackFirstThenImportance(t *testing.T) {
	book.BudgetsComeBackFirstThenImportance(t)
}

func TestInvariantABudgetIsBrokenOnlyBeyondWhatItAllows(t *testing.T) {
	book.ABudgetIsBrokenOnlyBeyondWhatItAllows(t)
}

func TestInvariantNoCandidateIsBetterByTheRanks(t *testing.T) {
	book.NoCandidateIsBetterByTheRanks(t)
}

func TestInvariantANodeIsRefusedOnlyIfNobodyCanHelp(t *testing.T) {
	book.ANodeIsRefusedOnlyIfNobodyCanHelp(t)
}

func TestInvariantEachNodeSaysWhyItTurnsThePodDown(t *testing.T) {
	book.EachNodeSaysWhyItTurnsThePodDown(t)
}

func TestInvariantNominatedPodsKeepTheirRoom(t *testing.T) {
	book.NominatedPodsKeepTheirRoom(t)
}

func TestInvariantNothingElseIsTouched(t *testing.T) {
	book.NothingElseIsTouched(t)
}

func TestInvariantTheOrderOfTheInputDecidesOnlyTheLastTie(t *testing.T) {
	book.TheOrderOfTheInputDecidesOnlyTheLastTie(t)
}
