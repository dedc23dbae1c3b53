package reference

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// attempt is one attempt to place the preemptor: the cluster by nodes, and what
// the filters compute once before the first node. It never changes afterwards.
type attempt struct {
	pod     *outrank.Pod
	rules   release.Rules
	setup   *Setup
	variant Variant
	now     time.Time
	// resize: the preemptor is on its node already.
	resize  bool
	cluster *outrank.Cluster
	// alone is set where the pod is no member of a group that is placed, and the node that
	// it is nominated to is asked before all others.
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

func newAttempt(in Input) *attempt {
	a := &attempt{
		pod:        in.Pod,
		rules:      release.Of(release.Release(in.Cluster.Release)),
		setup:      &in.Setup,
		variant:    in.Variant,
		now:        in.Now,
		cluster:    in.Cluster,
		running:    map[string][]*outrank.Pod{},
		nominated:  map[string][]*outrank.Pod{},
		namespaces: map[string]map[string]string{},
	}
	a.resize = a.wantsResize()
	a.setupForResize()
	for _, ns := range in.Cluster.Namespaces {
		a.namespaces[ns.Name] = ns.Labels
	}
	for _, p := range in.Cluster.Pods {
		a.place(p)
	}
	a.constraints = readConstraints(in.Pod, a.setup)
	a.affinity = readTerms(in.Pod, in.Pod.Affinity.Pods)
	a.antiAffinity = readTerms(in.Pod, in.Pod.Affinity.AntiPods)
	a.countClaims()
	a.spreadAtStart = a.countSpread()
	a.interpodAtStart = a.countInterpod()
	return a
}

// place records a pod of the cluster under its node, if it has any. The pods of
// a node that does not exist are never used.
func (a *attempt) place(p *outrank.Pod) {
	switch {
	case p.Finished():
	case p.NodeName != "":
		a.running[p.NodeName] = append(a.running[p.NodeName], p)
	case p.NominatedNode != "" && p.Key() != a.pod.Key() && a.heeds(p):
		a.nominated[p.NominatedNode] = append(a.nominated[p.NominatedNode], p)
	}
}

// heeds: the nomination of a pending pod counts (rules 7.16.3, 7.16.5 and 7.16.6).
func (a *attempt) heeds(p *outrank.Pod) bool {
	return !p.Terminating() && (!p.Gated() || a.rules.GatedNominations) && a.setup.shares(p.Scheduler())
}
