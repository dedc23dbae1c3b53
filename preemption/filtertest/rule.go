package filtertest

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank/preemption/clustergen"
)

// Rule is one part of the contract of [preemption.Filter].
type Rule int

// The rules, in the order in which they are checked. After a violation of one of
// the first five nothing else is checked, because other answers mean nothing
// then. ConcurrencyRule and SayRule are checked where no other is broken.
const (
	// NamedRule: the name is not empty, not that of a built-in filter, and
	// always the same.
	NamedRule Rule = iota + 1
	// NoPanicRule: no call panics.
	NoPanicRule
	// NilRule: a filter without a say about a pod returns a nil state, not a
	// nil pointer in one, and no clone is nil.
	NilRule
	// ReadOnlyRule: nothing that is shown is changed: no pod, no node, nothing
	// else of the cluster, and not the snapshot.
	ReadOnlyRule
	// SameAnswerRule: the same question gives the same answer, from one state,
	// from two of one snapshot, and from a snapshot of equal objects.
	SameAnswerRule
	// StatusRule: a status has the code Success, without reasons, or
	// Unschedulable or UnschedulableAndUnresolvable.
	StatusRule
	// KeptStatusRule: a status that was returned does not change any more.
	KeptStatusRule
	// CheckRule: Check has no effect on later answers.
	CheckRule
	// CloneRule: a clone answers like the state that it was made of, and follows
	// changes as that does; a change of one does not show in the other.
	CloneRule
	// RestoreRule: adding what was removed, in any order, restores all answers.
	RestoreRule
	// OrderRule: the order of removals and of additions does not matter.
	OrderRule
	// FollowRule: a state that was told of changes answers like one that was
	// started on a snapshot with these changes.
	FollowRule
	// UnresolvableRule: where a node is unresolvable, removing the pods of lower
	// priority does not make it take the pod.
	UnresolvableRule
	// AttemptRule: what one attempt does shows in no other.
	AttemptRule
	// ConcernRule: whether a pod is there that does not concern a
	// [preemption.SelectiveFilter] makes no difference to its answers, and what
	// concerns it does not change. A decision tells such a filter of no other pods.
	ConcernRule
	// AttachedRule: the state of a [preemption.StatefulFilter] that follows the changes
	// of a snapshot gives the answers of one that is counted anew. No attempt changes
	// it, and a change of a clone of the snapshot does not show in it.
	AttachedRule
	// ConcurrencyRule: attempts, and the clones of one state, give the same
	// answers when several goroutines use them at once.
	ConcurrencyRule
	// SayRule: the filter turned at least one pod away, so that the other rules
	// were put to the test.
	SayRule
	// NobodyRule: a guard allows that nobody is away ([CheckGuard] alone).
	NobodyRule
)

var ruleTexts = [...]string{
	NamedRule:        "the name is not empty, not that of a built-in filter, and always the same",
	NoPanicRule:      "no call panics",
	NilRule:          "a filter without a say returns a nil state, and no clone is nil",
	ReadOnlyRule:     "nothing that is shown is changed",
	SameAnswerRule:   "the same question gives the same answer",
	StatusRule:       "a status is Success without reasons, Unschedulable or UnschedulableAndUnresolvable",
	KeptStatusRule:   "a status that was returned does not change any more",
	CheckRule:        "Check has no effect on later answers",
	CloneRule:        "a clone answers like its original and changes apart from it",
	RestoreRule:      "adding what was removed restores all answers",
	OrderRule:        "the order of removals and of additions does not matter",
	FollowRule:       "following changes equals starting on a snapshot with these changes",
	UnresolvableRule: "removing pods does not help on a node that is unresolvable",
	AttemptRule:      "what one attempt does shows in no other",
	ConcernRule:      "pods that do not concern the filter make no difference",
	AttachedRule:     "an attached state follows the snapshot, and nothing else changes it",
	ConcurrencyRule:  "answers are the same when several goroutines ask at once",
	SayRule:          "the filter turns some pod away from some node",
	NobodyRule:       "a guard allows that nobody is away",
}

// Violation is a rule that a filter broke, in the first and smallest cluster that
// showed it.
type Violation struct {
	Rule Rule
	// Text says what was wrong.
	Text string
	// Shape and Seed generate the cluster, before [Options.Prepare]. They are
	// zero where no cluster had a part in it.
	Shape clustergen.Shape
	Seed  uint64
	// Calls are the calls that led there, with their results. Calls that several
	// goroutines made at once are not among them.
	Calls []string
}

// String states the rule.
func (r Rule) String() string {
	if r < NamedRule || r > NobodyRule {
		return "unknown rule"
	}
	return ruleTexts[r]
}

// String states the rule, the calls, each on a line of its own, and what was
// wrong.
func (v *Violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "broken rule: %s\n", v.Rule)
	if v.Shape != (clustergen.Shape{}) {
		fmt.Fprintf(&b, "\tcluster: seed %d, Nodes %d, PodsPerNode %d\n", v.Seed, v.Shape.Nodes, v.Shape.PodsPerNode)
	}
	for _, call := range v.Calls {
		fmt.Fprintf(&b, "\t%s\n", call)
	}
	fmt.Fprintf(&b, "\t%s", v.Text)
	return b.String()
}
