package filters

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// descriptor is one built-in filter as the engine asks it. The search, the cache of answers and the
// explanation derive what they need from the list of descriptors ([BuiltIn]). A new filter is one descriptor
// in one file.
//
// There are two sorts. A node filter has check: it looks at the preemptor and the node alone, so that no
// preemption changes its answer. A pod filter has begin: it also looks at pods of the node or of the cluster.
type descriptor struct {
	// Entry has the facts about the filter that the engine shares with the plain rules: its name, what it
	// reads, the signature.
	Entry *filter.Entry
	// Index is the filter's own index in BuiltIn.
	Index int

	// refuse returns why no node at all takes the preemptor, nil if some node may. It runs before the first
	// node, and the first filter that refuses ends the attempt (PreFilter): every node fails unresolvably.
	refuse func(pod *outrank.Pod) []string

	// check returns why the node does not take the preemptor, nil if it does. The failure is unresolvable.
	check func(q *Question, node *outrank.Node) []string
	// labels returns the labels that a node must have, if check asks for nothing else, and nil otherwise. A
	// node without them fails with the reasons unlabelled.
	labels     func(pod *outrank.Pod) map[string]string
	unlabelled []string
	// enforce returns why the configuration keeps every pod from the node, nil if it does not. It runs before
	// check. enforces reports whether the configuration adds anything at all. Both are nil for a filter to
	// which a configuration cannot add.
	enforce  func(p *preemption.Profile, node *outrank.Node) []string
	enforces func(p *preemption.Profile) bool
	// narrow names the only nodes that are filtered for this preemptor; ok is false if all nodes are. Other
	// nodes fail with notFiltered. If narrow names none, every node fails with conflict.
	narrow                func(q *Question) (names map[string]bool, ok bool)
	notFiltered, conflict []string

	// begin prepares a pod filter for one preemptor, before the first node. It returns nil if the filter
	// passes on every node throughout the attempt.
	begin func(q *Question) PodFilter
}

// PodFilter is a pod filter in one attempt. The workers of the attempt share it
// and do not change it.
type PodFilter interface {
	// Touches reports whether any pod on the node can change the filter's answer there. If not, the answer is
	// the same whichever pods leave. A filter before NodeResourcesFit passes on a node that it does not
	// touch.
	Touches(n *state.NodeState) bool
	// OnNode returns the filter for one worker, which takes it from node to node. It may reuse the memory of
	// earlier, which is nil or an earlier result of the same built-in filter.
	OnNode(earlier NodeFilter) NodeFilter
}

// NodeFilter is a filter on the node that one worker looks at. It follows the
// pods that the dry run removes and adds.
type NodeFilter interface {
	// Enter moves to a node, with the pods that the snapshot has there.
	Enter(n *state.NodeState)
	// Change follows a pod that is added (1) or removed (-1).
	Change(p *state.PodState, by int)
	// Check returns the node's status with these nominated pods added. The caller fills in By.
	Check(nominated []*state.PodState) Status
	// Release drops all references to the attempt, and keeps the memory.
	Release()
}

// ClusterFilter is a NodeFilter whose attempt counted pods of the whole cluster.
type ClusterFilter interface {
	// Follow counts a pod that comes to a node (1) or leaves it (-1), for the rest of the attempt. The pod's
	// class may be new to the attempt. No other worker may use the attempt meanwhile.
	Follow(p *state.PodState, n *state.NodeState, by int)
}

// Question is what the filters read in one attempt: the preemptor, the snapshot, and the configuration.
type Question struct {
	// ctx is the context of the call, from Configure on. A question lasts no longer than the call.
	ctx      context.Context
	Snap     *state.Snapshot
	Rules    release.Rules
	Pod      *outrank.Pod
	Priority int32
	// Needs are the amounts of resources that the preemptor asks for.
	Needs []Need
	// Deferral is set if the preemptor already runs on its node and asks for room for a resize.
	Deferral deferral
	// TriesTooSmall is set if a node that is too small for the preemptor even when empty is unresolvable only if
	// another filter says so (rule 13.2.15).
	TriesTooSmall bool
	// tolerations are the preemptor's. If isNamed is set, named has the only nodes that can meet its node
	// affinity. Configure sets these three.
	tolerations fit.Tolerations
	named       map[string]bool
	isNamed     bool
	// Plugins is the part of the configuration that changes the filters.
	Plugins *preemption.Profile
	// Off are the filters that are not asked at all. Silent are those in Off, and the filters that run before
	// the first node but are not asked about nodes.
	Off, Silent state.FilterSet
	// Schedulers are the names of the schedulers that share their nominations. None means all.
	Schedulers []string
	// spread has the topology spread constraints of the preemptor: its own, or the configuration's default
	// ones.
	spread []outrank.TopologySpreadConstraint
}

// Counts reports whether a nomination of another pod counts in this attempt.
func (q *Question) Counts(p *state.PodState) bool {
	return !state.SameName(p.Pod, q.Pod) && counts(p.Pod, q.Schedulers, q.Rules)
}

// counts reports whether the nomination of a pending pod counts. The named schedulers share their
// nominations; if none is named, all do. The nomination of a pod that is being deleted does not count, nor in
// v1.36 that of a gated pod (rules 7.16.3, 7.16.5 and 7.16.6).
func counts(p *outrank.Pod, schedulers []string, rules release.Rules) bool {
	return !p.Terminating() && (rules.GatedNominations || !p.Gated()) && (len(schedulers) == 0 || slices.Contains(schedulers, p.Scheduler()))
}
