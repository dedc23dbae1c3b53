package preemption

import (
	"context"
	"slices"
)

// placeAll places the members anew, as FirstFit does, and reports whether enough
// have a place.
func (f *fitter) placeAll(ctx context.Context) (placed bool, err error) {
	f.missing, f.first = 0, nowhere
	for i := range f.members {
		if i%chunkSize == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if f.far {
			f.rebuild(i)
		}
		to := f.scan(i, 0)
		if to != nowhere {
			f.seat(i, to)
		}
		if !f.settled(i, to) {
			return false, f.err
		}
	}
	return true, f.err
}

// settled counts a member whose place is known, and reports whether there can
// still be enough.
func (f *fitter) settled(i int, at int32) bool {
	if at == nowhere {
		if f.missing++; f.missing == 1 {
			f.first = i
		}
	}
	return f.missing <= len(f.members)-f.run.wanted
}

// scan returns the first position from one on that takes the member. A member like
// the one before it has no place before that one's: there the nodes have the same
// pods for both.
func (f *fitter) scan(i int, from int32) int32 {
	if i > 0 && f.members[i-1].kind == f.members[i].kind {
		if f.members[i-1].at == nowhere {
			return nowhere
		}
		from = max(from, f.members[i-1].at)
	}
	for ; int(from) < len(f.sites); from++ {
		if f.takes(i, from) {
			return from
		}
	}
	return nowhere
}

// seat gives a member another place, or none.
func (f *fitter) seat(i int, to int32) {
	m := &f.members[i]
	if m.at != nowhere {
		s := &f.sites[m.at]
		at, _ := slices.BinarySearch(s.seated, int32(i))
		s.seated = slices.Delete(s.seated, at, at+1)
	}
	if m.at = to; to != nowhere {
		s := &f.sites[to]
		at, _ := slices.BinarySearch(s.seated, int32(i))
		s.seated = slices.Insert(s.seated, at, int32(i))
	}
}

// unseatAll takes the members off their nodes.
func (f *fitter) unseatAll() {
	for i := range f.members {
		if f.members[i].at != nowhere {
			f.seat(i, nowhere)
		}
	}
}

// assignments are the places of those that have one.
func (f *fitter) assignments() []Assignment {
	var as []Assignment
	for i := range f.members {
		if m := &f.members[i]; m.at != nowhere {
			as = append(as, Assignment{m.pod, f.node(m.at).name})
		}
	}
	return as
}
