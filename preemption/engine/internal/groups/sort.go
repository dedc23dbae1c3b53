package groups

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/work"
)

// sort sorts units by importance (moreImportant). A cluster can have hundreds of thousands of units, so that
// it uses a radix sort, from the least significant byte of the keys to the most significant. It skips bytes
// that are equal in all keys, which are most bytes of starts and priorities. Time is linear in the number of
// units. If the context ends, the order is undefined.
func (r *run) sort(units []possibleVictim) {
	if r.terms.Importance != nil || len(units) < 1<<8 {
		slices.SortFunc(units, r.compareUnits)
		return
	}

	// differs has the bits in which any key differs from the first.
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

	// Each pass sorts all units from one slice into the other, and keeps the order of units with the same
	// byte.
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

	// After an even number of passes from is units itself, and the copy does nothing.
	copy(units, from)
	r.sortTies(units)
}

// compareUnits is moreImportant until the context ends. From then on it returns 0, so that a sort ends soon.
func (r *run) compareUnits(a, b possibleVictim) int {
	if r.look.Ended(1) {
		return 0
	}
	return r.moreImportant(a, b)
}

// sortWords is the length of a key in words. The first word is the least significant.
const sortWords = 5

// sortKey returns a key whose unsigned order is that of moreImportant without names. The sign bit of signed
// numbers is inverted, and all bits of numbers that sort in falling order are.
func (u *possibleVictim) sortKey() [sortWords]uint32 {
	sec := uint64(u.sec) ^ 1<<63
	return [...]uint32{
		uint32(u.nsec), uint32(sec), uint32(sec >> 32), ^uint32(u.size), ^(uint32(u.priority) ^ 1<<31),
	}
}

// sortByByte sorts the units of from into to by one byte of the key. Units with the same byte keep their
// order. It returns false if the context has ended.
func (r *run) sortByByte(to, from []possibleVictim, word, shift int) bool {
	// next first counts the units with each value of the byte, and then has the index in to for the next unit
	// with that value.
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

// moreImportant orders units by importance (group 12.7; moreImportantVictim). It is negative if u is more
// important than v. The order is total, because names settle the last ties. After the caller's own order
// these decide:
//
//  1. the higher priority;
//  2. a composite group before a group, and a group before a single pod without a group;
//  3. the larger number of pods;
//  4. the earlier start, for a group that of its first pod;
//  5. the namespace, then the name, of the group or of the pod;
//  6. a group before a pod.
func (r *run) moreImportant(u, v possibleVictim) int {
	if r.terms.Importance != nil {
		if c := r.terms.Importance(r.firstOf(&u), r.firstOf(&v)); c != 0 {
			return c
		}
	}

	// size has the rank in its high bits, so that it compares item 2 before item 3.
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

	// For a group pod is -1, so that item 6 follows from comparing pod.
	uSpace, uName := r.nameOf(&u)
	vSpace, vName := r.nameOf(&v)
	return cmp.Or(cmp.Compare(uSpace, vSpace), cmp.Compare(uName, vName), cmp.Compare(u.pod, v.pod))
}

// firstOf returns the most important pod of a unit.
func (r *run) firstOf(u *possibleVictim) *outrank.Pod {
	return r.podsOf(u)[0].Pod
}

// nameOf returns the namespace and name of a unit: those of its whole group, or of its single pod.
func (r *run) nameOf(u *possibleVictim) (namespace, name string) {
	p := r.podsOf(u)[0].Pod
	if !u.single() {
		return p.NamespaceName(), r.whole[u.node].name()
	}
	return p.NamespaceName(), p.Name
}
