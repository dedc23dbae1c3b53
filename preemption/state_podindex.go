package preemption

import (
	"hash/maphash"
	"maps"

	"github.com/outrank-go/outrank"
)

// podIndex finds pods by namespace and name. Like a sharedIndex it consists of
// a base that copies share and of each copy's own changes.
type podIndex struct {
	base    *podTable
	shared  bool                      // base must not be written
	changes map[outrank.Key]*podState // laid over the base, nil for one that is gone
}

func newPodIndex(size int) podIndex { return podIndex{base: newPodTable(size)} }

// get finds a pod by its key, namespace/name.
func (x *podIndex) get(key outrank.Key) (*podState, bool) {
	if p, ok := x.changes[key]; ok {
		return p, p != nil
	}
	p := x.base.find(hashOf(key), func(p *podState) bool { return hasKey(p.pod, key) })
	return p, p != nil
}

// of returns what the snapshot knows of a pod.
func (x *podIndex) of(pod *outrank.Pod) (*podState, bool) {
	if len(x.changes) > 0 {
		var space [keySpace]byte
		if p, ok := x.changes[outrank.Key(appendKey(space[:0], pod))]; ok {
			return p, p != nil
		}
	}
	p := x.base.find(hashOfPod(pod), func(p *podState) bool { return sameName(p.pod, pod) })
	return p, p != nil
}

// set adds a pod. No pod of its name is in the index.
func (x *podIndex) set(p *podState) {
	if !x.shared {
		x.base.put(p)
		return
	}
	x.override(p.pod.Key(), p)
}

// remove takes out a pod that is in the index.
func (x *podIndex) remove(p *podState) {
	if !x.shared {
		x.base.remove(p)
		return
	}
	x.override(p.pod.Key(), nil)
}

// replace puts another version of a pod that is in the index in its place.
func (x *podIndex) replace(p, q *podState) {
	if !x.shared {
		x.base.cells[x.base.cellOf(p)] = q
		return
	}
	x.override(p.pod.Key(), q)
}

// override puts a change over the base; once there are many of them, a base of
// one's own is cheaper.
func (x *podIndex) override(key outrank.Key, p *podState) {
	if x.changes == nil {
		x.changes = map[outrank.Key]*podState{}
	}
	x.changes[key] = p
	if len(x.changes) <= 64+x.base.pods/4 {
		return
	}
	base := newPodTable(x.base.pods)
	x.each(base.put)
	*x = podIndex{base: base}
}

// share returns a copy. From then on neither side writes the base.
func (x *podIndex) share() podIndex {
	x.shared = true
	return x.view()
}

// view returns a copy that never writes the base. Unless x is shared, the copy
// is valid only until x changes.
func (x *podIndex) view() podIndex {
	return podIndex{base: x.base, shared: true, changes: maps.Clone(x.changes)}
}

// each calls f for every pod, in no particular order.
func (x *podIndex) each(f func(p *podState)) {
	for _, p := range x.base.cells {
		if p == nil {
			continue
		}
		if len(x.changes) > 0 {
			if _, changed := x.changes[p.pod.Key()]; changed {
				continue
			}
		}
		f(p)
	}
	for _, p := range x.changes {
		if p != nil {
			f(p)
		}
	}
}

// podTable is a hash table of pods by key with linear probing. It stores no
// keys: a map of strings would take as much memory as the pods.
type podTable struct {
	cells  []*podState // nil where free
	hashes []uint32    // of the pods in cells
	pods   int
}

func newPodTable(pods int) *podTable {
	size := 8 + pods*4/3
	return &podTable{cells: make([]*podState, size), hashes: make([]uint32, size)}
}

// find returns the pod with this hash for which meant is true, or nil.
func (t *podTable) find(hash uint32, meant func(*podState) bool) *podState {
	for at := t.home(hash); t.cells[at] != nil; at = t.next(at) {
		if t.hashes[at] == hash && meant(t.cells[at]) {
			return t.cells[at]
		}
	}
	return nil
}

// home returns the cell at which the search for a hash begins. Hashes spread
// evenly over the cells.
func (t *podTable) home(hash uint32) int { return int(uint64(hash) * uint64(len(t.cells)) >> 32) }

func (t *podTable) next(at int) int {
	if at++; at == len(t.cells) {
		return 0
	}
	return at
}

// behind returns the number of steps from one cell to another.
func (t *podTable) behind(from, to int) int {
	if to < from {
		to += len(t.cells)
	}
	return to - from
}

func (t *podTable) put(p *podState) {
	if t.pods++; t.pods > len(t.cells)*4/5 {
		t.grow()
	}
	t.insert(p, hashOfPod(p.pod))
}

func (t *podTable) insert(p *podState, hash uint32) {
	at := t.home(hash)
	for t.cells[at] != nil {
		at = t.next(at)
	}
	t.cells[at], t.hashes[at] = p, hash
}

func (t *podTable) grow() {
	old := *t
	size := len(old.cells) * 3 / 2
	t.cells, t.hashes = make([]*podState, size), make([]uint32, size)
	for i, p := range old.cells {
		if p != nil {
			t.insert(p, old.hashes[i])
		}
	}
}

// cellOf returns the cell of a pod that is in the table.
func (t *podTable) cellOf(p *podState) int {
	at := t.home(hashOfPod(p.pod))
	for t.cells[at] != p {
		at = t.next(at)
	}
	return at
}

// remove takes out a pod, and moves up the pods behind it that would otherwise
// not be found any more.
func (t *podTable) remove(p *podState) {
	at := t.cellOf(p)
	t.pods--
	hole := at
	for at = t.next(at); t.cells[at] != nil; at = t.next(at) {
		// A pod whose home lies behind the hole is found without passing the
		// hole.
		if t.behind(t.home(t.hashes[at]), at) >= t.behind(hole, at) {
			t.cells[hole], t.hashes[hole] = t.cells[at], t.hashes[at]
			hole = at
		}
	}
	t.cells[hole] = nil
}

// keySpace is large enough for most keys.
const keySpace = 128

func appendKey(b []byte, p *outrank.Pod) []byte {
	b = append(b, p.NamespaceName()...)
	b = append(b, '/')
	return append(b, p.Name...)
}

func hashOf(key outrank.Key) uint32 { return uint32(maphash.String(hashSeed, string(key))) }

func hashOfPod(p *outrank.Pod) uint32 {
	var space [keySpace]byte
	return uint32(maphash.Bytes(hashSeed, appendKey(space[:0], p)))
}

// hasKey reports whether a pod's key is the one given.
func hasKey(p *outrank.Pod, key outrank.Key) bool {
	namespace, text := p.NamespaceName(), string(key)
	return len(text) == len(namespace)+1+len(p.Name) &&
		text[:len(namespace)] == namespace && text[len(namespace)] == '/' && text[len(namespace)+1:] == p.Name
}

// sameName reports whether two pods have the same namespace and name.
func sameName(p, q *outrank.Pod) bool {
	return p == q || p.Name == q.Name && p.NamespaceName() == q.NamespaceName()
}
