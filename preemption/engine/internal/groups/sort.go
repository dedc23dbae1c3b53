package groups

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/work"
)

// sort puts units in order of importance (moreImportant). A cluster can have
// hundreds of thousands of them, so it sorts by one byte of the key after the
// other, from the last to the first, and leaves out the bytes that all units have
// in common: of starts and priorities that are most. Time is linear in the units. The order is any where the
// context ends it.
func (r *run) sort(units []possibleVictim) {
	if r.terms.Importance != nil || len(units) < 1<<8 {
		slices.SortFunc(units, r.compareUnits)
		return
	}
	var differs [sortWords]uint32
	first := units[0].sortKey()
	for some := range slices.Chunk(units, work.Each/4) {
		if r.look.Ended(sortWords * len(some)) {
			return
		}
		for i := range some {
			for w, v := range some[i].sortKey() {
				differs[w] |= v ^ first[w]
			}
		}
	}
	from, to := units, make([]possibleVictim, len(units))
	for w := range differs {
		for shift := 0; shift < 32; shift += 8 {
			if differs[w]>>shift&0xff != 0 {
				if !r.sortByByte(to, from, w, shift) {
					return
				}
				from, to = to, from
			}
		}
	}
	copy(units, from) // a no-op where they are the same
	r.sortTies(units)
}

// compareUnits is moreImportant until the context ends.
func (r *run) compareUnits(a, b possibleVictim) int {
	if r.look.Ended(1) {
		return 0
	}
	return r.moreImportant(a, b)
}

// sortWords is the length of a key in words, the first of which counts least.
const sortWords = 5

// sortKey orders units as moreImportant does, but for names.
func (u *possibleVictim) sortKey() [sortWords]uint32 {
	sec := uint64(u.sec) ^ 1<<63
	return [...]uint32{
		uint32(u.nsec), uint32(sec), uint32(sec >> 32), ^uint32(u.size), ^(uint32(u.priority) ^ 1<<31),
	}
}

// sortByByte sorts by one byte of the key. Units with an equal one stay in order. It returns false where
// the context ends it.
func (r *run) sortByByte(to, from []possibleVictim, word, shift int) bool {
	var next [256]int
	for some := range slices.Chunk(from, work.Each) {
		if r.look.Ended(len(some)) {
			return false
		}
		for i := range some {
			next[some[i].sortKey()[word]>>shift&0xff]++
		}
	}
	sum := 0
	for b, n := range next {
		next[b], sum = sum, sum+n
	}
	for some := range slices.Chunk(from, work.Each) {
		if r.look.Ended(len(some)) {
			return false
		}
		for i := range some {
			b := some[i].sortKey()[word] >> shift & 0xff
			to[next[b]] = some[i]
			next[b]++
		}
	}
	return true
}

// sortTies sorts units with equal keys by name.
func (r *run) sortTies(units []possibleVictim) {
	for from := 0; from < len(units); {
		if r.look.Ended(1) {
			return
		}
		to, key := from+1, units[from].sortKey()
		for to < len(units) && units[to].sortKey() == key {
			to++
		}
		slices.SortFunc(units[from:to], r.compareUnits)
		from = to
	}
}

// moreImportant orders units (group 12.7; moreImportantVictim): negative if u
// goes before v. It is a total order: ties end in names. What decides, after
// the caller's own order:
//
//  1. the higher priority;
//  2. a composite group before a group, and that before a single pod of no group;
//  3. the one with more pods;
//  4. the earlier start, of a group that of its pods that started first;
//  5. the namespace, then the name, of the group or of the pod.
func (r *run) moreImportant(u, v possibleVictim) int {
	if r.terms.Importance != nil {
		if c := r.terms.Importance(r.firstOf(&u), r.firstOf(&v)); c != 0 {
			return c
		}
	}
	switch {
	case u.priority != v.priority:
		return cmp.Compare(v.priority, u.priority)
	case u.size != v.size:
		return cmp.Compare(v.size, u.size)
	case u.sec != v.sec:
		return cmp.Compare(u.sec, v.sec)
	case u.nsec != v.nsec:
		return cmp.Compare(u.nsec, v.nsec)
	}
	un, u1 := r.nameOf(&u)
	vn, v1 := r.nameOf(&v)
	return cmp.Or(cmp.Compare(un, vn), cmp.Compare(u1, v1), cmp.Compare(u.pod, v.pod))
}

// firstOf returns the most important pod of a unit.
func (r *run) firstOf(u *possibleVictim) *outrank.Pod {
	return r.podsOf(u)[0].Pod
}

func (r *run) nameOf(u *possibleVictim) (namespace, name string) {
	p := r.podsOf(u)[0].Pod
	if !u.single() {
		return p.NamespaceName(), r.whole[u.node].name()
	}
	return p.NamespaceName(), p.Name
}
