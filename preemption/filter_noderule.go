package preemption

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// NodeRule makes a filter of a function that looks at the pod and the node alone.
// The same pod and node always have to get the same answer. A decision asks it once
// about a node, or not at all: about a node that is short of resources with all pods
// of lower priority removed, too, its answer does not matter. Once more it is asked
// about the nodes whose victims are worked out. Several goroutines may call the
// function at once. [NodeRuleBy] makes one whose answers are kept. A filter without a
// function is one that [Config.Validate] refuses, and that does not start.
func NodeRule(name string, check func(pod *outrank.Pod, node *outrank.Node) decision.Status) Filter {
	return nodeRuleFilter{name, check}
}

// lacksCheck reports whether a filter is a rule without a function.
func lacksCheck(f Filter) bool {
	switch r := f.(type) {
	case nodeRuleFilter:
		return r.check == nil
	case *keyedRule:
		return r.check == nil
	}
	return false
}

// startRule starts a rule for those who ask it as any other filter.
func startRule(name string, check func(*outrank.Pod, *outrank.Node) decision.Status, pod *outrank.Pod) (FilterState, error) {
	if check == nil {
		return nil, fmt.Errorf("filter %s: check: %w: is nil", name, outrank.ErrInvalid)
	}
	return nodeRuleState{check, pod}, nil
}

type nodeRuleFilter struct {
	name  string
	check func(*outrank.Pod, *outrank.Node) decision.Status
}

func (r nodeRuleFilter) Name() string { return r.name }

func (r nodeRuleFilter) Start(pod *outrank.Pod, _ *state.Snapshot) (FilterState, error) {
	return startRule(r.name, r.check, pod)
}

// nodeRuleState is a rule as any other filter, for those who start it themselves.
type nodeRuleState struct {
	rule func(*outrank.Pod, *outrank.Node) decision.Status
	pod  *outrank.Pod
}

func (s nodeRuleState) Check(n *outrank.Node) decision.Status { return s.rule(s.pod, n) }
func (nodeRuleState) Remove(*outrank.Pod, *outrank.Node)      {}
func (nodeRuleState) Add(*outrank.Pod, *outrank.Node)         {}
func (s nodeRuleState) Clone() FilterState                    { return s }

// NodeRuleBy is a [NodeRule] whose answers a snapshot keeps: pods with equal keys get
// equal answers from a node as long as the node stays the same object. A nil key
// means that the pod does not matter at all. The first decision about a key asks about
// every node; later ones ask about the nodes that were added or updated since, which
// is nothing at all for most. Where every node passes, a decision is as fast as
// without the rule.
//
// A snapshot keeps the answers for some dozens of keys, fewer in very large clusters,
// and drops those that were not used for longest. So a key should tell few kinds of
// pods apart, such as the value of a label; the name of a pod is none. Clones begin
// with what is kept. The memory is four bytes for each node and key. The answers belong
// to the filter that is returned here: another one, made of the same functions, begins
// anew. Several goroutines may call the functions at once.
func NodeRuleBy(name string, key func(pod *outrank.Pod) string, check func(pod *outrank.Pod, node *outrank.Node) decision.Status) Filter {
	return &keyedRule{name, key, check, lastRule.Add(1)}
}

// lastRule numbers the keyed rules of the program, so that what is kept of one is
// never taken for another's.
var lastRule atomic.Uint64

type keyedRule struct {
	name  string
	key   func(*outrank.Pod) string
	check func(*outrank.Pod, *outrank.Node) decision.Status
	id    uint64
}

func (r *keyedRule) Name() string { return r.name }

func (r *keyedRule) Start(pod *outrank.Pod, _ *state.Snapshot) (FilterState, error) {
	return startRule(r.name, r.check, pod)
}

// answers returns what the rule says about every node.
func (r *keyedRule) answers(q *question) (state.AnswersKey, *state.AnswerTable) {
	key := state.AnswersKey{Rule: r.id}
	if r.key != nil {
		key.Key = r.key(q.pod)
	}
	kept, stale := q.snap.Answers.Find(key)
	slots := len(q.snap.NodeStates)
	if kept != nil && len(stale) == 0 && len(kept.Of) >= slots {
		return key, kept
	}
	w, ok := state.TableFrom(kept, slots)
	if !ok {
		stale = q.snap.Order
	}
	for _, slot := range slices.Compact(slices.Sorted(slices.Values(stale))) {
		var s decision.Status
		if n := q.snap.NodeStates[slot]; n != nil && n.Node != nil {
			s = ruled(r.check(q.pod, n.Node))
		}
		w.Set(slot, s)
	}
	t := w.AnswerTable
	q.snap.Answers.Keep(key, &t)
	return key, &t
}

// ruled returns what counts of a status that a function of the caller returned.
func ruled(s decision.Status) decision.Status {
	if s.Code == decision.Success {
		return decision.Status{}
	}
	return decision.Status{Code: min(s.Code, decision.UnschedulableAndUnresolvable), Reasons: s.Reasons}
}

// ruleAttempt is a rule in one attempt that looks at no pods but the preemptor. If table
// is not nil, it has the answers.
type ruleAttempt struct {
	check func(*outrank.Pod, *outrank.Node) decision.Status
	pod   *outrank.Pod
	table *state.AnswerTable
	key   state.AnswersKey
}

func (*ruleAttempt) touches(*state.NodeState) bool { return false }

func (r *ruleAttempt) onNode(nodeFilter) nodeFilter { return &nodeRuleOnNode{ruleAttempt: r} }

// nodeRuleOnNode is a ruleAttempt on one node after another. It asks once about each.
type nodeRuleOnNode struct {
	*ruleAttempt
	node   *state.NodeState
	asked  bool
	status decision.Status
}

func (f *nodeRuleOnNode) enter(n *state.NodeState) { f.node, f.asked = n, false }

func (*nodeRuleOnNode) change(*state.PodState, int) {}

func (f *nodeRuleOnNode) check([]*state.PodState) filterStatus {
	if !f.asked {
		f.asked = true
		if f.table != nil {
			f.status = f.table.At(f.node.Slot)
		} else {
			f.status = ruled(f.ruleAttempt.check(f.pod, f.node.Node))
		}
	}
	return filterStatus{code: f.status.Code, text: f.status.Reasons}
}

func (f *nodeRuleOnNode) release() { *f = nodeRuleOnNode{} }
