package reference

import (
	"cmp"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// attempt is one attempt to place the preemptor: the cluster by nodes, and the counts
// that filters make once before the first node. It never changes afterwards.
type attempt struct {
	pod     *outrank.Pod
	rules   release.Rules
	setup   *Setup
	variant Variant
	now     time.Time
	// resize is set if the preemptor is on its node already.
	resize  bool
	cluster *outrank.Cluster
	// alone is set where the pod is no member of a group that is placed, and the
	// node that it is nominated to is asked before all others.
	alone bool
	// running are the pods on each node.
	running map[string][]*outrank.Pod
	// nominated are the pending pods that wait for each node, without the
	// preemptor.
	nominated map[string][]*outrank.Pod
	// namespaces are the labels of each namespace.
	namespaces map[string]map[string]string

	// claimUsesAtStart counts the preemptor's ReadWriteOncePod claims in use;
	// restrictionsSkipped leaves their filter out.
	claimUsesAtStart    int
	restrictionsSkipped bool

	constraints  []constraint
	affinity     []term
	antiAffinity []term
	// spreadAtStart and interpodAtStart are counted over the whole cluster.
	spreadAtStart   spreadState
	interpodAtStart interpodState
}

// scene is one node at one moment of a dry run: the pods on it, and the state
// that filters keep beside them. The state follows each pod taken away or put
// back; it is not computed again from the cluster, because some of
// kube-scheduler's behaviour is in the difference (host ports, claims that
// allow a single pod, terminating pods under a spread constraint, a filter that
// was skipped at the start).
type scene struct {
	a    *attempt
	node *outrank.Node
	pods []occupant

	ports     map[hostPort]bool
	claimUses int
	spread    spreadState
	interpod  interpodState
}

// occupant is a pod that takes room on the node.
type occupant struct {
	pod *outrank.Pod
	// nominated marks a pod that is only expected here: it counts with its
	// spec alone (rule 2.1.9).
	nominated bool
}

// place records a pod of the cluster under its node, if it has any. The pods of
// a node that does not exist are never used.
func (a *attempt) place(p *outrank.Pod) {
	switch {
	case p.Finished():
	case p.NodeName != "":
		a.running[p.NodeName] = append(a.running[p.NodeName], p)
	case p.NominatedNodeName != "" && p.Key() != a.pod.Key() && a.countsNomination(p):
		a.nominated[p.NominatedNodeName] = append(a.nominated[p.NominatedNodeName], p)
	}
}

// countsNomination reports whether the nomination of a pending pod counts (rules 7.16.3, 7.16.5 and
// 7.16.6).
func (a *attempt) countsNomination(p *outrank.Pod) bool {
	return !p.Terminating() && (!p.Gated() || a.rules.GatedNominations) && a.setup.shares(p.Scheduler())
}

func (a *attempt) position(node string) int {
	return slices.IndexFunc(a.cluster.Nodes, func(n *outrank.Node) bool { return n.Name == node })
}

// nodeOf is the node that the pod runs on.
func (a *attempt) nodeOf(p *outrank.Pod) *outrank.Node {
	return a.cluster.Nodes[a.position(p.NodeName)]
}

// isItself: the pod is the preemptor, which is never its own victim.
func (a *attempt) isItself(p *outrank.Pod) bool { return a.resize && p.Key() == a.pod.Key() }

// sortByImportance: the higher priority first, then the earlier start, then the
// namespace, the name and the UID, so that no two pods are equal.
func (a *attempt) sortByImportance(pods []*outrank.Pod) {
	slices.SortStableFunc(pods, func(p, q *outrank.Pod) int {
		if a.variant.Importance != nil && a.variant.Importance(p, q) != 0 {
			return a.variant.Importance(p, q)
		}
		if a.variant.IgnoreStart {
			return cmp.Or(
				cmp.Compare(q.PriorityValue(), p.PriorityValue()),
				cmp.Compare(p.NamespaceName(), q.NamespaceName()),
				cmp.Compare(p.Name, q.Name),
			)
		}
		return cmp.Or(
			cmp.Compare(q.PriorityValue(), p.PriorityValue()),
			startOf(p, a.now).Compare(startOf(q, a.now)),
			cmp.Compare(p.NamespaceName(), q.NamespaceName()),
			cmp.Compare(p.Name, q.Name),
			cmp.Compare(p.UID, q.UID),
		)
	})
}

// startOf: a pod without a start time counts as started now.
func startOf(p *outrank.Pod, now time.Time) time.Time {
	switch {
	case !p.StartTime.IsZero():
		return p.StartTime
	case now.IsZero():
		return time.Unix(1<<62, 0) // later than any
	}
	return now
}

// A pod that is on its node already may want room for a resize in place that its node
// has deferred (group 7.19).

// wantsResize: the gate is on, the pod has a node, and the cluster does not know it as
// one that still waits.
func (a *attempt) wantsResize() bool {
	if !a.rules.DeferredResizes || !a.pod.ResizeDeferred || a.pod.NodeName == "" {
		return false
	}
	for _, p := range a.cluster.Pods {
		if p.Key() == a.pod.Key() && !p.Finished() && p.NodeName == "" {
			return false
		}
	}
	return true
}
