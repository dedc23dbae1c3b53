package state

import (
	"iter"
	"math/bits"
	"slices"
)

// idSet is a set of small numbers, the ids of classes. It is a sorted list as long as it is short, and a bitmap
// from then on: a long list would be moved with every change. The snapshot that owns a set may write it; any
// other snapshot copies it first.
type idSet struct {
	owner *Owner
	list  []int32
	bits  []uint64 // by id; nil while list has the elements
	size  int32
}

// mostListed is the largest size of a list.
const mostListed = 2048

// all iterates over the ids in ascending order.
func (s *idSet) all() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, id := range s.list {
			if !yield(id) {
				return
			}
		}
		for i, word := range s.bits {
			for ; word != 0; word &= word - 1 {
				if !yield(int32(i*64 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// has reports whether the set has an id.
func (s *idSet) has(id int32) bool {
	if s.bits != nil {
		return int(id/64) < len(s.bits) && s.bits[id/64]&(1<<(id%64)) != 0
	}
	_, ok := slices.BinarySearch(s.list, id)
	return ok
}

// add adds an id that the set does not have.
func (s *idSet) add(id int32) {
	s.size++
	if s.bits == nil && len(s.list) < mostListed {
		at, _ := slices.BinarySearch(s.list, id)
		s.list = slices.Insert(s.list, at, id)
		return
	}

	for _, listed := range s.list {
		s.set(listed)
	}
	s.list = nil
	s.set(id)
}

// set sets the bit of an id.
func (s *idSet) set(id int32) {
	for len(s.bits) <= int(id/64) {
		s.bits = append(s.bits, 0)
	}
	s.bits[id/64] |= 1 << (id % 64)
}

// remove removes an id that the set has.
func (s *idSet) remove(id int32) {
	s.size--
	if s.bits != nil {
		s.bits[id/64] &^= 1 << (id % 64)
		return
	}
	at, _ := slices.BinarySearch(s.list, id)
	s.list = slices.Delete(s.list, at, at+1)
}

// copy returns an equal set for another owner.
func (s *idSet) copy(o *Owner) *idSet {
	return &idSet{owner: o, list: slices.Clone(s.list), bits: slices.Clone(s.bits), size: s.size}
}

// ids is a set with one id at least. Most labels with a value of their own have one class alone, so that a single id
// needs no memory beside.
type ids struct {
	one  int32  // the only id, if more is nil
	more *idSet // all ids
}

// size returns the number of ids.
func (s ids) size() int32 {
	if s.more == nil {
		return 1
	}
	return s.more.size
}

// has reports whether the set has an id.
func (s ids) has(id int32) bool {
	if s.more == nil {
		return s.one == id
	}
	return s.more.has(id)
}

// all iterates over the ids in ascending order.
func (s ids) all() iter.Seq[int32] {
	if s.more != nil {
		return s.more.all()
	}
	return func(yield func(int32) bool) { yield(s.one) }
}

// idSets has sets of class ids by key. A set that is empty is not there.
type idSets struct{ byKey sharedIndex[ids] }

// add adds an id to the set of a key.
func (x *idSets) add(key []byte, id int32, o *Owner) {
	set, ok := x.byKey.find(key)
	switch {
	case !ok:
		x.byKey.Set(string(key), ids{one: id})
		return
	case set.more == nil:
		set.more = &idSet{owner: o}
		set.more.add(set.one)
		x.byKey.Set(string(key), set)
	case set.more.owner != o:
		set.more = set.more.copy(o)
		x.byKey.Set(string(key), set)
	}
	set.more.add(id)
}

// remove removes an id from the set of a key.
func (x *idSets) remove(key []byte, id int32, o *Owner) {
	set, _ := x.byKey.find(key)
	if set.size() == 1 {
		x.byKey.Remove(string(key))
		return
	}
	if set.more.owner != o {
		set.more = set.more.copy(o)
		x.byKey.Set(string(key), set)
	}
	set.more.remove(id)
}

// of returns the set of a key. ok is false if it is empty.
func (x *idSets) of(key []byte) (set ids, ok bool) { return x.byKey.find(key) }
