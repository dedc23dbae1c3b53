package state

import (
	"hash/maphash"
	"iter"
	"maps"
	"slices"
)

// sharedIndex finds values by name. Copies share a base that none of them
// writes, and each has its own changes on top.
type sharedIndex[V any] struct {
	base    map[string]V
	shared  bool // base must not be written
	Changes map[string]indexChange[V]
}

// indexChange is an entry on top of the base.
type indexChange[V any] struct {
	value V
	gone  bool
}

// NewSharedIndex returns an empty index with room for so many names.
func NewSharedIndex[V any](size int) sharedIndex[V] {
	return sharedIndex[V]{base: make(map[string]V, size)}
}

func (x *sharedIndex[V]) Get(name string) (V, bool) {
	if c, ok := x.Changes[name]; ok {
		return c.value, !c.gone
	}
	v, ok := x.base[name]
	return v, ok
}

// find is Get for a name in bytes, of which no text is made.
func (x *sharedIndex[V]) find(name []byte) (V, bool) {
	if c, ok := x.Changes[string(name)]; ok {
		return c.value, !c.gone
	}
	v, ok := x.base[string(name)]
	return v, ok
}

func (x *sharedIndex[V]) Set(name string, v V) {
	if !x.shared {
		x.base[name] = v
		return
	}
	x.override(name, indexChange[V]{value: v})
}

func (x *sharedIndex[V]) Remove(name string) {
	if !x.shared {
		delete(x.base, name)
		return
	}
	x.override(name, indexChange[V]{gone: true})
}

// override records a change on top of the base. Once there are many changes,
// the index gets a base of its own, which is cheaper.
func (x *sharedIndex[V]) override(name string, c indexChange[V]) {
	if x.Changes == nil {
		x.Changes = map[string]indexChange[V]{}
	}
	x.Changes[name] = c
	if len(x.Changes) > 64+len(x.base)/4 {
		x.settle()
	}
}

func (x *sharedIndex[V]) settle() {
	base := maps.Clone(x.base)
	for name, c := range x.Changes {
		if c.gone {
			delete(base, name)
		} else {
			base[name] = c.value
		}
	}
	*x = sharedIndex[V]{base: base}
}

// Share returns a copy. From then on neither side writes the base.
func (x *sharedIndex[V]) Share() sharedIndex[V] {
	x.shared = true
	return x.view()
}

// view returns a copy that never writes the base. Unless x is shared, the copy
// is valid only until x changes.
func (x *sharedIndex[V]) view() sharedIndex[V] {
	return sharedIndex[V]{base: x.base, shared: true, Changes: maps.Clone(x.Changes)}
}

// Each calls f for every entry, in no particular order.
func (x *sharedIndex[V]) Each(f func(name string, v V)) {
	for name, v := range x.base {
		if _, changed := x.Changes[name]; !changed {
			f(name, v)
		}
	}
	for name, c := range x.Changes {
		if !c.gone {
			f(name, c.value)
		}
	}
}

// sorted goes through the values in the order of their names. One that is removed before
// its turn does not come.
func (x *sharedIndex[V]) sorted() iter.Seq[V] {
	return func(yield func(V) bool) {
		var names []string
		x.Each(func(name string, _ V) { names = append(names, name) })
		slices.Sort(names)
		for _, name := range names {
			if v, ok := x.Get(name); ok && !yield(v) {
				return
			}
		}
	}
}

// Fill returns a slice of n times v, in old's memory where it is large enough.
func Fill[T any](old []T, n int, v T) []T {
	s := slices.Grow(old[:0], n)[:n]
	if n > 0 {
		s[0] = v
	}
	for done := 1; done < n; done *= 2 {
		copy(s[done:], s[:done])
	}
	return s
}

// Owner marks the parts of a snapshot that the snapshot may write. Only its
// address counts; it has a size so that two owners have different addresses.
type Owner struct{ _ byte }

// hashSeed differs from run to run. No result depends on it.
var hashSeed = maphash.MakeSeed()
