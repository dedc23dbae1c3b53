package preemption

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/resource"
)

// Snapshot is the indexed state of a cluster: nodes, the pods on them, pending
// pods with their nominations, budgets and pod groups. It keeps pointers to the
// objects that it is given and never changes them. The caller must not change
// them either while the snapshot holds them. Which node a pod runs on or is
// nominated to is the snapshot's own knowledge: it starts from the pods'
// fields, and Bind and Nominate change it.
//
// A snapshot also caches the answers of its nodes for preemptors that are asked
// about again and again, by pod signature (priority, requests, tolerations, and
// what the pod demands of nodes). The next decision about an equal pod looks
// only at nodes that changed since. The cache takes about eighty bytes for each
// node and signature, and is bounded.
//
// Any number of goroutines may read a snapshot, and evaluate on it, at once. A
// change must not run at the same time as any other call. [Snapshot.Clone]
// makes a snapshot for another goroutine.
//
// The zero Snapshot is that of an empty cluster of the default release, as NewSnapshot(nil)
// makes it. A Snapshot must not be copied: the copy and the original would write the same
// indexes. go vet finds a copy; [Snapshot.Clone] makes what a copy is meant for.
type Snapshot struct {
	_ noCopy
	snapshotState
}

// noCopy has the methods of a lock, by which go vet knows what must not be copied.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// snapshotState is all that a snapshot knows. A view begins as a copy of it.
type snapshotState struct {
	owner *owner
	// of is the release whose rules hold, and rules are what it says.
	of     outrank.Release
	rules  release.Rules
	traits filterTraits
	nodes  []*nodeState       // by slot; nil where free
	slots  sharedIndex[int32] // slot by name
	order  []int32            // slots of the nodes the snapshot holds, in the caller's order
	free   []int32
	names  *nodeNames // of the nodes in order
	// nodesOwner is the owner of nodes and free, orderOwner that of order.
	nodesOwner, orderOwner *owner

	summaries summaries // by slot
	// smallest is at most what any node of the snapshot offers, by column. It does not
	// rise when a small node goes.
	smallest amountRow
	columns  *columns
	topology *topology
	cache    *answerCache
	costs    *costMemory
	answers  *ruleAnswers // of the caller's rules
	pods     podIndex
	classes  sharedIndex[*classMembers] // by key
	// claims counts the uses of claims by pods on nodes, by key.
	claims claimIndex
	// repelling counts the kinds with required anti-affinity.
	antiAffinityClasses int
	namespaces          sharedIndex[*outrank.Namespace]
	budgets             *budgetSet
	// budgetAt is where a budget was found last, by key; another may be there now.
	budgetAt sharedIndex[int32]
	groupObjects
	// units are what the groups make of running pods.
	units unitIndex
	// attachments are the states of filters that follow all changes.
	attachments attachments
	journal     journal
}

// snapshotWith indexes a cluster for filters with these traits.
func snapshotWith(c *outrank.Cluster, traits filterTraits) (*Snapshot, error) {
	if c == nil {
		c = &outrank.Cluster{}
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return indexed(c, traits), nil
}

// indexed is snapshotWith for a cluster without fault.
func indexed(c *outrank.Cluster, traits filterTraits) *Snapshot {
	o := &owner{}
	s := &Snapshot{snapshotState: snapshotState{
		owner: o, nodesOwner: o, orderOwner: o,
		of:         c.Release.OrDefault(),
		rules:      release.Of(release.Release(c.Release)),
		traits:     traits,
		names:      &nodeNames{},
		slots:      newSharedIndex[int32](len(c.Nodes)),
		pods:       newPodIndex(len(c.Pods)),
		columns:    columnsFor(c),
		smallest:   amountRow{math.MaxInt64, math.MaxInt64, math.MaxInt64},
		topology:   newTopology(),
		cache:      &answerCache{},
		costs:      &costMemory{},
		answers:    newRuleAnswers(),
		classes:    newSharedIndex[*classMembers](0),
		claims:     claimIndex{newSharedIndex[*claimUsers](0)},
		namespaces: newSharedIndex[*outrank.Namespace](len(c.Namespaces)),
		budgets:    newBudgetSet(c.Budgets),
		budgetAt:   newSharedIndex[int32](0),
	}}
	s.groupObjects = groupObjects{newSharedIndex[*outrank.PodGroup](len(c.Groups)), newSharedIndex[*outrank.CompositePodGroup](len(c.Composites)), s.rules.CompositeUnits}
	s.units = newUnitIndex()
	for _, ns := range c.Namespaces {
		s.namespaces.set(ns.Name, ns)
	}
	for _, g := range c.Groups {
		s.groups.set(string(g.Key()), g)
	}
	for _, g := range c.Composites {
		s.composites.set(string(g.Key()), g)
	}
	for _, n := range c.Nodes {
		s.setNode(n.Name, n, len(s.order))
	}
	s.load(c.Pods)
	return s
}

// usualTraits are those of the built-in filters, which the filter layer sets.
var usualTraits filterTraits

// emptySnapshot returns what NewSnapshot(nil) does.
func emptySnapshot() *Snapshot { return indexed(&outrank.Cluster{}, usualTraits) }

// begin makes the zero Snapshot that of an empty cluster. Changes that need nothing to be
// there call it first; all others find nothing in the zero Snapshot. Marks stay good.
func (s *Snapshot) begin() {
	if s.owner == nil {
		marks := s.journal
		s.snapshotState = emptySnapshot().snapshotState
		s.journal = marks
	}
}

// load puts all pods into a new snapshot. It sorts the pods of each node only
// once.
func (s *Snapshot) load(pods []*outrank.Pod) {
	running, waiting := map[string][]*podState{}, map[string][]*podState{}
	covering := s.budgets.matcher.Finder().Covering
	for _, p := range pods {
		if p.Finished() {
			continue
		}
		if at := cmp.Or(p.NodeName, p.NominatedNode); at != "" {
			s.writable(at)
		}
		ps := s.newPodState(p, p.NodeName, p.NominatedNode, s.classWith(p, covering))
		s.pods.set(ps)
		if ps.running {
			running[ps.at.name] = append(running[ps.at.name], ps)
		} else if ps.at != nil {
			waiting[ps.at.name] = append(waiting[ps.at.name], ps)
		}
		s.join(ps)
		s.useClaims(ps, 1)
	}
	for _, n := range s.nodes {
		n.load(running[n.name], waiting[n.name], s.traits)
	}
	s.loadUnits()
	for slot, n := range s.nodes {
		n.sumUp()
		s.summarize(int32(slot), n)
	}
}

// refresh computes the summary of a node anew after a change.
func (s *Snapshot) refresh(n *nodeState) {
	n.sumUp()
	s.summarize(n.slot, n)
	s.cache.changed(n.slot)
}

// Clone returns an equal snapshot that is independent of s. The two share what
// neither has changed since: cloning costs two pointers for 64 nodes, and the
// first change afterwards one for each node. The clone has no marks, and begins with the
// cached answers of s. Cloning counts as a change of s. Afterwards different
// goroutines may use the two.
func (s *Snapshot) Clone() *Snapshot {
	s.begin()
	s.owner = &owner{} // what is shared from now on belongs to neither
	c := s.view()
	c.slots, c.pods, c.classes = s.slots.share(), s.pods.share(), s.classes.share()
	c.claims, c.namespaces, c.groups = claimIndex{s.claims.share()}, s.namespaces.share(), s.groups.share()
	c.budgetAt, c.cache = s.budgetAt.share(), s.cache.share()
	c.composites, c.units = s.composites.share(), s.units.share()
	return c
}

// view returns a snapshot that can be changed without any change to s. It is
// valid as long as s does not change.
func (s *Snapshot) view() *Snapshot {
	v := &Snapshot{snapshotState: s.snapshotState}
	v.owner, v.journal = &owner{}, journal{}
	v.summaries.blocks, v.summaries.owners = slices.Clone(s.summaries.blocks), slices.Clone(s.summaries.owners)
	v.slots, v.pods, v.classes = s.slots.view(), s.pods.view(), s.classes.view()
	v.namespaces, v.groups, v.budgetAt = s.namespaces.view(), s.groups.view(), s.budgetAt.view()
	v.composites, v.units = s.composites.view(), s.units.view()
	v.answers, v.attachments = s.answers.share(), slices.Clone(s.attachments)
	v.claims, v.topology, v.cache = claimIndex{s.claims.view()}, s.topology.share(), &answerCache{}
	return v
}

// Release says whose rules hold in the snapshot: that of [outrank.Cluster.Release]. The
// requests of the pods are counted by it when they enter the snapshot, so that it does
// not change.
func (s *Snapshot) Release() outrank.Release { return s.of.OrDefault() }

// Nodes iterates over the nodes in the caller's order. The loop may change the snapshot: a
// node that it removes before its turn does not come, one that it updates comes as it is
// then, and one that it adds may come or not.
func (s *Snapshot) Nodes() iter.Seq[*outrank.Node] {
	return func(yield func(*outrank.Node) bool) {
		for _, slot := range s.order {
			if n := s.nodes[slot]; n != nil && n.node != nil && !yield(n.node) {
				return
			}
		}
	}
}

// NumNodes returns the number of nodes.
func (s *Snapshot) NumNodes() int { return len(s.order) }

// Node returns a node by its name.
func (s *Snapshot) Node(name string) (*outrank.Node, bool) {
	if n := s.node(name); n != nil && n.node != nil {
		return n.node, true
	}
	return nil, false
}

// Pod finds a pod by its key ([outrank.Pod.Key]).
func (s *Snapshot) Pod(key outrank.Key) (*outrank.Pod, bool) {
	if p, ok := s.pods.get(key); ok {
		return p.pod, true
	}
	return nil, false
}

// NodeOf is the name of the node a pod runs on, empty for one that is pending
// or unknown.
func (s *Snapshot) NodeOf(key outrank.Key) string {
	if p, ok := s.pods.get(key); ok {
		return p.node()
	}
	return ""
}

// NominationOf is the name of the node a pending pod is nominated to, empty
// without a nomination.
func (s *Snapshot) NominationOf(key outrank.Key) string {
	if p, ok := s.pods.get(key); ok {
		return p.nominated()
	}
	return ""
}

// PodsOn lists the pods on a node by importance (group 4.3), a missing start
// time counting as later than any. The slice is the caller's.
func (s *Snapshot) PodsOn(node string) []*outrank.Pod {
	if n := s.node(node); n != nil {
		return podsOf(n.pods)
	}
	return nil
}

// NominatedTo lists the pending pods nominated to a node, by importance.
func (s *Snapshot) NominatedTo(node string) []*outrank.Pod {
	if n := s.node(node); n != nil {
		return podsOf(n.nominated)
	}
	return nil
}

// Used returns what the pods on a node take of a resource: millicores of cpu,
// units of any other resource, and their number under "pods". It saturates at
// the largest int64. It is 0 for resources that no node accounts for.
func (s *Snapshot) Used(node string, name resource.Name) int64 {
	n := s.node(node)
	if n == nil {
		return 0
	}
	if name == resource.Pods {
		return int64(len(n.pods))
	}
	if i := s.columns.of(name); i >= 0 {
		return n.taken.std[i].saturated()
	}
	return n.taken.of(name).saturated()
}

// partition returns the nodes divided by a topology key.
func (s *Snapshot) partition(key string) *partition {
	return s.topology.of(key, s.order, s.nodes, s.owner)
}

func podsOf(ps []*podState) []*outrank.Pod {
	out := make([]*outrank.Pod, len(ps))
	for i, p := range ps {
		out[i] = p.pod
	}
	return out
}

// node returns what is known of a node, nil for nothing.
func (s *Snapshot) node(name string) *nodeState {
	if slot, ok := s.slots.get(name); ok {
		return s.nodes[slot]
	}
	return nil
}

// writeNodes makes the list of nodes one that may be written, and writeOrder their
// order.
func (s *Snapshot) writeNodes() {
	if s.nodesOwner != s.owner {
		s.nodes, s.free, s.nodesOwner = slices.Clone(s.nodes), slices.Clone(s.free), s.owner
	}
}

func (s *Snapshot) writeOrder() {
	if s.orderOwner != s.owner || s.names.names != nil {
		s.names = &nodeNames{} // no other snapshot has these
	}
	if s.orderOwner != s.owner {
		s.order, s.orderOwner = slices.Clone(s.order), s.owner
	}
}

// writable returns the state of a node for writing, a new one if there is none.
func (s *Snapshot) writable(name string) *nodeState {
	s.writeNodes()
	slot, ok := s.slots.get(name)
	if !ok {
		slot = s.newSlot()
		s.slots.set(name, slot)
		s.nodes[slot] = newNodeState(name, slot, s.owner)
	}
	if s.nodes[slot].owner != s.owner {
		s.nodes[slot] = s.nodes[slot].clone(s.owner)
	}
	return s.nodes[slot]
}

func (s *Snapshot) newSlot() int32 {
	if last := len(s.free) - 1; last >= 0 {
		slot := s.free[last]
		s.free = s.free[:last]
		return slot
	}
	s.nodes = append(s.nodes, nil)
	return int32(len(s.nodes) - 1)
}

// release forgets a node that does not exist and that no pod names.
func (s *Snapshot) release(n *nodeState) {
	if !n.empty() {
		return
	}
	s.slots.remove(n.name)
	s.nodes[n.slot] = nil
	s.free = append(s.free, n.slot)
}

// put adds a pod that is not in the snapshot.
//
// Attached filters are told last, here and in all changes: where they panic, the
// snapshot is whole, and Undo reverts the change.
func (s *Snapshot) put(p *podState) {
	s.pods.set(p)
	var n *nodeState
	if p.at != nil {
		n = s.writable(p.at.name)
	}
	if p.running {
		n.addPod(p, s.traits)
		s.joinUnit(p, n)
		s.refresh(n)
	} else if p.at != nil {
		n.nominated = insertByImportance(n.nominated, p)
		s.refresh(n)
	}
	s.join(p)
	s.useClaims(p, 1)
	s.journal.record(step{kind: putPod, pod: p})
	if p.running {
		s.attachments.follow(n, p, 1, s.owner)
	}
}

// drop removes a pod.
func (s *Snapshot) drop(p *podState) {
	s.pods.remove(p)
	s.leave(p)
	s.useClaims(p, -1)
	s.journal.record(step{kind: dropPod, pod: p})
	if p.at == nil {
		return
	}
	n := s.writable(p.at.name)
	if p.running {
		n.removePod(p, s.traits)
		s.leaveUnit(p, n)
	} else {
		n.nominated = removeByImportance(n.nominated, p)
	}
	s.refresh(n)
	if p.running {
		s.attachments.follow(n, p, -1, s.owner)
	}
	s.release(n)
}

// changeNode replaces the node of a slot by another version of it, which has its
// place in the order.
func (s *Snapshot) changeNode(slot int32, obj *outrank.Node) {
	n := s.writable(s.nodes[slot].name)
	s.journal.record(step{kind: changeNode, node: n.node})
	s.topology.relabel(slot, n.node.Labels, obj.Labels, s.owner)
	was := n.node
	s.replaceNode(n, obj)
	s.attachments.followNode(n, was, s.owner)
}

// replaceNode puts another node, or nil for none, in the place of the one that there
// is, and tells everybody who has to know but attached filters.
func (s *Snapshot) replaceNode(n *nodeState, obj *outrank.Node) {
	joins, leaves := n.node == nil && obj != nil, n.node != nil && obj == nil
	if leaves {
		s.leaveUnits(n)
	}
	n.setNode(obj, s.columns)
	if obj != nil {
		for k, v := range n.offers.std {
			s.smallest[k] = min(s.smallest[k], v)
		}
	}
	if joins {
		s.joinUnits(n)
	}
	s.answers.changed(n.slot, len(s.nodes))
	s.refresh(n)
}

// setNode inserts a node at a position in the order.
func (s *Snapshot) setNode(name string, obj *outrank.Node, position int) {
	n := s.writable(name)
	was := n.node
	s.replaceNode(n, obj)
	s.topology.relabel(n.slot, nil, obj.Labels, s.owner)
	s.cache.forget()
	s.writeOrder()
	if position < len(s.order) {
		s.order = slices.Clone(s.order) // a loop may be going over it
	}
	s.order = slices.Insert(s.order, position, n.slot)
	s.journal.record(step{kind: putNode, node: obj, position: position})
	s.attachments.followNode(n, was, s.owner)
}

// unsetNode removes the node at a position in the order.
func (s *Snapshot) unsetNode(position int) {
	n := s.writable(s.nodes[s.order[position]].name)
	was := n.node
	s.journal.record(step{kind: dropNode, node: n.node, position: position})
	s.topology.relabel(n.slot, n.node.Labels, nil, s.owner)
	s.writeOrder()
	s.order = slices.Delete(slices.Clone(s.order), position, position+1) // a loop may be going over it
	s.replaceNode(n, nil)
	s.cache.forget()
	s.attachments.followNode(n, was, s.owner)
	s.release(n)
}

// summarize works out the nodeSummary of a slot anew.
func (s *Snapshot) summarize(slot int32, n *nodeState) {
	l := summaryOf(n)
	if s.traits.restricts(n.node) {
		l.flags |= restricted
	}
	if n.grouped > 0 && s.rules.VictimUnits {
		l.flags |= s.units.flagsOf(n)
	}
	s.summaries.set(slot, n, l, s.owner)
}

// levelAbove returns the i-th level above the lowest, nil if there is none.
func (s *Snapshot) levelAbove(slot int32, i int) *level {
	if i > numUpperLevels {
		if n := s.nodes[slot]; i < len(n.levels) {
			return &n.levels[i]
		}
		return nil
	}
	above := &s.summaries.blocks[uint32(slot)/summaryBlockSize].upperLevels[i-1][uint32(slot)%summaryBlockSize]
	if above.pods == 0 {
		return nil
	}
	return above
}

// useClaims counts the claims of a pod in (by is 1) or out (by is -1). Pods
// without a node use no claims.
func (s *Snapshot) useClaims(p *podState, by int32) {
	if !p.running || len(p.pod.Volumes) == 0 {
		return
	}
	slot, _ := s.slots.get(p.at.name)
	s.claims.use(p.pod, slot, by, s.owner)
}
