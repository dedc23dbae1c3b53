package sim

import (
	"time"

	"github.com/outrank-go/outrank"
)

// kubeletWork does the work of all kubelets: it admits pods to their nodes and evicts them.
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

// countRejected counts a rejected pod by reason.
func (ks *kubeletWork) countRejected(reason string) { ks.table.reject(reason) }

// eviction says why and how a kubelet evicts a pod.
type eviction struct {
	cause Cause
	// grace is the grace period; nil means the pod's own.
	grace *time.Duration
	// by is the pod that the eviction makes room for, or nil.
	by *pod
	// why describes the reason for people.
	why string
}

// kill lets a kubelet evict a pod.
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
