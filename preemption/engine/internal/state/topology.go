package state

import (
	"maps"
	"slices"
	"sync"
)

// Partition divides the nodes into the domains of a topology key, by the values that their labels
// have for it. The snapshot that owns it may write it; any other snapshot copies it first.
type Partition struct {
	owner *Owner
	// lineage marks a partition and its copies. In all of them the ids mean the same.
	lineage *Owner
	// IDs has, by slot, the id of the domain that the slot is in, NoDomain for none.
	IDs []int32
	// Domains is larger than every id. When the last node leaves a domain, its id is kept until
	// another value needs one.
	Domains int
	Nodes   []int32            // the number of nodes in each domain, by id
	IDOf    sharedIndex[int32] // the id of each value, without the empty domains
	Unused  []int32            // the ids of empty domains
}

// NoDomain stands for a node without the topology key.
const NoDomain = -1

// Continues reports whether the ids mean the same as those of an earlier partition.
func (p *Partition) Continues(earlier *Partition) bool { return p.lineage == earlier.lineage }

// Of returns the domain of a slot.
func (p *Partition) Of(slot int32) int32 {
	if int(slot) < len(p.IDs) {
		return p.IDs[slot]
	}
	return NoDomain // the slot is newer than the partition, and has no such label
}

// newPartition divides the nodes of an order, whose states are given by slot.
func newPartition(key string, order []int32, nodes []*NodeState, o *Owner) *Partition {
	p := &Partition{owner: o, lineage: &Owner{}, IDs: Fill[int32](nil, len(nodes), NoDomain), IDOf: NewSharedIndex[int32](0)}
	for _, slot := range order {
		if value, ok := nodes[slot].Node.Labels[key]; ok {
			p.enter(slot, value)
		}
	}
	return p
}

// copy returns an equal partition for another owner. Its index is a view of the index of p: no
// snapshot that owns p changes while the copy is in use (Clone and Scratch see to that).
func (p *Partition) copy(o *Owner) *Partition {
	return &Partition{
		owner: o, lineage: p.lineage, IDs: slices.Clone(p.IDs), Domains: p.Domains,
		Nodes: slices.Clone(p.Nodes), IDOf: p.IDOf.view(), Unused: slices.Clone(p.Unused),
	}
}

// enter puts a slot into the domain of a value.
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

// leave takes a slot out of the domain of a value.
func (p *Partition) leave(slot int32, value string) {
	id := p.IDs[slot]
	p.IDs[slot] = NoDomain
	if p.Nodes[id]--; p.Nodes[id] == 0 {
		p.IDOf.Remove(value)
		p.Unused = append(p.Unused, id)
	}
}

// newID returns an id without nodes: the one that became empty last, or a new one.
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

// topology keeps the partitions that decisions have asked for, so that not every decision looks
// up labels, and the counts of filters in their domains.
type topology struct {
	mu     sync.Mutex // of ByKey: readers of a snapshot add partitions at once
	ByKey  map[string]*Partition
	Counts countMemory
}

// MostPartitions bounds the memory of a topology. When one more key is asked for, all partitions
// before it are forgotten.
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

// relabel brings the partitions in line with a node whose labels have changed. A node that comes has
// no labels before, and one that goes none after.
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

		// leave goes by the id of the slot, which enter overwrites.
		if wasIn {
			p.leave(slot, was)
		}
		if isIn {
			p.enter(slot, is)
		}
	}
}
