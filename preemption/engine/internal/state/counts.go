package state

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Counter is a filter that counts pods by domain, for the attempt that asks. The snapshot keeps
// the counts without knowing what they are, and tells the filter what has changed since it was
// asked for them last.
type Counter interface {
	// Begin counts everything. version is larger than that of any counts before; it is 0 if the
	// snapshot will not keep the counts.
	Begin(version uint64) any
	// Follow takes in changes: the slots of nodes that changed in any way, pods on them included,
	// and the pod classes that are new. Nobody else has the counts meanwhile. changed reports
	// whether a count is another one now, which then has this version. If ok is false the counts
	// are of no use any more, and have to begin anew.
	Follow(counts any, slots []int32, classes []*PodClass, version uint64) (changed, ok bool)
	// Copy returns equal counts, of which either may be written without a change of the other.
	Copy(counts any) any
}

// KeptCounts are the counts for preemptors of one shape. An attempt reads them until it calls
// Release. Counts that have to be written while an attempt reads them are replaced by a copy.
type KeptCounts struct {
	Counts any
	owner  *Owner
	// readers counts the attempts that read them.
	readers atomic.Int32
	// slots and classes are the numbers of changes that the counts have taken in, of those that
	// the two logs of the memory have counted.
	slots, classes uint64
}

// Release says that the attempt no longer reads the counts.
func (k *KeptCounts) Release() { k.readers.Add(-1) }

// countMemory keeps counts by the shape of the preemptor. Counts belong to the memory that has
// their owner, which alone writes them; any other memory copies them first.
type countMemory struct {
	// mu guards what readers of a snapshot write, which is everything but the logs.
	mu      sync.Mutex
	ByShape map[string]usedCounts
	// owner is the owner of the counts that this memory may write.
	owner *Owner
	// uses counts the calls of of.
	uses uint64
	// version is the version that was given to counts last.
	version uint64
	// slots logs the nodes that changed in any way, and classes the pod classes that are new.
	// Nothing is logged while no counts are kept.
	slots   changeLog[int32]
	classes changeLog[*PodClass]
}

// usedCounts are counts with the count of uses at which they were asked for last.
type usedCounts struct {
	*KeptCounts
	used uint64
}

// MostCounts and mostCountedNodes bound the memory of counts, by the number of shapes and by that
// of the slots for all of them. The counts of one shape are allowed for any number of slots.
const (
	MostCounts       = 64
	mostCountedNodes = 1 << 20
)

// shareWith makes other a memory with the same counts. From then on neither side writes them,
// because both sides get a new owner and no counts have either. Readers may use m meanwhile, since
// a scratch is made without a change of its origin, hence the lock.
func (m *countMemory) shareWith(other *countMemory) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.owner, other.owner = &Owner{}, &Owner{}
	other.ByShape = maps.Clone(m.ByShape)
	other.uses, other.version = m.uses, m.version
	m.slots.shareWith(&other.slots)
	m.classes.shareWith(&other.classes)
}

// changed notes that a node has changed, or pods on it. The snapshot has this many slots.
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

// forget drops all counts: a namespace has changed, and counts may depend on the labels of any.
func (m *countMemory) forget() { clear(m.ByShape) }

// of returns the counts for a shape, up to date, on a snapshot with this many slots.
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
		// Without room the attempt gets counts of its own, which nobody finds again.
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

// current brings counts up to date and returns them, or a copy if others may read them. It returns
// nil if they have to begin anew.
func (m *countMemory) current(k *KeptCounts, counter Counter) *KeptCounts {
	slots, slotsKnown := m.slots.since(k.slots)
	classes, classesKnown := m.classes.since(k.classes)
	switch {
	case !slotsKnown || !classesKnown:
		return nil
	case len(slots)+len(classes) == 0:
		return k
	case k.owner != m.owner || k.readers.Load() > 0:
		k = &KeptCounts{Counts: counter.Copy(k.Counts), owner: m.owner}
	}

	// If nothing changes, the version is still unused afterwards.
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

// makeRoom drops the least recently used counts if there are as many as there may be, and reports
// whether there is room for those of one more shape. It keeps all if each were used lately, for the
// reason that AnswerCache.makeRoom has.
func (m *countMemory) makeRoom(slots int) bool {
	if m.ByShape == nil {
		m.ByShape = map[string]usedCounts{}
	}
	most := max(1, min(MostCounts, mostCountedNodes/max(1, slots)))
	if len(m.ByShape) < most {
		return true
	}

	// No two counts were last used at the same count of uses, so that the order of the map does not
	// matter.
	oldest, least := "", m.uses
	for shape, k := range m.ByShape {
		if k.used < least {
			oldest, least = shape, k.used
		}
	}

	// "Lately" is 8 uses for each shape that there may be.
	if m.uses-least < 8*uint64(most) {
		return false
	}
	delete(m.ByShape, oldest)
	return true
}

// changeLog lists changes, the oldest first. What is in it is never written again, because
// clones share its memory.
type changeLog[T any] struct {
	entries []T
	// start is the number of changes before the first entry.
	start uint64
}

// note appends a change. If there are as many entries as there may be, it drops the older half.
func (l *changeLog[T]) note(x T, most int) {
	if len(l.entries) >= most {
		half := len(l.entries) / 2
		l.start += uint64(half)
		l.entries = append(make([]T, 0, most), l.entries[half:]...)
	}
	l.entries = append(l.entries, x)
}

// end returns the number of changes so far.
func (l *changeLog[T]) end() uint64 { return l.start + uint64(len(l.entries)) }

// since returns the changes after the first number changes. ok is false if the log does not go back
// that far.
func (l *changeLog[T]) since(number uint64) (changes []T, ok bool) {
	if number < l.start {
		return nil, false
	}
	return l.entries[number-l.start:], true
}

// shareWith makes other an equal log. Without spare capacity, the two append to memory of their own.
func (l *changeLog[T]) shareWith(other *changeLog[T]) {
	l.entries = slices.Clip(l.entries)
	*other = *l
}
