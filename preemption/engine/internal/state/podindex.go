package state

import (
	"hash/maphash"
	"slices"

	"github.com/outrank-go/outrank"
)

// podIndex finds pods by namespace and name. It is a hash table with linear
// probing, and stores no keys: a map of strings would take as much memory as the
// pods. Its cells are in pages that copies share until one of them writes a page.
type podIndex struct {
	pages []*podPage
	own   []bool // by page: no copy has it
	pods  int
}

const podPageSize = 128

type podPage struct {
	cells  [podPageSize]*PodState // nil where free
	hashes [podPageSize]uint32    // of the pods in cells
}

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

// locate returns the pod with this key and its cell, nil for none.
func (x *podIndex) locate(key outrank.Key) (p *PodState, cell int) {
	return x.find(hashOf(key), func(p *PodState) bool { return hasKey(p.Pod, key) })
}

// Of returns what the snapshot knows of a pod.
func (x *podIndex) Of(pod *outrank.Pod) (*PodState, bool) {
	p, _ := x.find(hashOfPod(pod), func(p *PodState) bool { return SameName(p.Pod, pod) })
	return p, p != nil
}

// set adds a pod. No pod of its name is in the index.
func (x *podIndex) set(p *PodState) {
	if x.pods++; x.pods > x.size()*4/5 {
		x.grow()
	}
	x.insert(p, hashOfPod(p.Pod))
}

// replace puts another version of a pod that is in the index in its place.
func (x *podIndex) replace(p, q *PodState) { x.replaceAt(x.cellOf(p), q) }

// replaceAt is replace where the cell of the pod is known.
func (x *podIndex) replaceAt(cell int, q *PodState) { x.write(cell, q, x.hash(cell)) }

// remove takes out a pod that is in the index, and moves up the pods behind it that
// would otherwise not be found any more.
func (x *podIndex) remove(p *PodState) {
	at := x.cellOf(p)
	x.pods--
	hole := at
	for at = x.next(at); x.cell(at) != nil; at = x.next(at) {
		// A pod whose home lies behind the hole is found without passing the
		// hole.
		if x.behind(x.home(x.hash(at)), at) >= x.behind(hole, at) {
			x.write(hole, x.cell(at), x.hash(at))
			hole = at
		}
	}
	x.write(hole, nil, 0)
}

// share returns a copy. From then on neither side writes a page that both have.
func (x *podIndex) share() podIndex {
	x.own = make([]bool, len(x.own))
	return x.view()
}

// view returns a copy that never writes a page of x. Unless x is shared, the copy is
// valid only until x changes.
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

func (x *podIndex) size() int { return len(x.pages) * podPageSize }

func (x *podIndex) cell(at int) *PodState { return x.pages[at/podPageSize].cells[at%podPageSize] }
func (x *podIndex) hash(at int) uint32    { return x.pages[at/podPageSize].hashes[at%podPageSize] }

func (x *podIndex) write(at int, p *PodState, hash uint32) {
	i := at / podPageSize
	if !x.own[i] {
		own := *x.pages[i]
		x.pages[i], x.own[i] = &own, true
	}
	x.pages[i].cells[at%podPageSize], x.pages[i].hashes[at%podPageSize] = p, hash
}

// find returns the pod with this hash for which meant is true, and its cell, or nil.
func (x *podIndex) find(hash uint32, meant func(*PodState) bool) (p *PodState, cell int) {
	if len(x.pages) == 0 {
		return nil, 0 // of the zero Snapshot
	}
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

func (x *podIndex) next(at int) int {
	if at++; at == x.size() {
		return 0
	}
	return at
}

// behind returns the number of steps from one cell to another.
func (x *podIndex) behind(from, to int) int {
	if to < from {
		to += x.size()
	}
	return to - from
}

// cellOf returns the cell of a pod that is in the index.
func (x *podIndex) cellOf(p *PodState) int {
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

func (x *podIndex) insert(p *PodState, hash uint32) {
	at := x.home(hash)
	for x.cell(at) != nil {
		at = x.next(at)
	}
	x.write(at, p, hash)
}

// grow makes room for half as many pods again.
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

// SameName reports whether two pods have the same namespace and name.
func SameName(p, q *outrank.Pod) bool {
	return p == q || p.Name == q.Name && p.NamespaceName() == q.NamespaceName()
}

// SamePod reports whether two pods of one name may be versions of the same pod.
func SamePod(a, b *outrank.Pod) bool { return a.UID == b.UID || a.UID == "" || b.UID == "" }
