package filters

import (
	"math"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// AnswersOf returns the table of a keyed rule's answers about every node, which the snapshot keeps. The table
// is nil if the context has ended.
func AnswersOf(f *preemption.Filter, q *Question) (state.AnswersKey, *state.AnswerTable) {
	key := state.AnswersKey{Rule: f, Key: f.Key(q.Pod)}
	return key, q.Snap.AnswersTo(q.ctx, key, math.MaxInt, func(n *state.NodeState) preemption.Status {
		return ruled(f.Node(q.Pod, n.Node))
	})
}

// ruled returns the part of a caller's status that counts: the code and the reasons. An unknown code counts
// as unresolvable.
func ruled(s preemption.Status) preemption.Status {
	if s.Code == preemption.Success {
		return preemption.Status{}
	}
	return preemption.Status{Code: min(CodeOf(s.Code), UnschedulableAndUnresolvable).Public(), Reasons: s.Reasons}
}

// RuleAttempt is a caller's rule in one attempt. A rule looks at the preemptor and the node alone. A keyed
// rule has table and key, any other has check and pod.
type RuleAttempt struct {
	check func(*outrank.Pod, *outrank.Node) preemption.Status
	pod   *outrank.Pod
	table *state.AnswerTable
	key   state.AnswersKey
}

// Touches is always false: a rule looks at no pods of the node; see [PodFilter].
func (*RuleAttempt) Touches(*state.NodeState) bool { return false }

// OnNode returns the filter for one worker; see [PodFilter].
func (r *RuleAttempt) OnNode(NodeFilter) NodeFilter { return &nodeRuleOnNode{filter: r} }

// nodeRuleOnNode is a RuleAttempt for one worker. It asks the rule once for each node that is entered.
type nodeRuleOnNode struct {
	filter *RuleAttempt
	node   *state.NodeState
	asked  bool
	status preemption.Status
}

func (f *nodeRuleOnNode) Enter(n *state.NodeState) { f.node, f.asked = n, false }

func (*nodeRuleOnNode) Change(*state.PodState, int) {}

func (f *nodeRuleOnNode) Check([]*state.PodState) Status {
	if rule := f.filter; !f.asked {
		f.asked = true
		if rule.table != nil {
			f.status = rule.table.At(f.node.Slot)
		} else {
			f.status = ruled(rule.check(rule.pod, f.node.Node))
		}
	}
	return Status{Code: CodeOf(f.status.Code), Text: f.status.Reasons}
}

func (f *nodeRuleOnNode) Release() { *f = nodeRuleOnNode{} }
