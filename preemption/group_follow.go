package preemption

import (
	"context"
	"slices"
)

// takeAway takes the pods of units off their nodes, before the members are placed.
func (f *fitter) takeAway(units []*groupUnit) {
	f.version++
	for _, u := range units {
		f.count(u, -1)
		for _, at := range u.at {
			f.sites[at].version = f.version
		}
	}
}

// count counts the pods of a unit in (by is 1) or out (by is -1).
func (f *fitter) count(u *groupUnit, by int32) {
	switch {
	case !f.lean && by > 0:
		f.run.giveBack(u)
	case !f.lean:
		f.run.take(u)
	default:
		for i, p := range u.pods {
			s := &f.sites[u.at[i]]
			if s.count += by; by > 0 {
				s.taken.add(&p.takes)
			} else {
				s.taken.sub(&p.takes)
			}
		}
	}
}

// giveBack puts a unit back if the group still has a place then. Otherwise
// everything is as before, and it returns why.
func (f *fitter) giveBack(u *groupUnit) *Refusal {
	f.count(u, 1)
	f.version++
	f.versions, f.changed, f.left, f.moves = f.versions[:0], f.changed[:0], f.left[:0], f.moves[:0]
	seated := false
	for _, at := range u.at {
		s := &f.sites[at]
		f.versions = append(f.versions, s.version)
		s.version = f.version
		f.changed = append(f.changed, at)
		seated = seated || len(s.seated) > 0
	}
	if f.lean && !seated || f.follow() {
		return nil
	}
	why := f.refusal()
	f.takeBack(u)
	return why
}

// takeBack reverts giveBack.
func (f *fitter) takeBack(u *groupUnit) {
	for _, m := range slices.Backward(f.moves) {
		f.seat(m.member, m.from)
	}
	f.count(u, -1)
	for i, at := range slices.Backward(u.at) {
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
// nodes before its place only those that changed can take it now; if lean, only
// those that a member left. If its own node changed and does not take it any more,
// the nodes behind come into question.
func (f *fitter) placeOf(i int) int32 {
	at, among := f.members[i].at, f.changed
	if f.lean {
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

// decideByFitter is decide for a fitter that has the group as things are, without
// a place.
func (f *fitter) decide(ctx context.Context, possible []*groupUnit) error {
	r := f.run
	f.unseatAll()
	f.takeAway(possible)
	r.plan.Placements++
	placed, err := f.placeAll(ctx)
	if err != nil {
		return err
	}
	if !placed {
		r.plan.Unhelpful = f.refusal()
		return nil
	}
	r.charge(possible)
	for _, violating := range []bool{true, false} {
		if err := f.reprieve(ctx, possible, violating); err != nil {
			return err
		}
	}
	return r.settle(possible, f.assignments())
}

// reprieve is groupRun.reprieve.
func (f *fitter) reprieve(ctx context.Context, possible []*groupUnit, violating bool) error {
	for i, u := range possible {
		if (len(u.violated) > 0) != violating {
			continue
		}
		if i%chunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		f.run.plan.Placements++
		u.blocks = f.giveBack(u)
		u.victim = u.blocks != nil
	}
	return ctx.Err()
}
