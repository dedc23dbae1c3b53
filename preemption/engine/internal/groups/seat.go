package groups

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank/preemption"
)

// place puts a member on the first node that takes it, and reports whether there is one.
func (f *fitter) place(ctx context.Context, i int) bool {
	if f.afresh {
		f.since, f.afresh = i, false
	}
	if f.far {
		f.look.Ended(f.keepTurns())
		f.rebuild(ctx, i)
	}

	to := f.scan(i)
	if to == nowhere {
		return false
	}
	f.put(i, to)
	return true
}

// put is seat for a member that may have a nomination. The nomination counts for others only while the member
// has no place (rule 12.9.5), so that put also changes the version of the nominated node.
func (f *fitter) put(i int, to int32) {
	f.seat(i, to)
	m := &f.members[i]
	if m.nomination == "" {
		return
	}
	f.nominees[m.pod] = to == nowhere
	if m.nominated != nowhere {
		f.version++
		f.sites[m.nominated].version = f.version
	}
}

// scan returns the first position whose node takes the member, nowhere if none does.
func (f *fitter) scan(i int) int32 {
	// If the previous member is of the same kind, no node before its place takes this one: these nodes
	// refused the other, and their pods have not changed since. That is not so if members were removed in
	// between.
	from := int32(0)
	if i > f.since && f.members[i-1].kind == f.members[i].kind {
		if from = f.members[i-1].at; from == nowhere {
			return nowhere
		}
	}

	for ; int(from) < len(f.sites); from++ {
		if f.look.Ended(askTurns) {
			return nowhere
		}
		if f.takes(i, from) {
			return from
		}
	}
	return nowhere
}

// askTurns is the weight of asking a node, in turns of a plain loop.
const askTurns = 8

// seat moves a member to another place, or to none. The seated members of a site stay sorted.
func (f *fitter) seat(i int, to int32) {
	m := &f.members[i]
	if m.at != nowhere {
		s := &f.sites[m.at]
		at, _ := slices.BinarySearch(s.seated, int32(i))
		s.seated = slices.Delete(s.seated, at, at+1)
	}

	m.at = to
	if to != nowhere {
		s := &f.sites[to]
		at, _ := slices.BinarySearch(s.seated, int32(i))
		s.seated = slices.Insert(s.seated, at, int32(i))
	}
}

// unseatAll removes all members from their places.
func (f *fitter) unseatAll() {
	for i := range f.members {
		if f.members[i].at != nowhere {
			f.seat(i, nowhere)
		}
	}
}

// assignments returns the places of the members that have one.
func (f *fitter) assignments() []preemption.Assignment {
	var as []preemption.Assignment
	for i := range f.members {
		if m := &f.members[i]; m.at != nowhere {
			as = append(as, preemption.Assignment{Pod: m.pod, Node: f.node(m.at).Name})
		}
	}
	return as
}

// takeAway removes the pods of units from their nodes, before the members are placed.
func (f *fitter) takeAway(units []possibleVictim) {
	f.version++
	for i := range units {
		if f.look.Ended(unitTurns) {
			return
		}
		f.count(&units[i], -1)
		for _, at := range f.positionsOf(&units[i]) {
			f.sites[at].version = f.version
		}
	}
}

// count adds the pods of a unit (by is 1) or removes them (-1): in the snapshot if filters look at it, and in
// the sites if these count pods.
func (f *fitter) count(u *possibleVictim, by int32) {
	switch {
	case !f.lean || f.far && f.counted(u):
		if by > 0 {
			f.run.giveBack(u)
		} else {
			f.run.take(u)
		}
	case len(f.concerns) > 0:
		// The pods stay in the snapshot, but filters of the caller see them as gone.
		for _, p := range f.run.podsOf(u) {
			f.snap.SetAside(p, int(by))
		}
	}
	if f.lean {
		f.countSites(u, by)
	}
}

// countSites is count for the sums of the sites, with lean.
func (f *fitter) countSites(u *possibleVictim, by int32) {
	switch {
	case u.single() && f.sites[u.node].rows != nil:
		// Most pods take only resources with a column, so that the row suffices and the pod need not be read.
		s := &f.sites[u.node]
		s.count += by
		for k, v := range s.rows[u.pod] {
			s.taken.Std[k].Change(v, by)
		}

	default:
		pods := f.run.podsOf(u)
		for i, at := range f.positionsOf(u) {
			s := &f.sites[at]
			s.count += by
			if by > 0 {
				s.taken.Add(&pods[i].Takes)
			} else {
				s.taken.Sub(&pods[i].Takes)
			}
		}
	}
}
