package sim

import (
	"cmp"
	"iter"
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
	// hosts finds a node by its name, byNode by the version that the snapshot has.
	hosts  map[string]*host
	byNode map[*outrank.Node]*host

	tries *tries
	meter *meter
}

// changed records that attempts may have another result from now on, because of a change on a node;
// nil stands for a change that may concern every pod.
func (c *cluster) changed(on *host) { c.tries.changed(on) }

// scratch returns a copy of the snapshot to try changes on.
func (c *cluster) scratch() *engine.Snapshot { return c.snap.Scratch() }

// nodes yields the nodes of the snapshot in their order.
func (c *cluster) nodes() iter.Seq[*outrank.Node] { return c.snap.Nodes() }

// node returns the node of that name in the snapshot; false where there is none.
func (c *cluster) node(name string) (*outrank.Node, bool) { return c.snap.Node(name) }

// podsOn lists the pods that the snapshot has on a node.
func (c *cluster) podsOn(h *host) []*outrank.Pod { return c.podsOnNode(h.name()) }

// podsOnNode lists the pods that the snapshot has on the node of that name.
func (c *cluster) podsOnNode(node string) []*outrank.Pod { return c.snap.PodsOn(node) }

// nominationOf returns the node that the pod with this key is nominated to, empty for none.
func (c *cluster) nominationOf(key outrank.Key) string { return c.nominator.NodeOf(key) }

// nominate records the nomination that a pod has when it comes.
func (c *cluster) nominate(obj *outrank.Pod) { c.nominator.Add(obj, "") }

// updateNomination tells the nominator of a new version of a pod.
func (c *cluster) updateNomination(before, now *outrank.Pod) { c.nominator.Update(before, now) }

// withdrawNomination forgets the nomination of a pod.
func (c *cluster) withdrawNomination(obj *outrank.Pod) { c.nominator.Remove(obj) }

// show brings the snapshot in line with the pod: it holds the pods on nodes, and the pods in the queue
// that have a nomination.
func (c *cluster) show(p *pod) {
	want := p.obj
	if p.phase == Queued && c.nominationOf(want.Key()) == "" || p.phase != Queued && !p.onNode() {
		want = nil
	}
	before := p.shown
	if want == before {
		return
	}

	// The old version leaves and the new one comes: the two may count on different nodes, and each of these
	// has changed.
	p.shown = want
	if before != nil {
		must(c.snap.RemovePod(before.Key()))
		c.changed(c.hostOf(before))
	}
	if want != nil {
		_, err := c.snap.PutPod(want)
		must(err)
		c.changed(c.hostOf(want))
	}

	c.reserve(p)
}

// reserve keeps room for a pod in the queue on the node that it is nominated to, in place of the room that
// was kept for it before.
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

// state returns the number of the cluster's state, which grows with each change.
func (c *cluster) state() uint64 { return c.tries.state }

// putGroup shows the snapshot a new version of a group.
func (c *cluster) putGroup(g *outrank.PodGroup) { must(c.snap.PutGroup(g)) }

// addNode adds a node to the snapshot, behind all others.
func (c *cluster) addNode(n *outrank.Node) error {
	if err := c.snap.PutNode(n); err != nil {
		return err
	}
	c.addHost(n)
	return nil
}

// updateNode puts a new version of a node in place of the old one.
func (c *cluster) updateNode(n *outrank.Node) {
	c.addHost(n)
	must(c.snap.PutNode(n))
}

// addHost adds a node beside the snapshot. A node of that name is replaced, and keeps its usage.
func (c *cluster) addHost(n *outrank.Node) {
	h := c.hosts[n.Name]
	if h == nil {
		h = &host{used: make([]int64, len(c.meter.columns))}
		c.hosts[n.Name] = h
	} else {
		delete(c.byNode, h.node)
		c.meter.offer(h.has, -1)
	}

	h.set(n, c.meter.row(n.Allocatable))
	c.byNode[n] = h
	c.meter.offer(h.has, 1)
}

// removeNode removes a node without pods.
func (c *cluster) removeNode(h *host) {
	must(c.snap.RemoveNode(h.name()))
	h.removed = true
	delete(c.hosts, h.name())
	delete(c.byNode, h.node)
	c.meter.offer(h.has, -1)
}

// take counts a pod on its host; with sign -1 it counts it no longer.
func (c *cluster) take(p *pod, sign int64) {
	addTo(p.host.used, p.asks, sign)
	p.host.count(p.level(), p.asks, sign)
	c.meter.take(p.asks, sign)
}

// countEviction counts that a pod is evicted, for the samples.
func (c *cluster) countEviction(p *pod) { c.meter.evict(p.obj.PriorityValue()) }

// coverByBudgets begins to count a pod in the budgets that cover it.
func (c *cluster) coverByBudgets(p *pod) { c.budgets.join(p) }

// leaveBudgets ends the counting of a pod in its budgets.
func (c *cluster) leaveBudgets(p *pod) { c.budgets.leave(p) }

// touchBudgets marks the allowances of a pod's budgets as out of date.
func (c *cluster) touchBudgets(p *pod) { c.budgets.touch(p) }

// allowances lists the budgets with the allowances that they had when they were last brought up to date.
func (c *cluster) allowances() []*outrank.PodDisruptionBudget { return c.budgets.list }

// budgetsStale reports whether an allowance may be out of date.
func (c *cluster) budgetsStale() bool { return c.budgets.any }

// syncBudgets shows the snapshot the present allowances.
func (c *cluster) syncBudgets(now time.Time) {
	if !c.budgetsStale() {
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
	for _, b := range c.allowances() {
		must(c.snap.PutBudget(b))
	}
}
