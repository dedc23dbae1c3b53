package preemption

import (
	"hash/maphash"
	"maps"
	"slices"
	"sync"
)

// answerCache keeps, for each pod signature, the answers of all nodes in
// earlier decisions, and which nodes changed since. The search layer defines
// the answers. Readers of a snapshot share the cache, and take turns at an entry.
// A clone begins with the entries of its origin: an entry that another cache may
// see as well is copied before it is written.
type answerCache struct {
	mu sync.Mutex // for what readers write: everything but the log
	// owner marks the entries that belong to this cache alone.
	owner       *owner
	bySignature map[string]*cachedAnswers
	uses        uint64
	// log lists the slots that changed, the oldest first. start is the number
	// of changes before the first of them. What is in the log is never written
	// again, because clones share it.
	log   []int32
	start uint64
	// positionOf has the position of each slot in the order of the nodes, -1
	// for a slot without a node. It is nil while unknown, and never written
	// again.
	positionOf []int32
	// recent has the hashes of the last signatures that had no entry, as many
	// as there can be entries. A signature gets an entry only when it comes
	// again: one that comes once is not worth it.
	recent     [mostSignatures]uint64
	nextRecent int
}

// cachedAnswers is the entry for one signature.
type cachedAnswers struct {
	owner *owner
	used  uint64 // when it was last used, by the count of uses

	mu     sync.Mutex // for the rest; nothing of the caller's is called under it
	synced uint64     // how much of the log is taken in
	// budgets are those that the nodes were evaluated with.
	budgets *budgetSet
	nodes   any  // what the search keeps
	shared  bool // nodes must not be written, because another cache has them, too
}

// mostSignatures and mostCachedNodes bound the memory of a snapshot's cache.
// One signature is always allowed.
const (
	mostSignatures  = 64
	mostCachedNodes = 1 << 18
)

// capacity returns how many signatures the cache may hold.
func capacity(nodes int) int { return max(1, min(mostSignatures, mostCachedNodes/max(1, nodes))) }

// share returns a cache with the same entries for a clone. From then on neither
// side writes one of them.
func (m *answerCache) share() *answerCache {
	m.owner = &owner{}
	m.dropOld()
	return &answerCache{
		owner: &owner{}, bySignature: maps.Clone(m.bySignature), uses: m.uses,
		log: m.log, start: m.start, positionOf: m.positionOf,
		recent: m.recent, nextRecent: m.nextRecent,
	}
}

// dropOld drops the part of the log that no entry needs any more: an entry that
// misses more changes than there are nodes is built anew.
func (m *answerCache) dropOld() {
	end := m.end()
	needed := end
	for _, c := range m.bySignature {
		if c.synced >= m.start && end-c.synced <= uint64(len(m.positionOf)) {
			needed = min(needed, c.synced)
		}
	}
	m.log = slices.Clip(m.log[needed-m.start:])
	m.start = needed
}

// notes reports whether anybody wants to know of changes.
func (m *answerCache) notes() bool { return len(m.bySignature) > 0 }

// changed notes that a node changed.
func (m *answerCache) changed(slot int32) {
	if len(m.bySignature) == 0 {
		return
	}
	if most := 1024 + 2*len(m.positionOf); len(m.log) >= most {
		half := len(m.log) / 2
		m.start += uint64(half)
		m.log = append(make([]int32, 0, most), m.log[half:]...)
	}
	m.log = append(m.log, slot)
}

// forget drops all entries, because the order of the nodes changed.
func (m *answerCache) forget() {
	if len(m.bySignature) > 0 {
		clear(m.bySignature)
	}
	m.start += uint64(len(m.log))
	m.log, m.positionOf = nil, nil
}

// end returns the number of changes so far.
func (m *answerCache) end() uint64 { return m.start + uint64(len(m.log)) }

// position returns the position of a slot in the order of the nodes. It is not
// ok for a slot without a node.
func (m *answerCache) position(slot int32) (position int32, ok bool) {
	if int(slot) >= len(m.positionOf) || m.positionOf[slot] < 0 {
		return 0, false
	}
	return m.positionOf[slot], true
}

// of returns the entry for a signature, or nil if the signature is not worth an
// entry yet. order lists the slots of the nodes, which are below slots.
func (m *answerCache) of(signature []byte, order []int32, slots int) *cachedAnswers {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uses++
	if c, ok := m.bySignature[string(signature)]; ok {
		if c.owner != m.owner {
			c = &cachedAnswers{owner: m.owner, synced: c.synced, budgets: c.budgets, nodes: c.nodes, shared: true}
			m.bySignature[string(signature)] = c
		}
		c.used = m.uses
		return c
	}
	hash, most := maphash.Bytes(hashSeed, signature), capacity(len(order))
	for _, h := range m.recent[:most] {
		if h == hash && m.makeRoom(most) {
			return m.add(signature, order, slots)
		}
	}
	m.recent[m.nextRecent%most] = hash
	m.nextRecent = (m.nextRecent + 1) % most
	return nil
}

// makeRoom drops the entry that was not used for longest, if the cache is full.
// It refuses if that entry was used lately: to build an entry takes the time of
// many decisions without one, so that dropping an entry which is soon asked for
// again costs more than it saves.
func (m *answerCache) makeRoom(most int) bool {
	if len(m.bySignature) < most {
		return true
	}
	oldest, least := "", m.uses
	for signature, c := range m.bySignature {
		if c.used < least {
			oldest, least = signature, c.used
		}
	}
	if m.uses-least < 8*uint64(most) {
		return false
	}
	delete(m.bySignature, oldest)
	return true
}

func (m *answerCache) add(signature []byte, order []int32, slots int) *cachedAnswers {
	if m.bySignature == nil {
		m.bySignature = map[string]*cachedAnswers{}
	}
	if m.positionOf == nil {
		m.positionOf = fill[int32](nil, slots, -1)
		for position, slot := range order {
			m.positionOf[slot] = int32(position)
		}
	}
	c := &cachedAnswers{owner: m.owner, used: m.uses}
	m.bySignature[string(signature)] = c
	return c
}
