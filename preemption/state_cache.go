package preemption

import (
	"hash/maphash"
	"sync"
)

// answerCache keeps for each pod signature what every node came to in earlier
// decisions, as a later layer has it, and which nodes changed since. Readers of
// a snapshot share it; one that finds it in use searches instead.
type answerCache struct {
	mu          sync.Mutex
	bySignature map[string]*cachedAnswers
	uses        uint64
	// log lists the slots that changed, from a number of changes on.
	log   []int32
	start uint64
	// positionOf are the positions in the order of the nodes by slot, nil if
	// not known.
	positionOf []int32
	// seen are hashes of signatures that were asked for lately, as many as there
	// can be entries: one that comes once is not worth remembering.
	recent     [mostSignatures]uint64
	nextRecent int
}

// cachedAnswers is the entry for one signature.
type cachedAnswers struct {
	synced uint64 // how much of the log is taken in
	used   uint64 // when it was last used, by the count of uses
	nodes  any    // what the search keeps
}

// mostSignatures and mostCachedNodes bound the memory of a snapshot's cache, but
// for a single signature.
const (
	mostSignatures  = 64
	mostCachedNodes = 1 << 18
)

// capacity is how many signatures there may be.
func capacity(nodes int) int { return max(1, min(mostSignatures, mostCachedNodes/max(1, nodes))) }

// changed notes that a node is no longer what it was.
func (m *answerCache) changed(slot int32) {
	if len(m.bySignature) == 0 {
		return
	}
	m.log = append(m.log, slot)
	if most := 1024 + 2*len(m.positionOf); len(m.log) > most {
		half := len(m.log) / 2
		m.start += uint64(half)
		m.log = append(m.log[:0], m.log[half:]...)
	}
}

// forget drops everything, because the order of the nodes or the budgets
// changed.
func (m *answerCache) forget() {
	if len(m.bySignature) > 0 {
		clear(m.bySignature)
	}
	m.start += uint64(len(m.log))
	m.log, m.positionOf = m.log[:0], nil
}

// end is the number of changes so far.
func (m *answerCache) end() uint64 { return m.start + uint64(len(m.log)) }

// position returns where a slot is in the order of the nodes; not ok for one
// without a node.
func (m *answerCache) position(slot int32) (position int32, ok bool) {
	if int(slot) >= len(m.positionOf) || m.positionOf[slot] < 0 {
		return 0, false
	}
	return m.positionOf[slot], true
}

// of returns the entry for a signature, nil if it is not worth one yet. The
// order is that of the nodes, among so many slots.
func (m *answerCache) of(signature []byte, order []int32, slots int) *cachedAnswers {
	m.uses++
	if c, ok := m.bySignature[string(signature)]; ok {
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

// makeRoom forgets the entry that was not used for longest, if there has to be
// one less. It does not help to forget what is going to be asked for before the
// new one is: to make an entry takes the time of many decisions without one.
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
		m.positionOf = fill(m.positionOf, slots, -1)
		for position, slot := range order {
			m.positionOf[slot] = int32(position)
		}
	}
	c := &cachedAnswers{used: m.uses}
	m.bySignature[string(signature)] = c
	return c
}
