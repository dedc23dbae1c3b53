package state

import (
	"hash/maphash"
	"maps"
	"slices"
	"sync"
)

// AnswerCache keeps, for each pod signature, the answers of all nodes in
// earlier decisions, and which nodes changed since. The search layer defines
// the answers. Readers of a snapshot share the cache, and take turns at an entry.
// A clone begins with the entries of its origin: an entry that another cache may
// see as well is copied before it is written.
type AnswerCache struct {
	mu sync.Mutex // for what readers write: everything but the log
	// owner marks the entries that belong to this cache alone.
	owner       *Owner
	BySignature map[string]*CachedAnswers
	uses        uint64
	// Log lists the slots that changed, the oldest first. start is the number
	// of changes before the first of them. What is in the log is never written
	// again, because clones share it.
	Log   []int32
	start uint64
	// slots is how many slots there were at least when the last entry was made.
	slots int
	// recent has the hashes of the last signatures that had no entry, as many
	// as there can be entries. A signature gets an entry only when it comes
	// again: one that comes once is not worth it.
	recent     [MostSignatures]uint64
	nextRecent int
}

// CachedAnswers is the entry for one signature.
type CachedAnswers struct {
	owner *Owner
	Used  uint64 // when it was last used, by the count of uses

	Mu     sync.Mutex // for the rest; nothing of the caller's is called under it
	Synced uint64     // how much of the log is taken in
	// Budgets are those that the nodes were evaluated with.
	Budgets *BudgetSet
	Nodes   any  // what the search keeps
	Shared  bool // nodes must not be written, because another cache has them, too
}

// MostSignatures and mostCachedNodes bound the memory of a snapshot's cache.
// One signature is always allowed.
const (
	MostSignatures  = 64
	mostCachedNodes = 1 << 18
)

// capacity returns how many signatures the cache may hold.
func capacity(nodes int) int { return max(1, min(MostSignatures, mostCachedNodes/max(1, nodes))) }

// share returns a cache with the same entries for a clone. From then on neither
// side writes one of them.
func (m *AnswerCache) share() *AnswerCache {
	m.owner = &Owner{}
	m.dropOld()
	return &AnswerCache{
		owner: &Owner{}, BySignature: maps.Clone(m.BySignature), uses: m.uses,
		Log: m.Log, start: m.start, slots: m.slots,
		recent: m.recent, nextRecent: m.nextRecent,
	}
}

// dropOld drops the part of the log that no entry needs any more: an entry that
// misses more changes than there are nodes is built anew.
func (m *AnswerCache) dropOld() {
	end := m.end()
	needed := end
	for _, c := range m.BySignature {
		if c.Synced >= m.start && end-c.Synced <= uint64(m.slots) {
			needed = min(needed, c.Synced)
		}
	}
	m.Log = slices.Clip(m.Log[needed-m.start:])
	m.start = needed
}

// notes reports whether anybody wants to know of changes.
func (m *AnswerCache) notes() bool { return len(m.BySignature) > 0 }

// changed notes that a node changed.
func (m *AnswerCache) changed(slot int32) {
	if len(m.BySignature) == 0 {
		return
	}
	if most := 1024 + 2*m.slots; len(m.Log) >= most {
		half := len(m.Log) / 2
		m.start += uint64(half)
		m.Log = append(make([]int32, 0, most), m.Log[half:]...)
	}
	m.Log = append(m.Log, slot)
}

// forget drops all entries, because the order of the nodes changed.
func (m *AnswerCache) forget() {
	if len(m.BySignature) > 0 {
		clear(m.BySignature)
	}
	m.start += uint64(len(m.Log))
	m.Log, m.slots = nil, 0
}

// end returns the number of changes so far.
func (m *AnswerCache) end() uint64 { return m.start + uint64(len(m.Log)) }

// Since returns the slots that changed after so many changes, and how many there were in all.
// It is not ok if some of them are not known any more.
func (m *AnswerCache) Since(synced uint64) (slots []int32, end uint64, ok bool) {
	if synced < m.start {
		return nil, m.end(), false
	}
	return m.Log[synced-m.start:], m.end(), true
}

// Of returns the entry for a signature, or nil if the signature is not worth an
// entry yet. There are so many nodes, and so many slots at least.
func (m *AnswerCache) Of(signature []byte, nodes, slots int) *CachedAnswers {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uses++
	if c, ok := m.BySignature[string(signature)]; ok {
		if c.owner != m.owner {
			c = &CachedAnswers{owner: m.owner, Synced: c.Synced, Budgets: c.Budgets, Nodes: c.Nodes, Shared: true}
			m.BySignature[string(signature)] = c
		}
		c.Used = m.uses
		return c
	}
	return m.ofAskedAgain(signature, capacity(nodes), slots)
}

// ofAskedAgain returns new answers where the signature is one of the last ones that were asked for, and
// notes it where it is not.
func (m *AnswerCache) ofAskedAgain(signature []byte, most, slots int) *CachedAnswers {
	hash := maphash.Bytes(hashSeed, signature)
	for _, h := range m.recent[:most] {
		if h == hash && m.makeRoom(most) {
			return m.add(signature, slots)
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
func (m *AnswerCache) makeRoom(most int) bool {
	if len(m.BySignature) < most {
		return true
	}
	oldest, least := "", m.uses
	for signature, c := range m.BySignature {
		if c.Used < least {
			oldest, least = signature, c.Used
		}
	}
	if m.uses-least < 8*uint64(most) {
		return false
	}
	delete(m.BySignature, oldest)
	return true
}

func (m *AnswerCache) add(signature []byte, slots int) *CachedAnswers {
	if m.BySignature == nil {
		m.BySignature = map[string]*CachedAnswers{}
	}
	m.slots = max(m.slots, slots)
	c := &CachedAnswers{owner: m.owner, Used: m.uses}
	m.BySignature[string(signature)] = c
	return c
}
