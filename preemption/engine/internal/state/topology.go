package state

import (
	"maps"
	"slices"
	"sync"
)

// Partition divides the nodes by a label: into the domains of a topology key.
// The snapshot that owns it may write it; any other snapshot copies it first.
type Partition struct {
	owner *Owner
	line  *Owner  // shared with the copies alone, in which the ids mean the same
	IDs   []int32 // of the domain that each slot is in, NoDomain for none
	// Domains is larger than every id. A domain that its last node has left keeps
	// its id until another value needs one.
	Domains int
	Nodes   []int32            // in each domain
	IDOf    sharedIndex[int32] // by value, without the empty domains
	Unused  []int32            // ids of empty domains
}

// NoDomain stands for a node without the topology key.
const NoDomain = -1

// Continues reports whether the ids mean the same as those of an earlier partition.
func (p *Partition) Continues(earlier *Partition) bool { return p.line == earlier.line }

// Of returns the domain of a slot.
func (p *Partition) Of(slot int32) int32 {
	if int(slot) < len(p.IDs) {
		return p.IDs[slot]
	}
	return NoDomain // the slot is newer than the partition, and has no such label
}

func newPartition(key string, order []int32, nodes []*NodeState, o *Owner) *Partition {
	p := &Partition{owner: o, line: &Owner{}, IDs: Fill[int32](nil, len(nodes), NoDomain), IDOf: NewSharedIndex[int32](0)}
	for _, slot := range order {
		if value, ok := nodes[slot].Node.Labels[key]; ok {
			p.enter(slot, value)
		}
	}
	return p
}

// copy returns an equal partition for another owner. No owner of this one is left.
func (p *Partition) copy(o *Owner) *Partition {
	return &Partition{
		owner: o, line: p.line, IDs: slices.Clone(p.IDs), Domains: p.Domains,
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

// topology keeps the partitions that were needed, so that not every decision looks
// up labels, and what filters have counted in their domains.
type topology struct {
	mu     sync.Mutex // readers of a snapshot add partitions
	ByKey  map[string]*Partition
	Counts countMemory
}

// MostPartitions bounds the memory of a topology: one more key, and all others are
// forgotten.
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

// of returns the partition for a topology key. The first call for a key takes
// time linear in the number of nodes.
func (t *topology) of(key string, order []int32, nodes []*NodeState, o *Owner) *Partition {
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

// relabel follows a node that has other labels now, none for a node that is not
// there.
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
		if wasIn {
			p.leave(slot, was)
		}
		if isIn {
			p.enter(slot, is)
		}
	}
}
