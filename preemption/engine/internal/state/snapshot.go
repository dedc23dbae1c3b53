package state

import (
	"iter"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// Snapshot is an engine.Snapshot as the engine has it. The zero Snapshot has nothing, and
// becomes that of an empty cluster at its first change.
type Snapshot struct {
	_ noCopy
	snapshotState
}

// nodeLists says which slots are free, and which snapshot may write the lists of nodes.
type nodeLists struct {
	free []int32
	// nodes is the owner of the states by slot and of free, order that of the order.
	nodes, order *Owner
}

// clusterObjects are what a cluster has beside nodes and pods.
type clusterObjects struct {
	namespaces sharedIndex[*outrank.Namespace] // by name
	// budgetAt is where a budget was found last, by key; another may be there now.
	budgetAt sharedIndex[int32]
	groups   groupObjects
}

func (x *clusterObjects) share() clusterObjects {
	return clusterObjects{x.namespaces.Share(), x.budgetAt.Share(), x.groups.share()}
}

func (x *clusterObjects) view() clusterObjects {
	return clusterObjects{x.namespaces.view(), x.budgetAt.view(), x.groups.view()}
}

// noCopy has the methods of a lock, by which go vet knows what must not be copied.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// snapshotState is all that a snapshot knows. A scratch begins as a copy of it.
type snapshotState struct {
	Owner *Owner
	// Of is the release whose rules hold, and Rules are these rules.
	Of         outrank.Release
	Rules      release.Rules
	traits     filterTraits
	NodeStates []*NodeState       // by slot; nil where free
	Slots      sharedIndex[int32] // slot by name
	Order      []int32            // slots of the nodes the snapshot holds, in the caller's order
	positions  *NodePositions     // of the nodes in order
	lists      nodeLists

	Summaries Summaries // by slot
	Columns   *Columns
	Topology  *topology
	Cache     *AnswerCache
	Answers   *ruleAnswers // of the caller's rules about nodes
	ofPods    *podAnswers  // of those about pods
	PodStates podIndex
	Classes   classIndex
	// Claims counts the uses of claims by pods on nodes, by key.
	Claims    claimIndex
	BudgetSet *BudgetSet
	objects   clusterObjects
	// Units are what the groups make of running pods.
	Units unitIndex
	// attached is what is kept for filters and trackers of the caller, and follows all changes.
	attached *attachments
	// trial is set where a group of pods is tried.
	trial   *trial
	Journal journal
}

// refresh computes the summary of a node anew after a change. What is counted pod by pod is in
// line already.
func (s *Snapshot) refresh(n *NodeState) {
	n.version++
	n.Held = s.traits.HeldOn(n, &n.Concerned)
	s.summarize(n.Slot, n)
	s.changed(n.Slot)
}

// renominate is refresh for a node of which only the nominated pods have changed. Nothing but a
// flag tells of them, unless their amounts are large.
func (s *Snapshot) renominate(n *NodeState) {
	if n.version == 0 || s.Summaries.At(n.Slot).Flags&LargeAmounts != 0 || claimsTooMuch(n.Nominated) {
		s.refresh(n)
		return
	}
	s.Summaries.setNominated(n.Slot, n, s.Owner)
	s.changed(n.Slot)
}

// changed tells those who keep answers or counts that a node, or pods on it, have changed.
func (s *Snapshot) changed(slot int32) {
	s.Cache.changed(slot)
	s.Topology.Counts.changed(slot, len(s.NodeStates))
}

// Clone is engine.Snapshot.Clone.
func (s *Snapshot) Clone() *Snapshot {
	s.Owner = &Owner{} // what is shared from now on belongs to neither
	c := s.Scratch()
	s.Journal.watcher = s.Journal.watcher.share()
	c.Journal.watcher = s.Journal.watcher.share()
	c.Slots, c.PodStates, c.Classes = s.Slots.Share(), s.PodStates.share(), s.Classes.share()
	c.Claims, c.objects, c.Units, c.Cache = s.Claims.share(), s.objects.share(), s.Units.share(), s.Cache.share()
	return c
}

// Scratch is engine.Snapshot.Scratch.
func (s *Snapshot) Scratch() *Snapshot {
	v := &Snapshot{snapshotState: s.snapshotState}
	v.Owner, v.Journal = &Owner{}, journal{changes: s.Journal.changes}
	v.Summaries.blocks, v.Summaries.owners = slices.Clone(s.Summaries.blocks), slices.Clone(s.Summaries.owners)
	v.Summaries.digests = s.Summaries.digests.share()
	v.Slots, v.PodStates, v.Classes = s.Slots.view(), s.PodStates.view(), s.Classes.view()
	v.Claims, v.objects, v.Units = s.Claims.view(), s.objects.view(), s.Units.view()
	v.Answers, v.trial = s.Answers.share(), s.trial.share()
	if v.trial == nil {
		v.attached = s.attached.share()
	}
	v.Topology, v.Cache = s.Topology.share(), &AnswerCache{}
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

// Partition returns the nodes divided by a topology key.
func (s *Snapshot) Partition(key string) *Partition {
	return s.Topology.of(key, s.Order, s.NodeStates, s.Owner)
}

// Counts returns what a filter counts for preemptors of a shape, up to date. The attempt that
// asks has to release it.
func (s *Snapshot) Counts(shape []byte, counter Counter) *KeptCounts {
	return s.Topology.Counts.of(shape, counter, len(s.NodeStates))
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
	if s.lists.nodes != s.Owner {
		s.NodeStates, s.lists.free, s.lists.nodes = slices.Clone(s.NodeStates), slices.Clone(s.lists.free), s.Owner
	}
}

func (s *Snapshot) writeOrder() {
	if s.lists.order != s.Owner || s.positions.bySlot != nil {
		s.positions = &NodePositions{} // no other snapshot has these
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

func (s *Snapshot) newSlot() int32 {
	if last := len(s.lists.free) - 1; last >= 0 {
		slot := s.lists.free[last]
		s.lists.free = s.lists.free[:last]
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
