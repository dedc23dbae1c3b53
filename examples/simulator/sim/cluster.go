package sim

import (
	"cmp"
	"iter"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// cluster is the cluster as the schedulers see it, with what is used of its nodes.
type cluster struct {
	release   outrank.Release
	snap      *engine.Snapshot
	nominator execution.Nominator
	budgets   *budgets
	// hosts has the nodes by name. byNode has them by the version of the node that is in the snapshot.
	hosts  map[string]*host
	byNode map[*outrank.Node]*host

	tries *tries
	meter *meter
}

// changed records that a change on a node may let attempts succeed that failed before. With nil the change
// may concern every pod.
func (c *cluster) changed(on *host) { c.tries.changed(on) }

// scratch returns a copy of the snapshot for trial changes.
func (c *cluster) scratch() *engine.Snapshot { return c.snap.Scratch() }

// nodes yields the nodes of the snapshot in their order.
func (c *cluster) nodes() iter.Seq[*outrank.Node] { return c.snap.Nodes() }

// node returns the node with this name in the snapshot, and false if there is none.
func (c *cluster) node(name string) (*outrank.Node, bool) { return c.snap.Node(name) }

// podsOn lists the pods that the snapshot has on a node.
func (c *cluster) podsOn(h *host) []*outrank.Pod { return c.podsOnNode(h.name()) }

// podsOnNode lists the pods that the snapshot has on the node of that name.
func (c *cluster) podsOnNode(node string) []*outrank.Pod { return c.snap.PodsOn(node) }

// nominationOf returns the node to which the pod is nominated, or "".
func (c *cluster) nominationOf(key outrank.Key) string { return c.nominator.NodeOf(key) }

// nominate records the nomination that a pod has on arrival.
func (c *cluster) nominate(obj *outrank.Pod) { c.nominator.Add(obj, "") }

// updateNomination tells the nominator of a new version of a pod.
func (c *cluster) updateNomination(before, now *outrank.Pod) { c.nominator.Update(before, now) }

// withdrawNomination forgets the nomination of a pod.
func (c *cluster) withdrawNomination(obj *outrank.Pod) { c.nominator.Remove(obj) }

// show updates the snapshot to a pod's present state. The snapshot has the pods on nodes, and the waiting
// pods with a nomination.
func (c *cluster) show(p *pod) {
	want := p.obj
	if p.phase == Queued && c.nominationOf(want.Key()) == "" || p.phase != Queued && !p.onNode() {
		want = nil
	}
	before := p.shown
	if want == before {
		return
	}

	// The two versions may count on different nodes. So the old one is removed first and both nodes are
	// marked as changed.
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

// reserve reserves room for a waiting pod on the node to which it is nominated, and gives up the room that
// was reserved before.
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

// hostOf returns the node that a pod in the snapshot is on or nominated to, or nil if there is no such node.
func (c *cluster) hostOf(obj *outrank.Pod) *host {
	return c.hosts[cmp.Or(obj.NodeName, obj.NominatedNodeName)]
}

// state returns the number of changes so far. It tells states of the cluster apart.
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

// addHost adds a node, or replaces the one with its name, which keeps its usage. It does not change the
// snapshot.
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

// take counts a pod on its host; with sign -1 it stops counting it.
func (c *cluster) take(p *pod, sign int64) {
	addTo(p.host.used, p.asks, sign)
	p.host.count(p.level(), p.asks, sign)
	c.meter.take(p.asks, sign)
}

// countEviction counts an eviction for the samples.
func (c *cluster) countEviction(p *pod) { c.meter.evict(p.obj.PriorityValue()) }

// coverByBudgets starts to count a pod in the budgets that cover it.
func (c *cluster) coverByBudgets(p *pod) { c.budgets.join(p) }

// leaveBudgets stops counting a pod in its budgets.
func (c *cluster) leaveBudgets(p *pod) { c.budgets.leave(p) }

// touchBudgets marks the budgets of a pod as outdated.
func (c *cluster) touchBudgets(p *pod) { c.budgets.touch(p) }

// allowances returns the budgets with the numbers that were last computed.
func (c *cluster) allowances() []*outrank.PodDisruptionBudget { return c.budgets.list }

// budgetsStale reports whether a budget may have an outdated number.
func (c *cluster) budgetsStale() bool { return c.budgets.any }

// syncBudgets brings the budgets of the snapshot up to date.
func (c *cluster) syncBudgets(now time.Time) {
	if !c.budgetsStale() {
		return
	}
	for _, b := range c.budgets.renew(now) {
		must(c.snap.PutBudget(b))
	}
}

// replaceBudgets replaces all budgets of the snapshot by the present ones.
func (c *cluster) replaceBudgets() {
	for b := range c.snap.Budgets() {
		must(c.snap.RemoveBudget(b.Key()))
	}
	for _, b := range c.allowances() {
		must(c.snap.PutBudget(b))
	}
}
