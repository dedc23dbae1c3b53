package filtertest

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank/preemption/clustergen"
)

// Rule is one part of the contract of [preemption.Filter], in the order in which they are
// checked; its String states it:
//
//   - it has a name, which is not that of a built-in filter, and what it is asked by;
//   - no call panics;
//   - a filter without a say about a pod returns a nil state, and no clone is nil;
//   - nothing that is shown is changed: no pod, no node, not the snapshot;
//   - the same question gives the same answer;
//   - a status is Success without reasons, Unschedulable or UnschedulableAndUnresolvable, and
//     one that was returned does not change any more;
//   - Check has no effect on later answers;
//   - a clone answers like its original and changes apart from it;
//   - adding what was removed restores all answers, and the order does not matter;
//   - following changes equals starting on a snapshot with these changes;
//   - removing pods does not help on a node that is unresolvable;
//   - what one attempt does shows in no other;
//   - pods that do not concern the filter make no difference;
//   - what a [preemption.Tracker] knows follows the snapshot;
//   - answers are the same when several goroutines ask at once;
//   - the filter turns some pod away from some node;
//   - a guard allows that nobody is away ([CheckGuard] alone).
type Rule int

// The rules. After a violation of one of the first five nothing else is checked, because
// other answers mean nothing then. ruleConcurrency and ruleSay are checked where no other is
// broken.
const (
	// ruleNamed: it has a name, which is not that of a built-in filter, and what it is
	// asked by: a Node or a Start.
	ruleNamed Rule = iota + 1
	// ruleNoPanic: no call panics.
	ruleNoPanic
	// ruleNil: a filter without a say about a pod returns a nil state, not a
	// nil pointer in one, and no clone is nil.
	ruleNil
	// ruleReadOnly: nothing that is shown is changed: no pod, no node, nothing
	// else of the cluster, and not the snapshot.
	ruleReadOnly
	// ruleSameAnswer: the same question gives the same answer, from one state,
	// from two of one snapshot, and from a snapshot of equal objects.
	ruleSameAnswer
	// ruleStatus: a status has the code Success, without reasons, or
	// Unschedulable or UnschedulableAndUnresolvable.
	ruleStatus
	// ruleKeptStatus: a status that was returned does not change any more.
	ruleKeptStatus
	// ruleCheck: Check has no effect on later answers.
	ruleCheck
	// ruleClone: a clone answers like the state that it was made of, and follows
	// changes as that does; a change of one does not show in the other.
	ruleClone
	// ruleRestore: adding what was removed, in any order, restores all answers.
	ruleRestore
	// ruleOrder: the order of removals and of additions does not matter.
	ruleOrder
	// ruleFollow: a state that was told of changes answers like one that was
	// started on a snapshot with these changes.
	ruleFollow
	// ruleUnresolvable: where a node is unresolvable, removing the pods of lower
	// priority does not make it take the pod.
	ruleUnresolvable
	// ruleAttempt: what one attempt does shows in no other.
	ruleAttempt
	// ruleConcern: whether a pod is there that does not concern the filter
	// (preemption.Filter.Concerns) makes no difference to its answers, and what
	// concerns it does not change. A decision tells it of no other pods.
	ruleConcern
	// ruleTracked: the state of a preemption.Tracker that follows the changes
	// of a snapshot gives the answers of one that is counted anew. No attempt changes
	// it, and a change of a clone of the snapshot does not show in it.
	ruleTracked
	// ruleConcurrency: attempts, and the clones of one state, give the same
	// answers when several goroutines use them at once.
	ruleConcurrency
	// ruleSay: the filter turned at least one pod away, so that the other rules
	// were put to the test.
	ruleSay
	// ruleNobody: a guard allows that nobody is away (CheckGuard alone).
	ruleNobody
)

var ruleTexts = [...]string{
	ruleNamed:        "it has a name, which is not that of a built-in filter, and what it is asked by",
	ruleNoPanic:      "no call panics",
	ruleNil:          "a filter without a say returns a nil state, and no clone is nil",
	ruleReadOnly:     "nothing that is shown is changed",
	ruleSameAnswer:   "the same question gives the same answer",
	ruleStatus:       "a status is Success without reasons, Unschedulable or UnschedulableAndUnresolvable",
	ruleKeptStatus:   "a status that was returned does not change any more",
	ruleCheck:        "Check has no effect on later answers",
	ruleClone:        "a clone answers like its original and changes apart from it",
	ruleRestore:      "adding what was removed restores all answers",
	ruleOrder:        "the order of removals and of additions does not matter",
	ruleFollow:       "following changes equals starting on a snapshot with these changes",
	ruleUnresolvable: "removing pods does not help on a node that is unresolvable",
	ruleAttempt:      "what one attempt does shows in no other",
	ruleConcern:      "pods that do not concern the filter make no difference",
	ruleTracked:      "what is tracked follows the snapshot, and nothing else changes it",
	ruleConcurrency:  "answers are the same when several goroutines ask at once",
	ruleSay:          "the filter turns some pod away from some node",
	ruleNobody:       "a guard allows that nobody is away",
}

// Violation is a rule that a filter broke, in the first and smallest cluster that
// showed it.
type Violation struct {
	Rule Rule
	// Text says what was wrong.
	Text string
	// Shape and Seed generate the cluster, before Options.Prepare. They are
	// zero where no cluster had a part in it.
	Shape clustergen.Shape
	Seed  uint64
	// Calls are the calls that led there, with their results. Calls that several
	// goroutines made at once are not among them.
	Calls []string
}

// String states the rule.
func (r Rule) String() string {
	if r < ruleNamed || r > ruleNobody {
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
