package sim

import (
	"time"

	"github.com/outrank-go/outrank"
)

// kubeletWork admits pods to their nodes and evicts them, as the kubelets of all nodes do.
type kubeletWork struct {
	rules       *Kubelets
	table       *kubeletTable
	clock       *clock
	agenda      *agenda
	teller      *teller
	lives       *lives
	cluster     *cluster
	fleet       *fleet
	tally       *tally
	controllers *controllers
	stays       *stays
}

// countRejected counts a pod that was turned away, by the reason.
func (ks *kubeletWork) countRejected(reason string) { ks.table.reject(reason) }

// eviction says why and how a kubelet evicts a pod.
type eviction struct {
	cause Cause
	// grace is the time that the pod has to end, nil for the pod's own.
	grace *time.Duration
	// by is the pod that the eviction makes room for, nil for none.
	by *pod
	// why is the reason for people.
	why string
}

// kill makes a kubelet evict a pod, for another one or for none.
func (ks *kubeletWork) kill(p *pod, x eviction) error {
	ks.stays.countEviction(p)
	p.cause = x.cause
	ks.table.evicted[x.cause]++
	ks.stays.tellToGo(p, x.grace, outrank.TerminationByKubelet)

	e := Event{Kind: Evicted, Pod: p.obj, Node: p.obj.NodeName}
	if x.by != nil {
		e.Related = x.by.obj
	}
	ks.teller.tell(e, "%s, gone by %.3f", x.why, p.until.Seconds())
	return ks.controllers.replaceEvicted(p)
}
