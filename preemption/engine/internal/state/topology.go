package state

import (
	"maps"
	"slices"
	"sync"
)

// Partition divides the nodes into the domains of a topology key, by the values of that label. The snapshot
// that owns it may write it; any other snapshot copies it first.
type Partition struct {
	owner *Owner
	// lineage is shared by a partition and its copies. In all of them an id stands for the same domain.
	lineage *Owner
	// IDs has, by slot, the id of the node's domain, or NoDomain.
	IDs []int32
	// Domains is the number of ids that were given out. The id of a domain that has become empty is reused
	// for the next new value.
	Domains int
	Nodes   []int32            // number of nodes in each domain, by id
	IDOf    sharedIndex[int32] // id of each value that some node has
	Unused  []int32            // ids of empty domains
}

// NoDomain stands for a node without the topology key.
const NoDomain = -1

// Continues reports whether the ids have the same meaning as in an earlier partition.
func (p *Partition) Continues(earlier *Partition) bool { return p.lineage == earlier.lineage }

// Of returns the id of the domain that a node is in, or NoDomain.
func (p *Partition) Of(slot int32) int32 {
	if int(slot) < len(p.IDs) {
		return p.IDs[slot]
	}
	return NoDomain // the slot is newer than the partition, and has no such label
}

// newPartition divides the nodes of an order. nodes has their states by slot.
func newPartition(key string, order []int32, nodes []*NodeState, o *Owner) *Partition {
	p := &Partition{owner: o, lineage: &Owner{}, IDs: Fill[int32](nil, len(nodes), NoDomain), IDOf: NewSharedIndex[int32](0)}
	for _, slot := range order {
		if value, ok := nodes[slot].Node.Labels[key]; ok {
			p.enter(slot, value)
		}
	}
	return p
}

// copy returns an equal partition for another owner. Its index is a view of p's. That is safe because the
// snapshot that owns p does not change while the copy is in use; Clone and Scratch see to that.
func (p *Partition) copy(o *Owner) *Partition {
	return &Partition{
		owner: o, lineage: p.lineage, IDs: slices.Clone(p.IDs), Domains: p.Domains,
		Nodes: slices.Clone(p.Nodes), IDOf: p.IDOf.view(), Unused: slices.Clone(p.Unused),
	}
}

// enter adds a node to the domain of a value.
func (p *Partition) enter(slot int32, value string) {
	id, ok := p.IDOf.Get(value)
	if !ok {
		id = p.newID()
		p.IDOf.Set(value, id)
	}
	p.Nodes[id]++

	// The slot may be newer than the partition.
	for len(p.IDs) <= int(slot) {
		p.IDs = append(p.IDs, NoDomain)
	}
	p.IDs[slot] = id
}

// leave removes a node from the domain of a value.
func (p *Partition) leave(slot int32, value string) {
	id := p.IDs[slot]
	p.IDs[slot] = NoDomain
	if p.Nodes[id]--; p.Nodes[id] == 0 {
		p.IDOf.Remove(value)
		p.Unused = append(p.Unused, id)
	}
}

// newID returns an unused id: that of the domain that became empty last, or else a new one.
func (p *Partition) newID() int32 {
	if last := len(p.Unused) - 1; last >= 0 {
		id := p.Unused[last]
		p.Unused = p.Unused[:last]
		return id
	}
	p.Domains++
	p.Nodes = append(p.Nodes, 0)
	return int32(p.Domains - 1)
}

// topology keeps the partitions that decisions have asked for, so that not every decision looks up labels,
// and the counts of filters by domain.
type topology struct {
	mu     sync.Mutex // guards ByKey, to which readers of a snapshot add partitions
	ByKey  map[string]*Partition
	Counts countMemory
}

// MostPartitions is the number of partitions that a topology keeps. When one more is needed, all others are
// dropped.
const MostPartitions = 64

func newTopology() *topology {
	return &topology{ByKey: map[string]*Partition{}, Counts: countMemory{owner: &Owner{}}}
}

// share returns a copy for a snapshot with the same nodes.
func (t *topology) share() *topology {
	other := &topology{}
	t.Counts.shareWith(&other.Counts)
	t.mu.Lock()
	defer t.mu.Unlock()
	other.ByKey = maps.Clone(t.ByKey)
	return other
}

// partition returns the partition for a topology key. The first call for a key takes
// time linear in the number of nodes.
func (t *topology) partition(key string, order []int32, nodes []*NodeState, o *Owner) *Partition {
	t.mu.Lock()
	defer t.mu.Unlock()

	p, ok := t.ByKey[key]
	if !ok {
		if len(t.ByKey) >= MostPartitions {
			clear(t.ByKey)
		}
		p = newPartition(key, order, nodes, o)
		t.ByKey[key] = p
	}
	return p
}

// relabel updates the partitions after the labels of a node have changed. before is nil for a new node, and
// after for one that goes.
func (t *topology) relabel(slot int32, before, after map[string]string, o *Owner) {
	for key, p := range t.ByKey {
		was, wasIn := before[key]
		is, isIn := after[key]
		if was == is && wasIn == isIn {
			continue
		}

		if p.owner != o {
			p = p.copy(o)
			t.ByKey[key] = p
		}

		// leave must come first, because it reads the slot's id, which enter overwrites.
		if wasIn {
			p.leave(slot, was)
		}
		if isIn {
			p.enter(slot, is)
		}
	}
}
