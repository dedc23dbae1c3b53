package state

import (
	"iter"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// Snapshot is the state behind an engine.Snapshot. The zero Snapshot is empty and can only be read:
// package engine puts that of an empty cluster in its place before the first change.
type Snapshot struct {
	_ noCopy
	snapshotState
}

// nodeLists lists the free slots, and says which snapshot may write the lists of nodes.
type nodeLists struct {
	free []int32
	// nodes owns snapshotState.NodeStates and free, and order owns snapshotState.Order.
	nodes, order *Owner
}

// clusterObjects has the objects of a cluster beside nodes, pods and budgets.
type clusterObjects struct {
	namespaces sharedIndex[*outrank.Namespace] // by name
	// budgetAt has the index at which a budget was last found, by key. Another budget may be
	// there now.
	budgetAt sharedIndex[int32]
	groups   groupObjects
}

// share returns a copy. From then on neither side writes what both have.
func (x *clusterObjects) share() clusterObjects {
	return clusterObjects{x.namespaces.Share(), x.budgetAt.Share(), x.groups.share()}
}

// view returns a copy that writes nothing of the original; see sharedIndex.view.
func (x *clusterObjects) view() clusterObjects {
	return clusterObjects{x.namespaces.view(), x.budgetAt.view(), x.groups.view()}
}

// noCopy has the methods of a lock, so that go vet reports copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// snapshotState is everything that a snapshot knows. A scratch begins as a copy of it.
type snapshotState struct {
	// Owner marks the parts that the snapshot may write; it copies any other part first.
	Owner *Owner
	// Of is the release whose rules hold, and Rules has these rules.
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
	Answers   *ruleAnswers // what the caller's rules said about nodes
	ofPods    *podAnswers  // what the caller's rules said about pods
	PodStates podIndex
	Classes   classIndex
	// Claims counts the uses of claims by pods on nodes, by key.
	Claims    claimIndex
	BudgetSet *BudgetSet
	objects   clusterObjects
	// Units has the running pods of each group, and the units in which victims leave.
	Units unitIndex
	// attached has the attachments of the caller's filters and trackers. It is nil in a trial.
	attached *attachments
	// trial is set while a group of pods is tried.
	trial   *trial
	Journal journal
}

// refresh computes the summary of a node anew after its object or a pod on it has changed. The
// node's own sums, which follow each pod, are in line already.
func (s *Snapshot) refresh(n *NodeState) {
	n.version++
	n.Held = s.traits.HeldOn(n, &n.Concerned)
	s.summarize(n.Slot, n)
	s.changed(n.Slot)
}

// refreshNominated is refresh where only the nominated pods of a node have changed. The summary says of
// them whether there are any (HasNominated) and whether they claim too much (LargeAmounts). The second
// flag has other reasons as well, so that a node that has it, or gets it now, is refreshed altogether,
// as is one without a summary.
func (s *Snapshot) refreshNominated(n *NodeState) {
	if n.version == 0 || s.Summaries.At(n.Slot).Flags&LargeAmounts != 0 || claimsTooMuch(n.Nominated) {
		s.refresh(n)
		return
	}
	s.Summaries.setNominated(n.Slot, n, s.Owner)
	s.changed(n.Slot)
}

// changed tells the cache of answers and the counts that a node, or a pod on it, has changed.
func (s *Snapshot) changed(slot int32) {
	s.Cache.changed(slot)
	s.Topology.Counts.changed(slot, len(s.NodeStates))
}

// Clone is engine.Snapshot.Clone.
func (s *Snapshot) Clone() *Snapshot {
	// Parts that the two share from now on belong to neither: with a new owner, s copies a part before it
	// writes it, as the clone does.
	s.Owner = &Owner{}
	c := s.Scratch()

	s.Journal.watcher = s.Journal.watcher.share()
	c.Journal.watcher = s.Journal.watcher.share()

	// A scratch has views of these, which are good only until s changes. A clone outlives changes of
	// s, so that both sides give up the right to write what they have in common.
	c.Slots, c.PodStates = s.Slots.Share(), s.PodStates.share()
	c.Classes, c.Claims = s.Classes.share(), s.Claims.share()
	c.objects, c.Units = s.objects.share(), s.Units.share()
	c.Cache = s.Cache.share()
	return c
}

// Scratch is engine.Snapshot.Scratch. It writes nothing of s but what readers may, under locks.
func (s *Snapshot) Scratch() *Snapshot {
	v := &Snapshot{snapshotState: s.snapshotState}
	v.Owner = &Owner{}
	v.Journal = journal{changes: s.Journal.changes}

	v.Summaries = s.Summaries.share()
	v.Slots, v.PodStates = s.Slots.view(), s.PodStates.view()
	v.Classes, v.Claims = s.Classes.view(), s.Claims.view()
	v.objects, v.Units = s.objects.view(), s.Units.view()

	// In a trial the states of trackers are the trial's, and there are no attachments.
	v.Answers, v.trial = s.Answers.share(), s.trial.share()
	if v.trial == nil {
		v.attached = s.attached.share()
	}

	// To share the cache of answers would write s, so that the scratch begins with an empty one.
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

// eachNominated reads of most nodes only the flags of the summary.
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

// Partition returns the division of the nodes into the domains of a topology key.
func (s *Snapshot) Partition(key string) *Partition {
	return s.Topology.partition(key, s.Order, s.NodeStates, s.Owner)
}

// Counts returns the counts of a filter for preemptors of a shape, up to date. The attempt that
// asks for them must release them.
func (s *Snapshot) Counts(shape []byte, counter Counter) *KeptCounts {
	return s.Topology.Counts.of(shape, counter, len(s.NodeStates))
}

// PodsOf lists the objects of pods, in their order.
func PodsOf(ps []*PodState) []*outrank.Pod {
	out := make([]*outrank.Pod, len(ps))
	for i, p := range ps {
		out[i] = p.Pod
	}
	return out
}

// NodeState returns the state of a node, nil for a name that is unknown.
func (s *Snapshot) NodeState(name string) *NodeState {
	if slot, ok := s.Slots.Get(name); ok {
		return s.NodeStates[slot]
	}
	return nil
}

// writeNodes makes NodeStates and the free slots the snapshot's own, so that it may write them.
func (s *Snapshot) writeNodes() {
	if s.lists.nodes != s.Owner {
		s.lists.nodes = s.Owner
		s.NodeStates = slices.Clone(s.NodeStates)
		s.lists.free = slices.Clone(s.lists.free)
	}
}

// writeOrder makes Order the snapshot's own, so that it may write it, and forgets the positions.
func (s *Snapshot) writeOrder() {
	// Positions that are shared, or computed already, are those of the order before the change. The
	// snapshot keeps positions of its own that nobody has asked for yet.
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

// newSlot returns a slot without a node: the one that was freed last, or one behind all others.
func (s *Snapshot) newSlot() int32 {
	if last := len(s.lists.free) - 1; last >= 0 {
		slot := s.lists.free[last]
		s.lists.free = s.lists.free[:last]
		return slot
	}
	s.NodeStates = append(s.NodeStates, nil)
	return int32(len(s.NodeStates) - 1)
}

// release frees the slot of a node that does not exist and that no pod names. It does nothing to
// any other node.
func (s *Snapshot) release(n *NodeState) {
	if !n.empty() {
		return
	}
	s.Slots.Remove(n.Name)
	s.NodeStates[n.Slot] = nil
	s.lists.free = append(s.lists.free, n.Slot)
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

// LevelAbove returns the i-th level above the lowest of a node, nil if there is none.
func (s *Snapshot) LevelAbove(slot int32, i int) *Level {
	// The first levels are in the block, close to the summary. The node has all of them.
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

// useClaims counts the claims of a pod in (by is 1) or out (by is -1). A pod that is not running
// uses no claims.
func (s *Snapshot) useClaims(p *PodState, by int32) {
	if !p.Running || len(p.Pod.Volumes) == 0 {
		return
	}
	slot, _ := s.Slots.Get(p.At.Name)
	s.Claims.use(p.Pod, slot, by, s.Owner)
}
