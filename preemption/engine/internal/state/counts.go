package state

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Counter is a filter that counts pods by domain, in the attempt that asks. The snapshot keeps
// the counts, which it knows nothing of, and says what has changed since it was asked for them
// last.
type Counter interface {
	// Begin counts everything. Versions are numbers that grow with each change of any counts;
	// 0 says that the snapshot will not keep these.
	Begin(version uint64) any
	// Follow takes in changes: nodes by slot, each with all that was on it, and the pod classes
	// that are new. Nobody else has the counts. It is not ok if they have to begin anew.
	Follow(counts any, slots []int32, classes []*PodClass, version uint64) (changed, ok bool)
	// Copy returns equal counts.
	Copy(counts any) any
}

// KeptCounts are the counts for preemptors of one shape. An attempt reads them until it calls
// Release. While any reads them, a copy takes their place when they have to be written.
type KeptCounts struct {
	Counts  any
	owner   *Owner
	readers atomic.Int32
	// slots and classes are how much of the logs of changes is taken in.
	slots, classes uint64
}

// Release says that an attempt reads the counts no more.
func (k *KeptCounts) Release() { k.readers.Add(-1) }

// countMemory keeps counts by shape.
type countMemory struct {
	mu      sync.Mutex // for what readers of a snapshot write: everything but the logs
	ByShape map[string]usedCounts
	// owner marks the counts that no other memory has.
	owner         *Owner
	uses, version uint64
	// slots lists the nodes that have changed in any way, and classes the pod classes that are
	// new, as long as counts are kept.
	slots   changeLog[int32]
	classes changeLog[*PodClass]
}

// usedCounts are counts with when they were last used, by the count of uses.
type usedCounts struct {
	*KeptCounts
	used uint64
}

// MostCounts and mostCountedNodes bound the memory of counts. Those of one shape are always
// kept.
const (
	MostCounts       = 64
	mostCountedNodes = 1 << 20
)

// shareWith makes another memory one with the same counts. From then on neither side writes
// them.
func (m *countMemory) shareWith(other *countMemory) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.owner, other.owner = &Owner{}, &Owner{}
	other.ByShape, other.uses, other.version = maps.Clone(m.ByShape), m.uses, m.version
	m.slots.shareWith(&other.slots)
	m.classes.shareWith(&other.classes)
}

// changed notes that a node has changed, or pods on it.
func (m *countMemory) changed(slot int32, slots int) {
	if len(m.ByShape) > 0 {
		m.slots.note(slot, 1024+2*slots)
	}
}

// joined notes a pod class that the snapshot did not have.
func (m *countMemory) joined(k *PodClass) {
	if len(m.ByShape) > 0 {
		m.classes.note(k, 1024)
	}
}

// forget drops all counts, because what selectors of namespaces pick has changed.
func (m *countMemory) forget() { clear(m.ByShape) }

// of returns the counts for a shape on so many slots, up to date.
func (m *countMemory) of(shape []byte, counter Counter, slots int) *KeptCounts {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uses++
	k := m.ByShape[string(shape)].KeptCounts
	if k != nil {
		if k = m.current(k, counter); k == nil {
			delete(m.ByShape, string(shape))
		}
	}
	if k == nil {
		if !m.makeRoom(slots) {
			return &KeptCounts{Counts: counter.Begin(0)}
		}
		m.version++
		k = &KeptCounts{Counts: counter.Begin(m.version), owner: m.owner, slots: m.slots.end(), classes: m.classes.end()}
	}
	m.ByShape[string(shape)] = usedCounts{k, m.uses}
	k.readers.Add(1)
	return k
}

// current brings counts up to date, in a copy where others may read them. It returns nil if they
// have to begin anew.
func (m *countMemory) current(k *KeptCounts, counter Counter) *KeptCounts {
	slots, known := m.slots.since(k.slots)
	classes, ok := m.classes.since(k.classes)
	switch {
	case !known || !ok:
		return nil
	case len(slots)+len(classes) == 0:
		return k
	case k.owner != m.owner || k.readers.Load() > 0:
		k = &KeptCounts{Counts: counter.Copy(k.Counts), owner: m.owner}
	}
	changed, ok := counter.Follow(k.Counts, slots, classes, m.version+1)
	if !ok {
		return nil
	}
	if changed {
		m.version++
	}
	k.slots, k.classes = m.slots.end(), m.classes.end()
	return k
}

// makeRoom drops the counts that were not used for longest, if there are as many as there may
// be. It refuses where those were used lately, as AnswerCache does.
func (m *countMemory) makeRoom(slots int) bool {
	if m.ByShape == nil {
		m.ByShape = map[string]usedCounts{}
	}
	most := max(1, min(MostCounts, mostCountedNodes/max(1, slots)))
	if len(m.ByShape) < most {
		return true
	}
	oldest, least := "", m.uses
	for shape, k := range m.ByShape {
		if k.used < least {
			oldest, least = shape, k.used
		}
	}
	if m.uses-least < 8*uint64(most) {
		return false
	}
	delete(m.ByShape, oldest)
	return true
}

// changeLog lists changes, the oldest first. What is in it is never written again, because
// clones share it.
type changeLog[T any] struct {
	entries []T
	start   uint64 // the number of changes before the first of them
}

// note appends a change. It drops the older half of as many as there may be.
func (l *changeLog[T]) note(x T, most int) {
	if len(l.entries) >= most {
		half := len(l.entries) / 2
		l.start += uint64(half)
		l.entries = append(make([]T, 0, most), l.entries[half:]...)
	}
	l.entries = append(l.entries, x)
}

func (l *changeLog[T]) end() uint64 { return l.start + uint64(len(l.entries)) }

// since returns the changes from a number on, unless they are no more known.
func (l *changeLog[T]) since(number uint64) (changes []T, ok bool) {
	if number < l.start {
		return nil, false
	}
	return l.entries[number-l.start:], true
}

// shareWith makes another log an equal one.
func (l *changeLog[T]) shareWith(other *changeLog[T]) {
	l.entries = slices.Clip(l.entries)
	*other = *l
}
