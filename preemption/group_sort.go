package preemption

import "slices"

// sort puts units in order of importance (MoreImportant). A cluster can have
// hundreds of thousands of them, so it sorts by one byte of the key after the
// other, from the last to the first, and leaves out the bytes that all units have
// in common: of starts and priorities that are most. Time is linear in the units.
func (r *groupRun) sort(units []possibleVictim) {
	if r.config.Importance != nil || len(units) < 1<<8 {
		slices.SortFunc(units, r.moreImportant)
		return
	}
	var differs [sortWords]uint32
	first := units[0].sortKey()
	for i := range units {
		for w, v := range units[i].sortKey() {
			differs[w] |= v ^ first[w]
		}
	}
	from, to := units, make([]possibleVictim, len(units))
	for w := range differs {
		for shift := 0; shift < 32; shift += 8 {
			if differs[w]>>shift&0xff != 0 {
				sortByByte(to, from, w, shift)
				from, to = to, from
			}
		}
	}
	copy(units, from) // a no-op where they are the same
	r.sortTies(units)
}

// sortWords is the length of a key in words, the first of which counts least.
const sortWords = 5

// sortKey orders units as MoreImportant does, but for names.
func (u *possibleVictim) sortKey() [sortWords]uint32 {
	sec := uint64(u.sec) ^ 1<<63
	return [...]uint32{
		uint32(u.nsec), uint32(sec), uint32(sec >> 32), ^uint32(u.size), ^(uint32(u.priority) ^ 1<<31),
	}
}

// sortByByte sorts by one byte of the key. Units with an equal one stay in order.
func sortByByte(to, from []possibleVictim, word, shift int) {
	var next [256]int
	for i := range from {
		next[from[i].sortKey()[word]>>shift&0xff]++
	}
	sum := 0
	for b, n := range next {
		next[b], sum = sum, sum+n
	}
	for i := range from {
		b := from[i].sortKey()[word] >> shift & 0xff
		to[next[b]] = from[i]
		next[b]++
	}
}

// sortTies sorts units with equal keys by name.
func (r *groupRun) sortTies(units []possibleVictim) {
	for from := 0; from < len(units); {
		to, key := from+1, units[from].sortKey()
		for to < len(units) && units[to].sortKey() == key {
			to++
		}
		slices.SortFunc(units[from:to], r.moreImportant)
		from = to
	}
}
