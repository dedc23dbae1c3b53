package engine

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
)

// NodeRule makes a filter of a function that looks at the pod and the node alone.
// The same pod and node always have to get the same answer. A decision asks it once
// about a node, or not at all: about a node that is short of resources with all pods
// of lower priority removed, too, its answer does not matter. Once more it is asked
// about the nodes whose victims are worked out. Several goroutines may call the
// function at once. [NodeRuleBy] makes one whose answers are kept. A filter without a
// function is one that [Config.Validate] refuses, and that does not start.
func NodeRule(name string, check func(pod *outrank.Pod, node *outrank.Node) preemption.Status) Filter {
	return ruleFilter{filters.NodeRule(name, check)}
}

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
func NodeRuleBy(name string, key func(pod *outrank.Pod) string, check func(pod *outrank.Pod, node *outrank.Node) preemption.Status) Filter {
	return ruleFilter{filters.NodeRuleBy(name, key, check)}
}

// ruleFilter is a rule of the engine's as any other filter.
type ruleFilter struct{ of filters.Filter }

func (r ruleFilter) Name() string { return r.of.Name() }

func (r ruleFilter) Start(pod *outrank.Pod, snap *Snapshot) (preemption.FilterState, error) {
	return r.of.Start(pod, snap.reads())
}
