package queue

// String returns the counts in words, for what tests print and compare.
func (p Pending) String() string {
	return Counts{
		Active: podsIn(p.Active), Backoff: podsIn(p.Backoff), Unschedulable: podsIn(p.Unschedulable), Gated: podsIn(p.Gated),
		InFlight: len(p.InFlight), Incomplete: len(p.Incomplete), Waiting: len(p.Waiting),
	}.String()
}

// podsIn counts the pods of entries, those of groups by themselves.
func podsIn(entries []Entry) int {
	n := 0
	for i := range entries {
		if g := entries[i].Group; g != nil {
			n += len(g.Members)
		} else {
			n++
		}
	}
	return n
}
