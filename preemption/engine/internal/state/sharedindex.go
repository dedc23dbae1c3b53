package state

import (
	"hash/maphash"
	"iter"
	"maps"
	"slices"
)

// sharedIndex maps names to values and is cheap to copy. Copies share a base that none of them writes, and
// each has its own changes on top.
type sharedIndex[V any] struct {
	base    map[string]V
	shared  bool // a copy may have the same base, which then must not be written
	Changes map[string]indexChange[V]
}

// indexChange is an entry on top of the base: a new value, or none if gone is set.
type indexChange[V any] struct {
	value V
	gone  bool
}

// NewSharedIndex returns an empty index with room for size names.
func NewSharedIndex[V any](size int) sharedIndex[V] {
	return sharedIndex[V]{base: make(map[string]V, size)}
}

// Get returns the value of a name.
func (x *sharedIndex[V]) Get(name string) (V, bool) {
	if c, ok := x.Changes[name]; ok {
		return c.value, !c.gone
	}
	v, ok := x.base[name]
	return v, ok
}

// find is Get for a name in bytes. It allocates nothing.
func (x *sharedIndex[V]) find(name []byte) (V, bool) {
	if c, ok := x.Changes[string(name)]; ok {
		return c.value, !c.gone
	}
	v, ok := x.base[string(name)]
	return v, ok
}

// Set gives a name a value.
func (x *sharedIndex[V]) Set(name string, v V) {
	if !x.shared {
		x.base[name] = v
		return
	}
	x.override(name, indexChange[V]{value: v})
}

// Remove removes a name, which need not be there.
func (x *sharedIndex[V]) Remove(name string) {
	if !x.shared {
		delete(x.base, name)
		return
	}
	x.override(name, indexChange[V]{gone: true})
}

// override records a change on top of the base. Once there are more changes than about a fourth of the base,
// the index gets a base of its own, which saves readers one of two look-ups.
func (x *sharedIndex[V]) override(name string, c indexChange[V]) {
	if x.Changes == nil {
		x.Changes = map[string]indexChange[V]{}
	}
	x.Changes[name] = c
	if len(x.Changes) > 64+len(x.base)/4 {
		x.settle()
	}
}

// settle makes a new base that includes the changes. No copy shares it.
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

// Share returns a copy. From then on neither side writes the shared base.
func (x *sharedIndex[V]) Share() sharedIndex[V] {
	x.shared = true
	return x.view()
}

// view returns a copy that never writes the base. The copy is valid until x changes, and after that only
// if x is shared.
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

// sorted iterates over the values in the order of their names. The loop may change the index: a value that it
// removes before its turn does not come.
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

// Fill returns a slice with n elements equal to v. It reuses the memory of old if that is large enough.
func Fill[T any](old []T, n int, v T) []T {
	s := slices.Grow(old[:0], n)[:n]
	if n > 0 {
		s[0] = v
	}

	// Each copy doubles the part that is filled, which is faster than a loop over the elements.
	for done := 1; done < n; done *= 2 {
		copy(s[done:], s[:done])
	}
	return s
}

// Owner marks the parts that a snapshot may write: those with the same *Owner as the snapshot. Only the
// address counts. The field gives the type a size, so that two owners have different addresses.
type Owner struct{ _ byte }

// hashSeed differs from run to run. No answer depends on it.
var hashSeed = maphash.MakeSeed()
