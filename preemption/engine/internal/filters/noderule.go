package filters

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// NodeRule is preemption.NodeRule.
func NodeRule(name string, check func(pod *outrank.Pod, node *outrank.Node) preemption.Status) Filter {
	return nodeRuleFilter{name, check}
}

// LacksCheck reports whether a filter is a rule without a function.
func LacksCheck(f Filter) bool {
	switch r := f.(type) {
	case nodeRuleFilter:
		return r.check == nil
	case *KeyedRule:
		return r.Check == nil
	}
	return false
}

// startRule starts a rule for those who ask it as any other filter.
func startRule(name string, check func(*outrank.Pod, *outrank.Node) preemption.Status, pod *outrank.Pod) (preemption.FilterState, error) {
	if check == nil {
		return nil, fmt.Errorf("filter %s: check: %w: is nil", name, outrank.ErrInvalid)
	}
	return nodeRuleState{check, pod}, nil
}

type nodeRuleFilter struct {
	name  string
	check func(*outrank.Pod, *outrank.Node) preemption.Status
}

func (r nodeRuleFilter) Name() string { return r.name }

func (r nodeRuleFilter) Start(pod *outrank.Pod, _ *state.Snapshot) (preemption.FilterState, error) {
	return startRule(r.name, r.check, pod)
}

// nodeRuleState is a rule as any other filter, for those who start it themselves.
type nodeRuleState struct {
	rule func(*outrank.Pod, *outrank.Node) preemption.Status
	pod  *outrank.Pod
}

func (s nodeRuleState) Check(n *outrank.Node) preemption.Status { return s.rule(s.pod, n) }
func (nodeRuleState) Remove(*outrank.Pod, *outrank.Node)        {}
func (nodeRuleState) Add(*outrank.Pod, *outrank.Node)           {}
func (s nodeRuleState) Clone() preemption.FilterState           { return s }

// NodeRuleBy is preemption.NodeRuleBy.
func NodeRuleBy(name string, key func(pod *outrank.Pod) string, check func(pod *outrank.Pod, node *outrank.Node) preemption.Status) Filter {
	return &KeyedRule{name, key, check, lastRule.Add(1)}
}

// lastRule numbers the keyed rules of the program, so that what is kept of one is
// never taken for another's.
var lastRule atomic.Uint64

// KeyedRule is a rule whose answers a snapshot keeps.
type KeyedRule struct {
	name  string
	key   func(*outrank.Pod) string
	Check func(*outrank.Pod, *outrank.Node) preemption.Status
	id    uint64
}

// Name is the name that the rule was made with.
func (r *KeyedRule) Name() string { return r.name }

// Start begins an attempt for those who ask the rule as any other filter.
func (r *KeyedRule) Start(pod *outrank.Pod, _ *state.Snapshot) (preemption.FilterState, error) {
	return startRule(r.name, r.Check, pod)
}

// Answers returns what the rule says about every node.
func (r *KeyedRule) Answers(q *Question) (state.AnswersKey, *state.AnswerTable) {
	key := state.AnswersKey{Rule: r.id}
	if r.key != nil {
		key.Key = r.key(q.Pod)
	}
	return key, q.Snap.AnswersTo(q.ctx, key, math.MaxInt, func(n *state.NodeState) preemption.Status {
		return ruled(r.Check(q.Pod, n.Node))
	})
}

// ruled returns what counts of a status that a function of the caller returned.
func ruled(s preemption.Status) preemption.Status {
	if s.Code == preemption.Success {
		return preemption.Status{}
	}
	return preemption.Status{Code: min(CodeOf(s.Code), UnschedulableAndUnresolvable).Public(), Reasons: s.Reasons}
}

// RuleAttempt is a rule in one attempt that looks at no pods but the preemptor. If table
// is not nil, it has the answers.
type RuleAttempt struct {
	check func(*outrank.Pod, *outrank.Node) preemption.Status
	pod   *outrank.Pod
	table *state.AnswerTable
	key   state.AnswersKey
}

// Touches reports whether pods of the node have a part in the answer; see [PodFilter].
func (*RuleAttempt) Touches(*state.NodeState) bool { return false }

// OnNode returns the filter for one worker; see [PodFilter].
func (r *RuleAttempt) OnNode(NodeFilter) NodeFilter { return &nodeRuleOnNode{filter: r} }

// nodeRuleOnNode is a RuleAttempt on one node after another. It asks once about each.
type nodeRuleOnNode struct {
	filter *RuleAttempt
	node   *state.NodeState
	asked  bool
	status preemption.Status
}

func (f *nodeRuleOnNode) Enter(n *state.NodeState) { f.node, f.asked = n, false }

func (*nodeRuleOnNode) Change(*state.PodState, int) {}

func (f *nodeRuleOnNode) Check([]*state.PodState) Status {
	if !f.asked {
		f.asked = true
		if f.filter.table != nil {
			f.status = f.filter.table.At(f.node.Slot)
		} else {
			f.status = ruled(f.filter.check(f.filter.pod, f.node.Node))
		}
	}
	return Status{Code: CodeOf(f.status.Code), Text: f.status.Reasons}
}

func (f *nodeRuleOnNode) Release() { *f = nodeRuleOnNode{} }
