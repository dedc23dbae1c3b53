package preemption

import (
	"maps"
	"slices"
	"sync"
)

// partition divides the nodes by a label: into the domains of a topology key.
// The snapshot that owns it may write it; any other snapshot copies it first.
type partition struct {
	owner *owner
	ids   []int32 // of the domain that each slot is in, noDomain for none
	// domains is larger than every id. A domain that its last node has left keeps
	// its id until another value needs one.
	domains int
	nodes   []int32            // in each domain
	idOf    sharedIndex[int32] // by value, without the empty domains
	unused  []int32            // ids of empty domains
}

const noDomain = -1

// of returns the domain of a slot.
func (p *partition) of(slot int32) int32 {
	if int(slot) < len(p.ids) {
		return p.ids[slot]
	}
	return noDomain // the slot is newer than the partition, and has no such label
}

func newPartition(key string, order []int32, nodes []*nodeState, o *owner) *partition {
	p := &partition{owner: o, ids: fill[int32](nil, len(nodes), noDomain), idOf: newSharedIndex[int32](0)}
	for _, slot := range order {
		if value, ok := nodes[slot].node.Labels[key]; ok {
			p.enter(slot, value)
		}
	}
	return p
}

// copy returns an equal partition for another owner. No owner of this one is left.
func (p *partition) copy(o *owner) *partition {
	return &partition{
		owner: o, ids: slices.Clone(p.ids), domains: p.domains,
		nodes: slices.Clone(p.nodes), idOf: p.idOf.view(), unused: slices.Clone(p.unused),
	}
}

// enter puts a slot into the domain of a value.
func (p *partition) enter(slot int32, value string) {
	id, ok := p.idOf.get(value)
	if !ok {
		id = p.newID()
		p.idOf.set(value, id)
	}
	p.nodes[id]++
	for len(p.ids) <= int(slot) {
		p.ids = append(p.ids, noDomain)
	}
	p.ids[slot] = id
}

// leave takes a slot out of the domain of a value.
func (p *partition) leave(slot int32, value string) {
	id := p.ids[slot]
	p.ids[slot] = noDomain
	if p.nodes[id]--; p.nodes[id] == 0 {
		p.idOf.remove(value)
		p.unused = append(p.unused, id)
	}
}

func (p *partition) newID() int32 {
	if last := len(p.unused) - 1; last >= 0 {
		id := p.unused[last]
		p.unused = p.unused[:last]
		return id
	}
	p.domains++
	p.nodes = append(p.nodes, 0)
	return int32(p.domains - 1)
}

// topology keeps the partitions that were needed, so that not every decision looks
// up labels.
type topology struct {
	mu    sync.Mutex // readers of a snapshot add partitions
	byKey map[string]*partition
}

// mostPartitions bounds the memory of a topology: one more key, and all others are
// forgotten.
const mostPartitions = 64

func newTopology() *topology { return &topology{byKey: map[string]*partition{}} }

// share returns a copy for a snapshot with the same nodes.
func (t *topology) share() *topology {
	t.mu.Lock()
	defer t.mu.Unlock()
	return &topology{byKey: maps.Clone(t.byKey)}
}

// of returns the partition for a topology key. The first call for a key takes
// time linear in the number of nodes.
func (t *topology) of(key string, order []int32, nodes []*nodeState, o *owner) *partition {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, ok := t.byKey[key]
	if !ok {
		if len(t.byKey) >= mostPartitions {
			clear(t.byKey)
		}
		p = newPartition(key, order, nodes, o)
		t.byKey[key] = p
	}
	return p
}

// relabel follows a node that has other labels now, none for a node that is not
// there.
func (t *topology) relabel(slot int32, before, after map[string]string, o *owner) {
	for key, p := range t.byKey {
		was, wasIn := before[key]
		is, isIn := after[key]
		if was == is && wasIn == isIn {
			continue
		}
		if p.owner != o {
			p = p.copy(o)
			t.byKey[key] = p
		}
		if wasIn {
			p.leave(slot, was)
		}
		if isIn {
			p.enter(slot, is)
		}
	}
}
