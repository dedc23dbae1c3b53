package preemption

import (
	"maps"
	"sync"
)

// partition divides the nodes by a label: into the domains of a topology key.
// It never changes.
type partition struct {
	ids     []int32 // of the domain that each slot is in, noDomain for none
	domains int
}

const noDomain = -1

// of returns the domain of a slot.
func (p *partition) of(slot int32) int32 {
	if int(slot) < len(p.ids) {
		return p.ids[slot]
	}
	return noDomain // the slot is newer than the partition, and has no node
}

// topology keeps the partitions that were needed since a node last changed, so
// that not every decision looks up labels.
type topology struct {
	mu    sync.Mutex // readers of a snapshot add partitions
	byKey map[string]*partition
}

func newTopology() *topology { return &topology{byKey: map[string]*partition{}} }

// share returns a copy for a snapshot with the same nodes.
func (t *topology) share() *topology {
	t.mu.Lock()
	defer t.mu.Unlock()
	return &topology{byKey: maps.Clone(t.byKey)}
}

// of returns the partition for a topology key. The first call for a key takes
// time linear in the number of nodes.
func (t *topology) of(key string, order []int32, nodes []*nodeState) *partition {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, ok := t.byKey[key]
	if !ok {
		p = newPartition(key, order, nodes)
		t.byKey[key] = p
	}
	return p
}

func newPartition(key string, order []int32, nodes []*nodeState) *partition {
	p := &partition{ids: make([]int32, len(nodes))}
	for slot := range p.ids {
		p.ids[slot] = noDomain
	}
	known := map[string]int32{}
	for _, slot := range order {
		value, ok := nodes[slot].node.Labels[key]
		if !ok {
			continue
		}
		id, ok := known[value]
		if !ok {
			id = int32(len(known))
			known[value] = id
		}
		p.ids[slot] = id
	}
	p.domains = len(known)
	return p
}
