package preemption

import (
	"hash/maphash"
	"sync"
)

// memo remembers what every node says to pods of one shape: equal in all that
// the filters and the ranks look at, when resources and the nodes themselves
// are all that filters care for. For the next pod of that shape only nodes
// that changed since are looked at, and a tournament finds the best: each entry
// is what the node comes to, or what it can come to at best as long as nobody
// has worked that out. When an entry that is worked out wins, it is the answer.
type memo struct {
	synced  uint64 // how much of the log is taken in
	used    uint64 // when it was last used, by the count of uses
	entries []entry
	// winners holds the tournament: winners[i] is the better of winners[2i] and
	// winners[2i+1], where those from len(entries) on are the places.
	winners []int32
	// unsure are places whose entries hold for one decision only.
	unsure        []int32
	before, after answers
}

// entry is what a memo knows of a node.
type entry struct {
	verdict
	found
}

// memos are those of a snapshot. Readers share them; one who finds them in use
// searches instead.
type memos struct {
	mu      sync.Mutex
	byShape map[string]*memo
	uses    uint64
	// log lists the slots that changed, from a position on.
	log   []int32
	start uint64
	// placeOf are the places in the order by slot, nil if not known.
	placeOf []int32
	// seen are hashes of shapes that were asked for lately, as many as there can
	// be memos: one that comes once is not worth remembering.
	seen     [mostShapes]uint64
	nextSeen int
}

// mostShapes and mostEntries bound the memory of a snapshot's memos, but for a
// single memo.
const (
	mostShapes  = 64
	mostEntries = 1 << 18
)

// capacity is how many memos there may be.
func capacity(nodes int) int { return max(1, min(mostShapes, mostEntries/max(1, nodes))) }

// changed notes that a node is no longer what it was.
func (m *memos) changed(slot int32) {
	if len(m.byShape) == 0 {
		return
	}
	m.log = append(m.log, slot)
	if most := 1024 + 2*len(m.placeOf); len(m.log) > most {
		half := len(m.log) / 2
		m.start += uint64(half)
		m.log = append(m.log[:0], m.log[half:]...)
	}
}

// forget drops everything, because the order of the nodes or the budgets
// changed.
func (m *memos) forget() {
	if len(m.byShape) > 0 {
		clear(m.byShape)
	}
	m.start += uint64(len(m.log))
	m.log, m.placeOf = m.log[:0], nil
}

// of gives the memo for a shape, nil if it is not worth one yet.
func (m *memos) of(shape []byte, s *Snapshot) *memo {
	m.uses++
	if mm, ok := m.byShape[string(shape)]; ok {
		mm.used = m.uses
		return mm
	}
	hash, most := maphash.Bytes(hashSeed, shape), capacity(len(s.order))
	for _, h := range m.seen[:most] {
		if h == hash && m.makeRoom(most) {
			return m.add(shape, s)
		}
	}
	m.seen[m.nextSeen%most] = hash
	m.nextSeen = (m.nextSeen + 1) % most
	return nil
}

// makeRoom forgets the memo that was not used for longest, if there has to be
// one less. It does not help to forget what is going to be asked for before the
// newcomer is: to make a memo takes the time of many decisions without one.
func (m *memos) makeRoom(most int) bool {
	if len(m.byShape) < most {
		return true
	}
	oldest, least := "", m.uses
	for shape, mm := range m.byShape {
		if mm.used < least {
			oldest, least = shape, mm.used
		}
	}
	if m.uses-least < 8*uint64(most) {
		return false
	}
	delete(m.byShape, oldest)
	return true
}

func (m *memos) add(shape []byte, s *Snapshot) *memo {
	if m.byShape == nil {
		m.byShape = map[string]*memo{}
	}
	if m.placeOf == nil {
		m.placeOf = fill(m.placeOf, len(s.nodes), -1)
		for place, slot := range s.order {
			m.placeOf[slot] = int32(place)
		}
	}
	mm := &memo{used: m.uses}
	m.byShape[string(shape)] = mm
	return mm
}

// play decides one match of the tournament.
func (m *memo) play(i int) {
	a, b := m.winners[2*i], m.winners[2*i+1]
	if m.entries[b].better(&m.entries[a].found) {
		a = b
	}
	m.winners[i] = a
}

// playFrom decides all matches anew that a place has a part in.
func (m *memo) playFrom(place int32) {
	for i := (len(m.entries) + int(place)) / 2; i > 0; i /= 2 {
		m.play(i)
	}
}
