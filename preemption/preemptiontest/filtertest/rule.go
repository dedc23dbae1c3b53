package filtertest

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// The rules. After a violation of one of the first five nothing else is checked, because
// other answers mean nothing then. ruleConcurrency and ruleSay are checked only if no other rule is
// broken.
const (
	// ruleNamed: the filter has a name, which no built-in filter has, and a function by which it is
	// asked: Node or Start.
	ruleNamed = "it has a name, which is not that of a built-in filter, and what it is asked by"
	// ruleNoPanic: no call panics.
	ruleNoPanic = "no call panics"
	// ruleNil: a filter that skips a pod returns a nil state, and not an interface with a
	// nil pointer in it; no clone is nil.
	ruleNil = "a filter without a say returns a nil state, and no clone is nil"
	// ruleReadOnly: the filter changes nothing that it is given: no pod, no node, nothing
	// else of the cluster, and not the snapshot.
	ruleReadOnly = "nothing that is shown is changed"
	// ruleSameAnswer: the same question gives the same answer, whether it is asked of one state twice,
	// of two states of one snapshot, or of a state of a snapshot with equal objects.
	ruleSameAnswer = "the same question gives the same answer"
	// ruleStatus: a status has the code Success, without reasons, or Unschedulable or
	// UnschedulableAndUnresolvable.
	ruleStatus = "a status is Success without reasons, Unschedulable or UnschedulableAndUnresolvable"
	// ruleKeptStatus: a status that was returned does not change any more.
	ruleKeptStatus = "a status that was returned does not change any more"
	// ruleCheck: Check has no effect on later answers.
	ruleCheck = "Check has no effect on later answers"
	// ruleClone: a clone answers like its original, and follows changes like its original; a change of one does
	// not show in the other.
	ruleClone = "a clone answers like its original and changes apart from it"
	// ruleRestore: adding what was removed, in any order, restores all answers.
	ruleRestore = "adding what was removed restores all answers"
	// ruleOrder: the order of removals and of additions does not matter.
	ruleOrder = "the order of removals and of additions does not matter"
	// ruleFollow: a state that was told of changes answers like a state that was started on a snapshot with
	// these changes.
	ruleFollow = "following changes equals starting on a snapshot with these changes"
	// ruleUnresolvable: if the answer about a node is UnschedulableAndUnresolvable, removing the pods of
	// lower priority does not make the node take the pod.
	ruleUnresolvable = "removing pods does not help on a node that is unresolvable"
	// ruleAttempt: an attempt has no effect on the answers of another attempt.
	ruleAttempt = "what one attempt does shows in no other"
	// ruleConcern: a pod that does not concern the filter (preemption.Filter.Concerns) makes no
	// difference to its answers, and whether a pod concerns it never changes. A decision tells the filter
	// only of pods that concern it.
	ruleConcern = "pods that do not concern the filter make no difference"
	// ruleTracked: the state of a preemption.Tracker that follows the changes of a snapshot gives the same
	// answers as a state that is counted anew. No attempt changes it, and a change of a clone of the snapshot
	// does not show in it.
	ruleTracked = "what is tracked follows the snapshot, and nothing else changes it"
	// ruleConcurrency: attempts, and the clones of one state, give the same answers when several goroutines use
	// them at once.
	ruleConcurrency = "answers are the same when several goroutines ask at once"
	// ruleSay: the filter turned at least one pod away, so that the other rules were put to the test.
	ruleSay = "the filter turns some pod away from some node"
	// ruleNobody: a guard allows that nobody leaves (only CheckGuard checks it).
	ruleNobody = "a guard allows that nobody is away"
)

// first are the rules after a violation of which nothing else is checked.
var first = []string{ruleNamed, ruleNoPanic, ruleNil, ruleReadOnly, ruleSameAnswer}

// Violation is a rule that a filter broke, in the first and smallest cluster that showed it.
type Violation struct {
	// Rule is the broken rule, in the words of the list at Check.
	Rule string
	// Text says how the filter broke it.
	Text string
	// Shape and Seed generate the cluster, before Options.Prepare. They are zero if no cluster was needed to
	// find the violation.
	Shape clustergen.Shape
	Seed  uint64
	// Calls are the calls that led there, with their results. Calls that several
	// goroutines made at once are not among them.
	Calls []string
}

// text returns the message about the violation: the rule, the calls, each on a line of its own, and Text.
func (v *Violation) text() string {
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
