package state

import (
	"hash/maphash"
	"slices"

	"github.com/outrank-go/outrank"
)

// podIndex finds pods by namespace and name. It is a hash table with linear probing: between the home cell of
// a pod's hash and the pod's own cell no cell is free. It stores no keys, because a map of strings would take
// as much memory as the pods. Its cells are in pages that copies share until one of them writes a page.
type podIndex struct {
	pages []*podPage
	own   []bool // by page: set if no copy shares the page, so that it may be written
	pods  int    // the number of pods in the index
}

const podPageSize = 128

// podPage has the cells of a page.
type podPage struct {
	cells  [podPageSize]*PodState // nil where free
	hashes [podPageSize]uint32    // the hash of the pod in each cell
}

// newPodIndex returns an empty index with room for some number of pods.
func newPodIndex(pods int) podIndex {
	pages := (8+pods*4/3)/podPageSize + 1
	x := podIndex{pages: make([]*podPage, pages), own: make([]bool, pages)}
	for i := range x.pages {
		x.pages[i], x.own[i] = &podPage{}, true
	}
	return x
}

// Get finds a pod by its key, namespace/name.
func (x *podIndex) Get(key outrank.Key) (*PodState, bool) {
	p, _ := x.locate(key)
	return p, p != nil
}

// locate returns the pod with this key, nil for none, and its cell.
func (x *podIndex) locate(key outrank.Key) (p *PodState, cell int) {
	return x.find(hashOf(key), func(p *PodState) bool { return hasKey(p.Pod, key) })
}

// Of returns the state of the pod that has the namespace and name of another.
func (x *podIndex) Of(pod *outrank.Pod) (*PodState, bool) {
	p, _ := x.find(hashOfPod(pod), func(p *PodState) bool { return SameName(p.Pod, pod) })
	return p, p != nil
}

// set adds a pod. The index must not have a pod of this name.
func (x *podIndex) set(p *PodState) {
	// A fifth of the cells stays free, so that searches end soon.
	if x.pods++; x.pods > x.size()*4/5 {
		x.grow()
	}
	x.insert(p, hashOfPod(p.Pod))
}

// replace puts q, another state of the pod p, in its place. p must be in the index.
func (x *podIndex) replace(p, q *PodState) { x.replaceAt(x.cellOf(p), q) }

// replaceAt puts q, another state of the pod in this cell, in its place.
func (x *podIndex) replaceAt(cell int, q *PodState) { x.write(cell, q, x.hash(cell)) }

// remove removes a pod that is in the index, and moves up the pods behind it that a search could not reach
// across the gap.
func (x *podIndex) remove(p *PodState) {
	hole := x.cellOf(p)
	x.pods--

	// A search ends at a free cell. So only pods up to the next free cell can be affected, and of those only
	// the ones whose home is at or before the hole. A pod whose home is behind the hole stays.
	for at := x.next(hole); x.cell(at) != nil; at = x.next(at) {
		if x.steps(x.home(x.hash(at)), at) >= x.steps(hole, at) {
			x.write(hole, x.cell(at), x.hash(at))
			hole = at
		}
	}
	x.write(hole, nil, 0)
}

// share returns a copy. From then on both sides copy a shared page before they write it.
func (x *podIndex) share() podIndex {
	x.own = make([]bool, len(x.own))
	return x.view()
}

// view returns a copy that never writes a page of x. The copy is valid until x changes, and after that
// only if x is shared.
func (x *podIndex) view() podIndex {
	return podIndex{pages: slices.Clone(x.pages), own: make([]bool, len(x.own)), pods: x.pods}
}

// Each calls f for every pod, in no particular order. f may replace pods.
func (x *podIndex) Each(f func(p *PodState)) {
	for _, page := range x.pages {
		for _, p := range page.cells {
			if p != nil {
				f(p)
			}
		}
	}
}

// size returns the number of cells.
func (x *podIndex) size() int { return len(x.pages) * podPageSize }

func (x *podIndex) cell(at int) *PodState { return x.pages[at/podPageSize].cells[at%podPageSize] }
func (x *podIndex) hash(at int) uint32    { return x.pages[at/podPageSize].hashes[at%podPageSize] }

// write writes a cell. A page that a copy may share is copied first.
func (x *podIndex) write(at int, p *PodState, hash uint32) {
	i := at / podPageSize
	if !x.own[i] {
		own := *x.pages[i]
		x.pages[i], x.own[i] = &own, true
	}
	x.pages[i].cells[at%podPageSize], x.pages[i].hashes[at%podPageSize] = p, hash
}

// find returns the pod with this hash for which meant is true, and its cell. If there is none, it returns nil
// and the free cell at which the search ended.
func (x *podIndex) find(hash uint32, meant func(*PodState) bool) (p *PodState, cell int) {
	if len(x.pages) == 0 {
		return nil, 0 // the index of the zero Snapshot
	}

	// The loop goes page by page, so that each cell costs only an index into an array. It ends because some
	// cell is always free.
	at := x.home(hash)
	for i := at / podPageSize; ; i++ {
		if i == len(x.pages) {
			i = 0
		}
		page := x.pages[i]
		for j := at % podPageSize; j < podPageSize; j++ {
			if p := page.cells[j]; p == nil || page.hashes[j] == hash && meant(p) {
				return p, i*podPageSize + j
			}
		}
		at = 0
	}
}

// home returns the cell at which the search for a hash begins. Hashes spread
// evenly over the cells.
func (x *podIndex) home(hash uint32) int { return int(uint64(hash) * uint64(x.size()) >> 32) }

// next returns the next cell. After the last comes the first.
func (x *podIndex) next(at int) int {
	if at++; at == x.size() {
		return 0
	}
	return at
}

// steps returns how many calls of next lead from one cell to another.
func (x *podIndex) steps(from, to int) int {
	if to < from {
		to += x.size()
	}
	return to - from
}

// cellOf returns the cell of a pod that is in the index.
func (x *podIndex) cellOf(p *PodState) int {
	// The loop is that of find. It ends because the pod is in the index.
	at := x.home(hashOfPod(p.Pod))
	for i := at / podPageSize; ; i++ {
		if i == len(x.pages) {
			i = 0
		}
		page := x.pages[i]
		for j := at % podPageSize; j < podPageSize; j++ {
			if page.cells[j] == p {
				return i*podPageSize + j
			}
		}
		at = 0
	}
}

// insert puts a pod into the first free cell at or after its home.
func (x *podIndex) insert(p *PodState, hash uint32) {
	at := x.home(hash)
	for x.cell(at) != nil {
		at = x.next(at)
	}
	x.write(at, p, hash)
}

// grow makes a larger table, with room for half as many pods again.
func (x *podIndex) grow() {
	old := *x
	*x = newPodIndex(x.pods * 3 / 2)
	x.pods = old.pods
	for _, page := range old.pages {
		for i, p := range page.cells {
			if p != nil {
				x.insert(p, page.hashes[i])
			}
		}
	}
}

// keySpace is the length of a buffer that is large enough for most keys.
const keySpace = 128

// appendKey appends the key of a pod, namespace/name.
func appendKey(b []byte, p *outrank.Pod) []byte {
	b = append(b, p.NamespaceName()...)
	b = append(b, '/')
	return append(b, p.Name...)
}

func hashOf(key outrank.Key) uint32 { return uint32(maphash.String(hashSeed, string(key))) }

// hashOfPod is hashOf for the pod's key, without allocating the key.
func hashOfPod(p *outrank.Pod) uint32 {
	var space [keySpace]byte
	return uint32(maphash.Bytes(hashSeed, appendKey(space[:0], p)))
}

// hasKey reports whether a pod has this key, without allocating the pod's.
func hasKey(p *outrank.Pod, key outrank.Key) bool {
	namespace, text := p.NamespaceName(), string(key)
	return len(text) == len(namespace)+1+len(p.Name) &&
		text[:len(namespace)] == namespace && text[len(namespace)] == '/' && text[len(namespace)+1:] == p.Name
}

// SameName reports whether two pods have the same namespace and name.
func SameName(p, q *outrank.Pod) bool {
	return p == q || p.Name == q.Name && p.NamespaceName() == q.NamespaceName()
}

// SamePod reports whether two pods of the same name may be versions of one pod: they have the same UID, or
// one of them has none.
func SamePod(a, b *outrank.Pod) bool { return a.UID == b.UID || a.UID == "" || b.UID == "" }
