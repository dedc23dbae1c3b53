package filtertest_test

// The rules, as violations name them.
const (
	ruleNamed        = "it has a name, which is not that of a built-in filter, and what it is asked by"
	ruleNoPanic      = "no call panics"
	ruleNil          = "a filter without a say returns a nil state, and no clone is nil"
	ruleReadOnly     = "nothing that is shown is changed"
	ruleSameAnswer   = "the same question gives the same answer"
	ruleStatus       = "a status is Success without reasons, Unschedulable or UnschedulableAndUnresolvable"
	ruleKeptStatus   = "a status that was returned does not change any more"
	ruleCheck        = "Check has no effect on later answers"
	ruleClone        = "a clone answers like its original and changes apart from it"
	ruleRestore      = "adding what was removed restores all answers"
	ruleOrder        = "the order of removals and of additions does not matter"
	ruleFollow       = "following changes equals starting on a snapshot with these changes"
	ruleUnresolvable = "removing pods does not help on a node that is unresolvable"
	ruleAttempt      = "what one attempt does shows in no other"
	ruleConcern      = "pods that do not concern the filter make no difference"
	ruleTracked      = "what is tracked follows the snapshot, and nothing else changes it"
	ruleConcurrency  = "answers are the same when several goroutines ask at once"
	ruleSay          = "the filter turns some pod away from some node"
	ruleNobody       = "a guard allows that nobody is away"
)

// rulesOfFilters are those that a filter may break.
var rulesOfFilters = []string{
	ruleNamed, ruleNoPanic, ruleNil, ruleReadOnly, ruleSameAnswer, ruleStatus, ruleKeptStatus, ruleCheck, ruleClone,
	ruleRestore, ruleOrder, ruleFollow, ruleUnresolvable, ruleAttempt, ruleConcern, ruleTracked, ruleConcurrency, ruleSay,
}
