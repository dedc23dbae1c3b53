package state

import (
	"iter"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// Snapshot is the state behind an engine.Snapshot. The zero Snapshot is empty and can only be read: before
// the first change package engine replaces it by the state of an empty cluster.
type Snapshot struct {
	_ noCopy
	snapshotState
}

// nodeLists has the free slots, and says which snapshot may write the lists of nodes.
type nodeLists struct {
	free []int32
	// nodes is the owner of snapshotState.NodeStates and of free, and order the owner of snapshotState.Order.
	nodes, order *Owner
}

// clusterObjects has the namespaces and groups of a cluster, and an index of its budgets.
type clusterObjects struct {
	namespaces sharedIndex[*outrank.Namespace] // by name
	// budgetAt has, by key, the index in BudgetSet at which a budget was last found. By now another budget
	// may have it.
	budgetAt sharedIndex[int32]
	groups   groupObjects
}

// share returns a copy. From then on neither side writes a part that both have.
func (x *clusterObjects) share() clusterObjects {
	return clusterObjects{x.namespaces.Share(), x.budgetAt.Share(), x.groups.share()}
}

// view returns a copy that never writes a part of x; see sharedIndex.view.
func (x *clusterObjects) view() clusterObjects {
	return clusterObjects{x.namespaces.view(), x.budgetAt.view(), x.groups.view()}
}

// noCopy has the methods of a lock, so that go vet reports copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// snapshotState has all fields of a snapshot. A scratch starts as a copy of it.
type snapshotState struct {
	// Owner marks the parts that the snapshot may write; it copies any other part first.
	Owner *Owner
	// Of is the release whose rules apply, and Rules has these rules.
	Of         outrank.Release
	Rules      release.Rules
	traits     filterTraits
	NodeStates []*NodeState       // by slot; nil where free
	Slots      sharedIndex[int32] // slot by name
	Order      []int32            // slots of the nodes the snapshot holds, in the caller's order
	positions  *NodePositions     // of the nodes in Order
	lists      nodeLists

	Summaries Summaries // by slot
	Columns   *Columns
	Topology  *topology
	Cache     *AnswerCache
	Answers   *ruleAnswers // kept answers of rules about nodes
	ofPods    *podAnswers  // kept answers of the caller's rules about pods
	PodStates podIndex
	Classes   classIndex
	// Claims has, by key, how often pods on each node use a claim.
	Claims    claimIndex
	BudgetSet *BudgetSet
	objects   clusterObjects
	// Units has the running pods of each group, and the units that leave whole.
	Units unitIndex
	// attached has what is kept for the caller's filters and trackers. It is nil in a trial.
	attached *attachments
	// trial is set while a search places a group of pods on the snapshot.
	trial   *trial
	Journal journal
}

// refresh computes the summary of a node anew after its object or a pod on it has changed. The node's own
// sums must be up to date.
func (s *Snapshot) refresh(n *NodeState) {
	n.version++
	n.Held = s.traits.HeldOn(n, &n.Concerned)
	s.summarize(n.Slot, n)
	s.changed(n.Slot)
}

// refreshNominated is refresh after a change of nothing but the nominated pods of a node. Only two flags of
// the summary depend on these: HasNominated and LargeAmounts. The latter has other causes as well, so that a
// node that has it or gets it is refreshed completely, as is a node without a summary.
func (s *Snapshot) refreshNominated(n *NodeState) {
	if n.version == 0 || s.Summaries.At(n.Slot).Flags&LargeAmounts != 0 || claimsTooMuch(n.Nominated) {
		s.refresh(n)
		return
	}
	s.Summaries.setNominated(n.Slot, n, s.Owner)
	s.changed(n.Slot)
}

// changed informs the cache of answers and the filters' counts that a node, or a pod on it, has changed.
func (s *Snapshot) changed(slot int32) {
	s.Cache.changed(slot)
	s.Topology.Counts.changed(slot, len(s.NodeStates))
}

// Clone is engine.Snapshot.Clone.
func (s *Snapshot) Clone() *Snapshot {
	// With new owners on both sides, shared parts belong to neither, and each side copies a part before it
	// writes it.
	s.Owner = &Owner{}
	c := s.Scratch()

	s.Journal.watcher = s.Journal.watcher.share()
	c.Journal.watcher = s.Journal.watcher.share()

	// A scratch has views of these, which are valid only until s changes. A clone outlives changes of s, so
	// that both sides must give up writing what they share.
	c.Slots, c.PodStates = s.Slots.Share(), s.PodStates.share()
	c.Classes, c.Claims = s.Classes.share(), s.Claims.share()
	c.objects, c.Units = s.objects.share(), s.Units.share()
	c.Cache = s.Cache.share()
	return c
}

// Scratch is engine.Snapshot.Scratch. Of s it writes only what readers may write, under locks.
func (s *Snapshot) Scratch() *Snapshot {
	v := &Snapshot{snapshotState: s.snapshotState}
	v.Owner = &Owner{}
	v.Journal = journal{changes: s.Journal.changes}

	v.Summaries = s.Summaries.share()
	v.Slots, v.PodStates = s.Slots.view(), s.PodStates.view()
	v.Classes, v.Claims = s.Classes.view(), s.Claims.view()
	v.objects, v.Units = s.objects.view(), s.Units.view()

	// In a trial the trial keeps the states of trackers, and there are no attachments.
	v.Answers, v.trial = s.Answers.share(), s.trial.share()
	if v.trial == nil {
		v.attached = s.attached.share()
	}

	// Sharing the cache of answers would write s, so that the scratch starts with an empty one.
	v.Topology = s.Topology.share()
	v.Cache = &AnswerCache{}
	return v
}

// Nodes is engine.Snapshot.Nodes.
func (s *Snapshot) Nodes() iter.Seq[*outrank.Node] {
	return func(yield func(*outrank.Node) bool) {
		for _, slot := range s.Order {
			if n := s.NodeStates[slot]; n != nil && n.Node != nil && !yield(n.Node) {
				return
			}
		}
	}
}

// Node is engine.Snapshot.Node.
func (s *Snapshot) Node(name string) (*outrank.Node, bool) {
	if n := s.NodeState(name); n != nil && n.Node != nil {
		return n.Node, true
	}
	return nil, false
}

// Pod is engine.Snapshot.Pod.
func (s *Snapshot) Pod(key outrank.Key) (*outrank.Pod, bool) {
	if p, ok := s.PodStates.Get(key); ok {
		return p.Pod, true
	}
	return nil, false
}

// NodeOf is engine.Snapshot.NodeOf.
func (s *Snapshot) NodeOf(key outrank.Key) string {
	if p, ok := s.PodStates.Get(key); ok {
		return p.Node()
	}
	return ""
}

// NominationOf is engine.Snapshot.NominationOf.
func (s *Snapshot) NominationOf(key outrank.Key) string {
	if p, ok := s.PodStates.Get(key); ok {
		return p.Nominated()
	}
	return ""
}

// NominatedTo is engine.Snapshot.NominatedTo.
func (s *Snapshot) NominatedTo(node string) []*outrank.Pod {
	if n := s.NodeState(node); n != nil {
		return PodsOf(n.Nominated)
	}
	return nil
}

// Nominated is engine.Snapshot.Nominated.
func (s *Snapshot) Nominated() iter.Seq2[*outrank.Pod, string] { return s.eachNominated }

// eachNominated yields the nominated pods with their nodes. Of most nodes it reads only the flags of the
// summary.
func (s *Snapshot) eachNominated(yield func(*outrank.Pod, string) bool) {
	for _, slot := range s.Order {
		if s.Summaries.At(slot).Flags&HasNominated == 0 {
			continue
		}
		n := s.NodeStates[slot]
		for _, p := range n.Nominated {
			if !yield(p.Pod, n.Name) {
				return
			}
		}
	}
}

// Release is engine.Snapshot.Release.
func (s *Snapshot) Release() outrank.Release { return s.Of.OrDefault() }

// Partition returns how the nodes are divided into the domains of a topology key.
func (s *Snapshot) Partition(key string) *Partition {
	return s.Topology.partition(key, s.Order, s.NodeStates, s.Owner)
}

// Counts returns a filter's counts for preemptors of one shape, up to date. The caller must release them.
func (s *Snapshot) Counts(shape []byte, counter Counter) *KeptCounts {
	return s.Topology.Counts.of(shape, counter, len(s.NodeStates))
}

// PodsOf returns the objects of pods, in the same order.
func PodsOf(ps []*PodState) []*outrank.Pod {
	out := make([]*outrank.Pod, len(ps))
	for i, p := range ps {
		out[i] = p.Pod
	}
	return out
}

// NodeState returns the state of a node, nil if neither a node nor a pod has given its name.
func (s *Snapshot) NodeState(name string) *NodeState {
	if slot, ok := s.Slots.Get(name); ok {
		return s.NodeStates[slot]
	}
	return nil
}

// writeNodes copies NodeStates and the list of free slots if another snapshot may share them. They may be
// written afterwards.
func (s *Snapshot) writeNodes() {
	if s.lists.nodes != s.Owner {
		s.lists.nodes = s.Owner
		s.NodeStates = slices.Clone(s.NodeStates)
		s.lists.free = slices.Clone(s.lists.free)
	}
}

// writeOrder copies Order if another snapshot may share it, and drops the positions. Order may be written
// afterwards.
func (s *Snapshot) writeOrder() {
	// Positions that are shared or already computed belong to the old order. The snapshot's own that nobody
	// has asked for yet can stay.
	if s.lists.order != s.Owner || s.positions.bySlot != nil {
		s.positions = &NodePositions{}
	}
	if s.lists.order != s.Owner {
		s.Order, s.lists.order = slices.Clone(s.Order), s.Owner
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

// newSlot returns a slot without a node: the one that was freed last, or else a new one.
func (s *Snapshot) newSlot() int32 {
	if last := len(s.lists.free) - 1; last >= 0 {
		slot := s.lists.free[last]
		s.lists.free = s.lists.free[:last]
		return slot
	}
	s.NodeStates = append(s.NodeStates, nil)
	return int32(len(s.NodeStates) - 1)
}

// release frees the slot of a node if the node does not exist and no pod names it.
func (s *Snapshot) release(n *NodeState) {
	if !n.empty() {
		return
	}
	s.Slots.Remove(n.Name)
	s.NodeStates[n.Slot] = nil
	s.lists.free = append(s.lists.free, n.Slot)
}

// summarize computes the NodeSummary of a node.
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

// LevelAbove returns the i-th level above the lowest one of a node, nil if there is none. i must be at least
// 1.
func (s *Snapshot) LevelAbove(slot int32, i int) *Level {
	// The block has the first levels, close to the summary. The node has all of them.
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

// useClaims adds the claims of a pod to the counts (by is 1) or subtracts them (-1). A pending pod uses no
// claims.
func (s *Snapshot) useClaims(p *PodState, by int32) {
	if !p.Running || len(p.Pod.Volumes) == 0 {
		return
	}
	slot, _ := s.Slots.Get(p.At.Name)
	s.Claims.use(p.Pod, slot, by, s.Owner)
}
