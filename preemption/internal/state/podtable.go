package state

import "sync"

// Pod tables keep what rules of the caller say about the pods of each node, such as what
// each costs. A snapshot shares them with its clones: what is kept of a node holds for that
// very state and version of it, and a state is written by the one snapshot that owns it.
type podTables[T any] struct {
	mu     sync.Mutex
	tables []*PodTable[T] // the last one used first
}

// mostPodTables is how many rules a snapshot remembers the answers of.
const mostPodTables = 4

// PodTable is what one rule says about the pods of each node. One search at a time uses it;
// its workers look at different nodes.
type PodTable[T any] struct {
	mu sync.Mutex // held from take to release
	// rule is the one that was asked. The table keeps it from being collected, so that no
	// other one has its address.
	rule   any
	bySlot []ofPods[T]
}

// ofPods is what a rule says about the pods of a version of a node.
type ofPods[T any] struct {
	node    *NodeState
	version uint64
	said    T
}

// Take returns the table of a rule for so many slots, a new one while another search uses
// what is kept. After release others may have it.
func (m *podTables[T]) Take(rule any, slots int) (t *PodTable[T], release func()) {
	t = m.of(rule)
	if !t.mu.TryLock() {
		t = &PodTable[T]{}
		t.mu.Lock()
	}
	if len(t.bySlot) < slots {
		t.bySlot = append(t.bySlot, make([]ofPods[T], slots-len(t.bySlot))...)
	}
	return t, t.mu.Unlock
}

// of returns the table of a rule.
func (m *podTables[T]) of(rule any) *PodTable[T] {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, t := range m.tables {
		if t.rule == rule {
			copy(m.tables[1:i+1], m.tables[:i])
			m.tables[0] = t
			return t
		}
	}
	t := &PodTable[T]{rule: rule}
	if len(m.tables) < mostPodTables {
		m.tables = append(m.tables, nil)
	}
	copy(m.tables[1:], m.tables)
	m.tables[0] = t
	return t
}

// At returns what the rule says about the pods of a node. Where the node is another than
// before, ask writes it anew.
func (t *PodTable[T]) At(n *NodeState, ask func(said *T)) *T {
	of := &t.bySlot[n.Slot]
	if of.node != n || of.version != n.version {
		of.node = nil // until all is known: the caller's rule may panic
		ask(&of.said)
		of.node, of.version = n, n.version
	}
	return &of.said
}
