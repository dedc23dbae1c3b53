package filtertest

// The rules that tests tell apart.
const (
	NamedRule        = ruleNamed
	NoPanicRule      = ruleNoPanic
	NilRule          = ruleNil
	ReadOnlyRule     = ruleReadOnly
	SameAnswerRule   = ruleSameAnswer
	StatusRule       = ruleStatus
	KeptStatusRule   = ruleKeptStatus
	CheckRule        = ruleCheck
	CloneRule        = ruleClone
	RestoreRule      = ruleRestore
	OrderRule        = ruleOrder
	FollowRule       = ruleFollow
	UnresolvableRule = ruleUnresolvable
	AttemptRule      = ruleAttempt
	ConcernRule      = ruleConcern
	TrackedRule      = ruleTracked
	ConcurrencyRule  = ruleConcurrency
	SayRule          = ruleSay
	NobodyRule       = ruleNobody
)

// RulesOfFilters are those that a filter may break.
var RulesOfFilters = []string{
	ruleNamed, ruleNoPanic, ruleNil, ruleReadOnly, ruleSameAnswer, ruleStatus, ruleKeptStatus, ruleCheck, ruleClone, ruleRestore, ruleOrder, ruleFollow, ruleUnresolvable, ruleAttempt, ruleConcern, ruleTracked, ruleConcurrency, ruleSay,
}
