package sim

import (
	"cmp"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// cluster is the cluster as the schedulers see it, with the usage of its nodes.
type cluster struct {
	release   outrank.Release
	snap      *engine.Snapshot
	nominator execution.Nominator
	budgets   *budgets
	hosts     map[string]*host
	byNode    map[*outrank.Node]*host

	tries *tries
	meter *meter
}

// show brings the snapshot in line with the pod.
func (c *cluster) show(p *pod) {
	want := p.obj
	if p.phase == Queued && c.nominator.NodeOf(want.Key()) == "" || p.phase != Queued && !p.onNode() {
		want = nil
	}
	before := p.shown
	if want == before {
		return
	}
	if p.shown = want; before != nil {
		must(c.snap.RemovePod(before.Key()))
		c.tries.changed(c.hostOf(before))
	}
	if want != nil {
		_, err := c.snap.PutPod(want)
		must(err)
		c.tries.changed(c.hostOf(want))
	}
	c.reserve(p)
}

// reserve enters the nominated node of a pod in the queue in the snapshot.
func (c *cluster) reserve(p *pod) {
	if p.reserved != nil {
		p.reserved.giveUpRoom(p.claim)
		p.reserved, p.claim = nil, nil
	}
	if p.shown == nil || p.phase != Queued {
		return
	}
	if h := c.hostOf(p.shown); h != nil {
		p.reserved, p.claim = h, &claim{p.obj, p.asks}
		h.keepRoom(p.claim)
	}
}

// hostOf returns the node that a pod in the snapshot is on, or nominated to; nil
// if there is none of that name.
func (c *cluster) hostOf(obj *outrank.Pod) *host {
	return c.hosts[cmp.Or(obj.NodeName, obj.NominatedNodeName)]
}

// addHost adds a node; a node of that name is replaced, and keeps its usage.
func (c *cluster) addHost(n *outrank.Node) {
	h := c.hosts[n.Name]
	if h == nil {
		h = &host{used: make([]int64, len(c.meter.columns))}
		c.hosts[n.Name] = h
	} else {
		delete(c.byNode, h.node)
		addTo(c.meter.capacity, h.has, -1)
	}
	h.set(n, c.meter.columns.row(n.Allocatable))
	c.byNode[n] = h
	addTo(c.meter.capacity, h.has, 1)
}

func (c *cluster) removeHost(h *host) {
	h.removed = true
	delete(c.hosts, h.node.Name)
	delete(c.byNode, h.node)
	addTo(c.meter.capacity, h.has, -1)
}

// take counts a pod on its host, or ends that.
func (c *cluster) take(p *pod, sign int64) {
	addTo(p.host.used, p.asks, sign)
	p.host.count(p.level(), p.asks, sign)
	c.meter.take(p.asks, sign)
}

// syncBudgets shows the snapshot the present allowances.
func (c *cluster) syncBudgets(now time.Time) {
	if !c.budgets.any {
		return
	}
	for _, b := range c.budgets.renew(now) {
		must(c.snap.PutBudget(b))
	}
}

// replaceBudgets shows the snapshot the present budgets in place of those that it knows.
func (c *cluster) replaceBudgets() {
	for b := range c.snap.Budgets() {
		must(c.snap.RemoveBudget(b.Key()))
	}
	for _, b := range c.budgets.list {
		must(c.snap.PutBudget(b))
	}
}
