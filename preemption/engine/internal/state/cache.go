package state

import (
	"hash/maphash"
	"maps"
	"slices"
	"sync"
)

// AnswerCache keeps for each pod signature what earlier decisions found about every node, and logs which
// nodes have changed since. The search defines the data (CachedAnswers.Nodes).
//
// All readers of a snapshot share its cache, and take turns at an entry. A clone begins with the entries of
// its origin. Only the cache whose owner an entry has may write the entry; any other cache copies it first.
type AnswerCache struct {
	// mu guards everything that readers write, which is all but the log. Only changes of the snapshot, which
	// run alone, write the log.
	mu sync.Mutex
	// owner is the owner of the entries that this cache may write.
	owner       *Owner
	BySignature map[string]*CachedAnswers
	// uses counts the calls of Of. Each call gives its number to one entry at most, so that no
	// two entries were last used at the same count.
	uses uint64
	// Log lists the slots that changed, the oldest first. Clones share its memory, so that its elements are
	// never overwritten.
	Log []int32
	// start is the number of changes that were logged before the first one still in the log.
	start uint64
	// slots is the largest number of slots that the snapshot had when an entry was made. There
	// are no more nodes than that while any entry exists (see forget).
	slots int
	// recent is a ring with the last signatures that had no entry. It is as long
	// as the cache has capacity. A signature gets an entry only when it comes again: for one
	// that comes once an entry is not worth its time.
	recent     [MostSignatures]recentSignature
	nextRecent int
}

// recentSignature is the hash of a signature, and the work of the search for it.
type recentSignature struct {
	hash uint64
	work int
}

// CachedAnswers is the entry for one signature.
type CachedAnswers struct {
	owner *Owner
	// Used is the count of uses at which the entry was asked for last. The cache's lock guards it.
	Used uint64

	// Mu guards the fields below. No function of the caller is called under it.
	Mu sync.Mutex
	// Synced is the number of logged changes that Nodes reflects.
	Synced uint64
	// Budgets are the budgets that the nodes were evaluated with.
	Budgets *BudgetSet
	// Nodes has the search's data about all nodes. It is nil in a new entry.
	Nodes any
	// Shared says that another cache has Nodes, too: it must be copied before it is written.
	Shared bool
	// Work is the work of the last search for the signature, in nodes that are looked at one by one. As long as
	// bringing the entry up to date is more work, searches go on, and each does a part of it.
	Work int
}

// MostSignatures and mostCachedNodes bound the memory of a snapshot's cache, by the number of
// entries and by that of the nodes in all of them. One entry is allowed however many nodes it has.
const (
	MostSignatures  = 64
	mostCachedNodes = 1 << 18
)

// capacity returns how many entries the cache of a snapshot with this many nodes may have.
func capacity(nodes int) int { return max(1, min(MostSignatures, mostCachedNodes/max(1, nodes))) }

// share returns a cache with the same entries for a clone. From then on neither side writes an
// entry that both have, because both sides get a new owner and no entry has either.
func (m *AnswerCache) share() *AnswerCache {
	m.owner = &Owner{}
	m.dropOld()
	return &AnswerCache{
		owner: &Owner{}, BySignature: maps.Clone(m.BySignature), uses: m.uses,
		Log: m.Log, start: m.start, slots: m.slots,
		recent: m.recent, nextRecent: m.nextRecent,
	}
}

// dropOld drops the part of the log that no entry needs any more.
func (m *AnswerCache) dropOld() {
	end := m.End()
	needed := end
	for _, c := range m.BySignature {
		// An entry that misses more changes than there are nodes is built anew without the log, because
		// bounding every node once is less work.
		if c.Synced >= m.start && end-c.Synced <= uint64(m.slots) {
			needed = min(needed, c.Synced)
		}
	}

	// Without spare capacity, this cache and the clone append to memory of their own.
	m.Log = slices.Clip(m.Log[needed-m.start:])
	m.start = needed
}

// notes reports whether the cache has to hear of changes, because it has an entry.
func (m *AnswerCache) notes() bool { return len(m.BySignature) > 0 }

// changed logs that a node, or what is on it, has changed.
func (m *AnswerCache) changed(slot int32) {
	if len(m.BySignature) == 0 {
		return
	}

	// The half that stays has more changes than there are nodes. So an entry that misses a
	// dropped change is built anew in any case, and loses nothing.
	if most := 1024 + 2*m.slots; len(m.Log) >= most {
		half := len(m.Log) / 2
		m.start += uint64(half)
		m.Log = append(make([]int32, 0, most), m.Log[half:]...)
	}
	m.Log = append(m.Log, slot)
}

// forget drops all entries. They list nodes by position, so that none of them is valid once the order of the
// nodes has changed.
func (m *AnswerCache) forget() {
	if len(m.BySignature) > 0 {
		clear(m.BySignature)
	}
	m.start += uint64(len(m.Log))
	m.Log, m.slots = nil, 0
}

// End returns the number of changes so far.
func (m *AnswerCache) End() uint64 { return m.start + uint64(len(m.Log)) }

// Since returns the slots that changed after the first synced changes, and the number of changes so
// far. ok is false if the log does not go back that far; the slots are missing then.
func (m *AnswerCache) Since(synced uint64) (slots []int32, end uint64, ok bool) {
	if synced < m.start {
		return nil, m.End(), false
	}
	return m.Log[synced-m.start:], m.End(), true
}

// Of returns the entry for a signature, or nil if the signature is not worth an entry yet. The
// snapshot has this many nodes, and this many slots.
func (m *AnswerCache) Of(signature []byte, nodes, slots int) *CachedAnswers {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uses++

	c, ok := m.BySignature[string(signature)]
	if !ok {
		return m.admit(signature, capacity(nodes), slots)
	}

	// An entry of another owner is read without its lock: no cache has written it since share.
	if c.owner != m.owner {
		c = &CachedAnswers{owner: m.owner, Synced: c.Synced, Budgets: c.Budgets, Nodes: c.Nodes, Shared: true, Work: c.Work}
		m.BySignature[string(signature)] = c
	}
	c.Used = m.uses
	return c
}

// admit makes an entry for a new signature if the signature was asked for recently and there is room: most is
// the number of entries that there may be. Otherwise it remembers the signature and returns nil.
func (m *AnswerCache) admit(signature []byte, most, slots int) *CachedAnswers {
	// Two signatures with one hash cost time at worst: an entry that is made too early.
	hash := maphash.Bytes(hashSeed, signature)
	for _, r := range m.recent[:most] {
		if r.hash == hash && m.makeRoom(most) {
			return m.add(signature, slots, r.work)
		}
	}

	// The ring has most elements, which are fewer if nodes were added since the last call. Hence the modulo.
	m.recent[m.nextRecent%most] = recentSignature{hash: hash}
	m.nextRecent = (m.nextRecent + 1) % most
	return nil
}

// Searched remembers the work of a search for a signature that has no entry.
func (m *AnswerCache) Searched(signature []byte, work int) {
	hash := maphash.Bytes(hashSeed, signature)
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.recent {
		if r := &m.recent[i]; r.hash == hash {
			r.work = work
		}
	}
}

// makeRoom drops the least recently used entry if there are most entries, and reports whether there is room
// for one more. It keeps all entries if each was used lately: building an entry takes the time of many
// decisions without one, so that dropping an entry that is soon asked for again costs more than it saves.
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

	// "Lately" is 8 uses for each entry that there may be.
	if m.uses-least < 8*uint64(most) {
		return false
	}
	delete(m.BySignature, oldest)
	return true
}

// add makes an entry that knows nothing yet. The search fills it in.
func (m *AnswerCache) add(signature []byte, slots, work int) *CachedAnswers {
	if m.BySignature == nil {
		m.BySignature = map[string]*CachedAnswers{}
	}

	m.slots = max(m.slots, slots)
	c := &CachedAnswers{owner: m.owner, Used: m.uses, Work: work}
	m.BySignature[string(signature)] = c
	return c
}
