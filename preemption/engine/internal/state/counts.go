package state

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Counter is a filter that counts pods by domain. The snapshot keeps the counts, which are opaque to it, and
// tells the filter what has changed since the counts were last asked for.
type Counter interface {
	// Begin counts everything. version is larger than all versions before, or 0 if the snapshot will not keep
	// the counts.
	Begin(version uint64) any
	// Follow updates counts after changes: slots are the nodes that changed in any way, pods on them
	// included, and classes the new pod classes. Nobody else uses the counts meanwhile. changed reports
	// whether any count has changed; such counts get this version. If ok is false, the counts are useless and
	// have to be made anew.
	Follow(counts any, slots []int32, classes []*PodClass, version uint64) (changed, ok bool)
	// Copy returns equal counts that share nothing which is written.
	Copy(counts any) any
}

// KeptCounts has the counts for preemptors of one shape. An attempt reads them until it calls Release. If
// they have to be updated while an attempt reads them, a copy takes their place.
type KeptCounts struct {
	Counts any
	owner  *Owner
	// readers counts the attempts that read them.
	readers atomic.Int32
	// slots and classes are the numbers of changes in the two logs of the memory that the counts reflect.
	slots, classes uint64
}

// Release says that the attempt no longer reads the counts.
func (k *KeptCounts) Release() { k.readers.Add(-1) }

// countMemory keeps counts by the shape of the preemptor. Only the memory whose owner they have may write
// them; any other memory copies them first.
type countMemory struct {
	// mu guards everything that readers of a snapshot write, which is all but the logs.
	mu      sync.Mutex
	ByShape map[string]usedCounts
	// owner is the owner of the counts that this memory may write.
	owner *Owner
	// uses is the number of calls of the method of.
	uses uint64
	// version is the last version that any counts got.
	version uint64
	// slots logs the nodes that changed in any way, and classes the pod classes that are new.
	// Nothing is logged while no counts are kept.
	slots   changeLog[int32]
	classes changeLog[*PodClass]
}

// usedCounts are counts with the number of uses at which they were last asked for.
type usedCounts struct {
	*KeptCounts
	used uint64
}

// MostCounts bounds the number of shapes, and mostCountedNodes the number of slots over all shapes. One shape
// is always allowed.
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

// forget drops all counts. It is called when a namespace has changed, because counts may depend on its
// labels.
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
		// Without room the attempt gets counts of its own, which are not kept.
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

// current returns the counts, up to date: a copy if others may be reading them. It returns nil if they have
// to be made anew.
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

// makeRoom drops the least recently used counts if there are as many as there may be, and reports whether
// there is room for one more shape. It keeps all if each were used lately, for the same reason as
// AnswerCache.makeRoom.
func (m *countMemory) makeRoom(slots int) bool {
	if m.ByShape == nil {
		m.ByShape = map[string]usedCounts{}
	}
	most := max(1, min(MostCounts, mostCountedNodes/max(1, slots)))
	if len(m.ByShape) < most {
		return true
	}

	// No two shapes have the same value of used, so that the order of the map does not matter.
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

// changeLog lists changes, the oldest first. Clones share its memory, so that its elements are never
// overwritten.
type changeLog[T any] struct {
	entries []T
	// start is the number of changes before the first entry.
	start uint64
}

// note appends a change. If the log has most entries, it drops the older half first.
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
