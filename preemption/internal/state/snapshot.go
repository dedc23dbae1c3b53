package state

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/resource"
)

// Snapshot is a preemption.Snapshot as the engine has it. The zero Snapshot has nothing, and
// becomes that of an empty cluster at its first change.
type Snapshot struct {
	_ noCopy
	// Holder is the preemption.Snapshot by which users hold it, nil without one.
	Holder any
	snapshotState
}

// noCopy has the methods of a lock, by which go vet knows what must not be copied.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// snapshotState is all that a snapshot knows. A view begins as a copy of it.
type snapshotState struct {
	Owner *Owner
	// Of is the release whose rules hold, and rules are what it says.
	Of         outrank.Release
	Rules      release.Rules
	traits     filterTraits
	NodeStates []*NodeState       // by slot; nil where free
	Slots      sharedIndex[int32] // slot by name
	Order      []int32            // slots of the nodes the snapshot holds, in the caller's order
	free       []int32
	Names      *NodeNames // of the nodes in order
	// nodesOwner is the owner of nodes and free, orderOwner that of order.
	nodesOwner, orderOwner *Owner

	Summaries Summaries // by slot
	// Smallest is at most what any node of the snapshot offers, by column. It does not
	// rise when a small node goes.
	Smallest  AmountRow
	Columns   *Columns
	Topology  *topology
	Cache     *AnswerCache
	Costs     *costMemory
	Answers   *ruleAnswers // of the caller's rules
	PodStates podIndex
	Classes   sharedIndex[*ClassMembers] // by key
	// Claims counts the uses of claims by pods on nodes, by key.
	Claims claimIndex
	// repelling counts the kinds with required anti-affinity.
	AntiAffinityClasses int
	NamespacesByName    sharedIndex[*outrank.Namespace]
	BudgetSet           *BudgetSet
	// budgetAt is where a budget was found last, by key; another may be there now.
	budgetAt sharedIndex[int32]
	groupObjects
	// Units are what the groups make of running pods.
	Units unitIndex
	// Attachments are the states of filters that follow all changes.
	Attachments attachments
	Journal     journal
}

// New indexes a cluster for filters with these traits.
func New(c *outrank.Cluster, traits filterTraits) (*Snapshot, error) {
	if c == nil {
		c = &outrank.Cluster{}
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return indexed(c, traits), nil
}

// indexed is New for a cluster without fault.
func indexed(c *outrank.Cluster, traits filterTraits) *Snapshot {
	o := &Owner{}
	s := &Snapshot{snapshotState: snapshotState{
		Owner: o, nodesOwner: o, orderOwner: o,
		Of:               c.Release.OrDefault(),
		Rules:            release.Of(release.Release(c.Release)),
		traits:           traits,
		Names:            &NodeNames{},
		Slots:            NewSharedIndex[int32](len(c.Nodes)),
		PodStates:        newPodIndex(len(c.Pods)),
		Columns:          ColumnsFor(c),
		Smallest:         AmountRow{math.MaxInt64, math.MaxInt64, math.MaxInt64},
		Topology:         newTopology(),
		Cache:            &AnswerCache{},
		Costs:            &costMemory{},
		Answers:          newRuleAnswers(),
		Classes:          NewSharedIndex[*ClassMembers](0),
		Claims:           claimIndex{NewSharedIndex[*ClaimUsers](0)},
		NamespacesByName: NewSharedIndex[*outrank.Namespace](len(c.Namespaces)),
		BudgetSet:        newBudgetSet(c.Budgets),
		budgetAt:         NewSharedIndex[int32](0),
	}}
	s.groupObjects = groupObjects{NewSharedIndex[*outrank.PodGroup](len(c.Groups)), NewSharedIndex[*outrank.CompositePodGroup](len(c.Composites)), s.Rules.CompositeUnits}
	s.Units = newUnitIndex()
	for _, ns := range c.Namespaces {
		s.NamespacesByName.Set(ns.Name, ns)
	}
	for _, g := range c.Groups {
		s.groups.Set(string(g.Key()), g)
	}
	for _, g := range c.Composites {
		s.composites.Set(string(g.Key()), g)
	}
	for _, n := range c.Nodes {
		s.setNode(n.Name, n, len(s.Order))
	}
	s.load(c.Pods)
	return s
}

// UsualTraits are those of the built-in filters, which the filter layer sets.
var UsualTraits filterTraits

// Empty returns the state of an empty cluster.
func Empty() *Snapshot { return indexed(&outrank.Cluster{}, UsualTraits) }

// load puts all pods into a new snapshot. It sorts the pods of each node only
// once.
func (s *Snapshot) load(pods []*outrank.Pod) {
	running, waiting := map[string][]*PodState{}, map[string][]*PodState{}
	covering := s.BudgetSet.matcher.Finder().Covering
	for _, p := range pods {
		if p.Finished() {
			continue
		}
		if at := cmp.Or(p.NodeName, p.NominatedNodeName); at != "" {
			s.writable(at)
		}
		ps := s.NewPodState(p, p.NodeName, p.NominatedNodeName, s.classWith(p, covering))
		s.PodStates.set(ps)
		if ps.Running {
			running[ps.At.Name] = append(running[ps.At.Name], ps)
		} else if ps.At != nil {
			waiting[ps.At.Name] = append(waiting[ps.At.Name], ps)
		}
		s.join(ps)
		s.useClaims(ps, 1)
	}
	for _, n := range s.NodeStates {
		n.load(running[n.Name], waiting[n.Name], s.traits)
	}
	s.loadUnits()
	for slot, n := range s.NodeStates {
		n.sumUp()
		s.summarize(int32(slot), n)
	}
}

// refresh computes the summary of a node anew after a change.
func (s *Snapshot) refresh(n *NodeState) {
	n.sumUp()
	s.summarize(n.Slot, n)
	s.Cache.changed(n.Slot)
}

// Clone is preemption.Snapshot.Clone.
func (s *Snapshot) Clone() *Snapshot {
	s.Owner = &Owner{} // what is shared from now on belongs to neither
	c := s.View()
	c.Slots, c.PodStates, c.Classes = s.Slots.Share(), s.PodStates.share(), s.Classes.Share()
	c.Claims, c.NamespacesByName, c.groups = claimIndex{s.Claims.Share()}, s.NamespacesByName.Share(), s.groups.Share()
	c.budgetAt, c.Cache = s.budgetAt.Share(), s.Cache.share()
	c.composites, c.Units = s.composites.Share(), s.Units.share()
	return c
}

// View returns a snapshot that can be changed without any change to s. It is
// valid as long as s does not change.
func (s *Snapshot) View() *Snapshot {
	v := &Snapshot{snapshotState: s.snapshotState}
	v.Owner, v.Journal = &Owner{}, journal{}
	v.Summaries.blocks, v.Summaries.owners = slices.Clone(s.Summaries.blocks), slices.Clone(s.Summaries.owners)
	v.Slots, v.PodStates, v.Classes = s.Slots.view(), s.PodStates.view(), s.Classes.view()
	v.NamespacesByName, v.groups, v.budgetAt = s.NamespacesByName.view(), s.groups.view(), s.budgetAt.view()
	v.composites, v.Units = s.composites.view(), s.Units.view()
	v.Answers, v.Attachments = s.Answers.share(), slices.Clone(s.Attachments)
	v.Claims, v.Topology, v.Cache = claimIndex{s.Claims.view()}, s.Topology.share(), &AnswerCache{}
	return v
}

// Release is preemption.Snapshot.Release.
func (s *Snapshot) Release() outrank.Release { return s.Of.OrDefault() }

// Nodes is preemption.Snapshot.Nodes.
func (s *Snapshot) Nodes() iter.Seq[*outrank.Node] {
	return func(yield func(*outrank.Node) bool) {
		for _, slot := range s.Order {
			if n := s.NodeStates[slot]; n != nil && n.Node != nil && !yield(n.Node) {
				return
			}
		}
	}
}

// NumNodes is preemption.Snapshot.NumNodes.
func (s *Snapshot) NumNodes() int { return len(s.Order) }

// Node is preemption.Snapshot.Node.
func (s *Snapshot) Node(name string) (*outrank.Node, bool) {
	if n := s.NodeState(name); n != nil && n.Node != nil {
		return n.Node, true
	}
	return nil, false
}

// Pod is preemption.Snapshot.Pod.
func (s *Snapshot) Pod(key outrank.Key) (*outrank.Pod, bool) {
	if p, ok := s.PodStates.Get(key); ok {
		return p.Pod, true
	}
	return nil, false
}

// NodeOf is preemption.Snapshot.NodeOf.
func (s *Snapshot) NodeOf(key outrank.Key) string {
	if p, ok := s.PodStates.Get(key); ok {
		return p.Node()
	}
	return ""
}

// NominationOf is preemption.Snapshot.NominationOf.
func (s *Snapshot) NominationOf(key outrank.Key) string {
	if p, ok := s.PodStates.Get(key); ok {
		return p.Nominated()
	}
	return ""
}

// PodsOn is preemption.Snapshot.PodsOn.
func (s *Snapshot) PodsOn(node string) []*outrank.Pod {
	if n := s.NodeState(node); n != nil {
		return PodsOf(n.Pods)
	}
	return nil
}

// NominatedTo is preemption.Snapshot.NominatedTo.
func (s *Snapshot) NominatedTo(node string) []*outrank.Pod {
	if n := s.NodeState(node); n != nil {
		return PodsOf(n.Nominated)
	}
	return nil
}

// Used is preemption.Snapshot.Used.
func (s *Snapshot) Used(node string, name resource.Name) int64 {
	n := s.NodeState(node)
	if n == nil {
		return 0
	}
	if name == resource.Pods {
		return int64(len(n.Pods))
	}
	if i := s.Columns.Of(name); i >= 0 {
		return n.Taken.Std[i].Saturated()
	}
	return n.Taken.Of(name).Saturated()
}

// Partition returns the nodes divided by a topology key.
func (s *Snapshot) Partition(key string) *Partition {
	return s.Topology.of(key, s.Order, s.NodeStates, s.Owner)
}

// PodsOf returns the pods themselves.
func PodsOf(ps []*PodState) []*outrank.Pod {
	out := make([]*outrank.Pod, len(ps))
	for i, p := range ps {
		out[i] = p.Pod
	}
	return out
}

// NodeState returns what is known of a node, nil for nothing.
func (s *Snapshot) NodeState(name string) *NodeState {
	if slot, ok := s.Slots.Get(name); ok {
		return s.NodeStates[slot]
	}
	return nil
}

// writeNodes makes the list of nodes one that may be written, and writeOrder their
// order.
func (s *Snapshot) writeNodes() {
	if s.nodesOwner != s.Owner {
		s.NodeStates, s.free, s.nodesOwner = slices.Clone(s.NodeStates), slices.Clone(s.free), s.Owner
	}
}

func (s *Snapshot) writeOrder() {
	if s.orderOwner != s.Owner || s.Names.Names != nil {
		s.Names = &NodeNames{} // no other snapshot has these
	}
	if s.orderOwner != s.Owner {
		s.Order, s.orderOwner = slices.Clone(s.Order), s.Owner
	}
}

// writable returns the state of a node for writing, a new one if there is none.
func (s *Snapshot) writable(name string) *NodeState {
	s.writeNodes()
	slot, ok := s.Slots.Get(name)
	if !ok {
		slot = s.newSlot()
		s.Slots.Set(name, slot)
		s.NodeStates[slot] = NewNodeState(name, slot, s.Owner)
	}
	if s.NodeStates[slot].Owner != s.Owner {
		s.NodeStates[slot] = s.NodeStates[slot].clone(s.Owner)
	}
	return s.NodeStates[slot]
}

func (s *Snapshot) newSlot() int32 {
	if last := len(s.free) - 1; last >= 0 {
		slot := s.free[last]
		s.free = s.free[:last]
		return slot
	}
	s.NodeStates = append(s.NodeStates, nil)
	return int32(len(s.NodeStates) - 1)
}

// release forgets a node that does not exist and that no pod names.
func (s *Snapshot) release(n *NodeState) {
	if !n.empty() {
		return
	}
	s.Slots.Remove(n.Name)
	s.NodeStates[n.Slot] = nil
	s.free = append(s.free, n.Slot)
}

// Put adds a pod that is not in the snapshot.
//
// Attached filters are told last, here and in all changes: where they panic, the
// snapshot is whole, and Undo reverts the change.
func (s *Snapshot) Put(p *PodState) {
	s.PodStates.set(p)
	var n *NodeState
	if p.At != nil {
		n = s.writable(p.At.Name)
	}
	if p.Running {
		n.addPod(p, s.traits)
		s.joinUnit(p, n)
		s.refresh(n)
	} else if p.At != nil {
		n.Nominated = insertByImportance(n.Nominated, p)
		s.refresh(n)
	}
	s.join(p)
	s.useClaims(p, 1)
	s.Journal.record(step{kind: putPod, pod: p})
	if p.Running {
		s.Attachments.follow(n, p, 1, s.Owner)
	}
}

// Drop removes a pod.
func (s *Snapshot) Drop(p *PodState) {
	s.PodStates.remove(p)
	s.leave(p)
	s.useClaims(p, -1)
	s.Journal.record(step{kind: dropPod, pod: p})
	if p.At == nil {
		return
	}
	n := s.writable(p.At.Name)
	if p.Running {
		n.removePod(p, s.traits)
		s.leaveUnit(p, n)
	} else {
		n.Nominated = removeByImportance(n.Nominated, p)
	}
	s.refresh(n)
	if p.Running {
		s.Attachments.follow(n, p, -1, s.Owner)
	}
	s.release(n)
}

// changeNode replaces the node of a slot by another version of it, which has its
// place in the order.
func (s *Snapshot) changeNode(slot int32, obj *outrank.Node) {
	n := s.writable(s.NodeStates[slot].Name)
	s.Journal.record(step{kind: changeNode, node: n.Node})
	s.Topology.relabel(slot, n.Node.Labels, obj.Labels, s.Owner)
	was := n.Node
	s.replaceNode(n, obj)
	s.Attachments.followNode(n, was, s.Owner)
}

// replaceNode puts another node, or nil for none, in the place of the one that there
// is, and tells everybody who has to know but attached filters.
func (s *Snapshot) replaceNode(n *NodeState, obj *outrank.Node) {
	joins, leaves := n.Node == nil && obj != nil, n.Node != nil && obj == nil
	if leaves {
		s.leaveUnits(n)
	}
	n.setNode(obj, s.Columns)
	if obj != nil {
		for k, v := range n.Offers.Std {
			s.Smallest[k] = min(s.Smallest[k], v)
		}
	}
	if joins {
		s.joinUnits(n)
	}
	s.Answers.changed(n.Slot, len(s.NodeStates))
	s.refresh(n)
}

// setNode inserts a node at a position in the order.
func (s *Snapshot) setNode(name string, obj *outrank.Node, position int) {
	n := s.writable(name)
	was := n.Node
	s.replaceNode(n, obj)
	s.Topology.relabel(n.Slot, nil, obj.Labels, s.Owner)
	s.Cache.forget()
	s.writeOrder()
	if position < len(s.Order) {
		s.Order = slices.Clone(s.Order) // a loop may be going over it
	}
	s.Order = slices.Insert(s.Order, position, n.Slot)
	s.Journal.record(step{kind: putNode, node: obj, position: position})
	s.Attachments.followNode(n, was, s.Owner)
}

// unsetNode removes the node at a position in the order.
func (s *Snapshot) unsetNode(position int) {
	n := s.writable(s.NodeStates[s.Order[position]].Name)
	was := n.Node
	s.Journal.record(step{kind: dropNode, node: n.Node, position: position})
	s.Topology.relabel(n.Slot, n.Node.Labels, nil, s.Owner)
	s.writeOrder()
	s.Order = slices.Delete(slices.Clone(s.Order), position, position+1) // a loop may be going over it
	s.replaceNode(n, nil)
	s.Cache.forget()
	s.Attachments.followNode(n, was, s.Owner)
	s.release(n)
}

// summarize works out the NodeSummary of a slot anew.
func (s *Snapshot) summarize(slot int32, n *NodeState) {
	l := SummaryOf(n)
	if s.traits.Restricts(n.Node) {
		l.Flags |= Restricted
	}
	if n.Grouped > 0 && s.Rules.VictimUnits {
		l.Flags |= s.Units.flagsOf(n)
	}
	s.Summaries.Set(slot, n, l, s.Owner)
}

// LevelAbove returns the i-th level above the lowest, nil if there is none.
func (s *Snapshot) LevelAbove(slot int32, i int) *Level {
	if i > NumUpperLevels {
		if n := s.NodeStates[slot]; i < len(n.Levels) {
			return &n.Levels[i]
		}
		return nil
	}
	above := &s.Summaries.blocks[uint32(slot)/SummaryBlockSize].upperLevels[i-1][uint32(slot)%SummaryBlockSize]
	if above.Pods == 0 {
		return nil
	}
	return above
}

// useClaims counts the claims of a pod in (by is 1) or out (by is -1). Pods
// without a node use no claims.
func (s *Snapshot) useClaims(p *PodState, by int32) {
	if !p.Running || len(p.Pod.Volumes) == 0 {
		return
	}
	slot, _ := s.Slots.Get(p.At.Name)
	s.Claims.use(p.Pod, slot, by, s.Owner)
}
