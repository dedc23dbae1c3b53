package preemption

import "slices"

// takeAway takes the pods of units off their nodes, before the members are placed.
func (f *fitter) takeAway(units []leaver) {
	f.version++
	for i := range units {
		f.count(&units[i], -1)
		for _, at := range f.positionsOf(&units[i]) {
			f.sites[at].version = f.version
		}
	}
}

// positionsOf returns the positions of the pods of a unit, in their order.
func (f *fitter) positionsOf(u *leaver) []int32 {
	f.at = f.at[:0]
	if u.single() {
		f.at = append(f.at, u.node)
		return f.at
	}
	for _, p := range f.run.podsOf(u) {
		slot, _ := f.snap.slots.get(p.at.name)
		f.at = append(f.at, f.positionOf[slot])
	}
	return f.at
}

// count counts the pods of a unit in (by is 1) or out (by is -1).
func (f *fitter) count(u *leaver, by int32) {
	if !f.lean || f.far && f.counted(u) {
		if by > 0 {
			f.run.giveBack(u)
		} else {
			f.run.take(u)
		}
	}
	if f.lean {
		f.countSites(u, by)
	}
}

// countSites is count for what the sites count.
func (f *fitter) countSites(u *leaver, by int32) {
	switch {
	case u.single() && f.sites[u.node].rows != nil:
		s := &f.sites[u.node]
		s.count += by
		for k, v := range s.rows[u.pod] {
			s.taken.std[k].change(v, by)
		}
	default:
		pods := f.run.podsOf(u)
		for i, at := range f.positionsOf(u) {
			s := &f.sites[at]
			if s.count += by; by > 0 {
				s.taken.add(&pods[i].takes)
			} else {
				s.taken.sub(&pods[i].takes)
			}
		}
	}
}

func (t *total) change(v int64, by int32) {
	if by > 0 {
		t.add(v)
	} else {
		t.sub(v)
	}
}

// giveBack puts a unit back if the group still has a place then. Otherwise
// everything is as before, and it returns why.
func (f *fitter) giveBack(u *leaver) *Refusal {
	f.count(u, 1)
	f.version++
	f.versions, f.changed, f.left = f.versions[:0], f.changed[:0], f.left[:0]
	f.moves, f.rebuilt = f.moves[:0], f.rebuilt[:0]
	seated := false
	for _, at := range f.positionsOf(u) {
		s := &f.sites[at]
		f.versions = append(f.versions, s.version)
		s.version = f.version
		f.changed = append(f.changed, at)
		seated = seated || len(s.seated) > 0
	}
	outdated := f.far && f.counted(u)
	if outdated {
		f.outdateBy(u)
	}
	if f.monotone && !seated && !outdated || f.follow() {
		return nil
	}
	why := f.refusal()
	f.takeBack(u)
	return why
}

// takeBack reverts giveBack.
func (f *fitter) takeBack(u *leaver) {
	for _, m := range slices.Backward(f.moves) {
		f.seat(m.member, m.from)
	}
	for _, m := range slices.Backward(f.rebuilt) {
		f.members[m.member].kind = m.kind
	}
	for i := range f.members {
		f.members[i].stale = false
	}
	f.count(u, -1)
	for i, at := range slices.Backward(f.positionsOf(u)) {
		f.sites[at].version = f.versions[i]
	}
}

// follow finds the places of the members after a change. It reports whether enough
// have one.
func (f *fitter) follow() bool {
	f.missing, f.first = 0, nowhere
	for i := range f.members {
		was := f.members[i].at
		to := f.placeOf(i)
		if to != was {
			f.moves = append(f.moves, move{i, was})
			f.seat(i, to)
			f.note(was, to)
			if f.far {
				f.outdate(i+1, f.members[i].runs.class)
			}
		}
		if !f.settled(i, to) {
			return false
		}
	}
	return true
}

// note records that for the members that follow a member is at another position.
func (f *fitter) note(from, to int32) {
	if from != nowhere {
		f.changed, f.left = include(f.changed, from), include(f.left, from)
	}
	if to != nowhere {
		f.changed = include(f.changed, to)
	}
}

func include(set []int32, position int32) []int32 {
	if slices.Contains(set, position) {
		return set
	}
	return append(set, position)
}

// placeOf returns where a member goes, given where those before it are. Of the
// nodes before its place only those that changed can take it now; if monotone, only
// those that a member left. If its own node changed and does not take it any more,
// the nodes behind come into question.
func (f *fitter) placeOf(i int) int32 {
	if f.members[i].stale {
		f.rebuild(i)
		return f.scan(i, 0)
	}
	at, among := f.members[i].at, f.changed
	if f.monotone {
		among = f.left
	}
	best := at
	for _, c := range among {
		if (best == nowhere || c < best) && f.takes(i, c) {
			best = c
		}
	}
	if best != at || at == nowhere || !slices.Contains(f.changed, at) || f.takes(i, at) {
		return best
	}
	return f.scan(i, at+1)
}
