package preemption

import (
	"maps"
	"sync"
)

// partition is the nodes divided by a label: the domains of a topology key. It
// never changes.
type partition struct {
	ids     []int32 // of the domain that each slot is in, noDomain for none
	domains int
}

const noDomain = -1

// of gives the domain of a slot.
func (p *partition) of(slot int32) int32 {
	if int(slot) < len(p.ids) {
		return p.ids[slot]
	}
	return noDomain // it is younger than the partition, and has no node
}

// topology keeps the partitions that were asked for since a node last changed,
// so that labels are not looked up for every decision.
type topology struct {
	mu    sync.Mutex // readers of a snapshot add partitions
	byKey map[string]*partition
}

func newTopology() *topology { return &topology{byKey: map[string]*partition{}} }

// share gives a copy to a snapshot with the same nodes.
func (t *topology) share() *topology {
	t.mu.Lock()
	defer t.mu.Unlock()
	return &topology{byKey: maps.Clone(t.byKey)}
}

// of returns the nodes divided by a topology key. Time is linear in the number
// of nodes where it was not asked for before.
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
