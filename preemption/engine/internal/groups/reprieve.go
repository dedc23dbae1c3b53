package groups

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// fitterAt returns a fitter with the pods where a function of the caller placed them, with
// every possible victim away. Their filters count in the order of the assignments.
// refused says which of them is the first that its node does not take so.
func (r *run) fitterAt(ctx context.Context, placed []preemption.Assignment) (f *fitter, refused *preemption.Refusal, err error) {
	pods := make([]*outrank.Pod, len(placed))
	for i, a := range placed {
		pods[i] = a.Pod
	}
	if f, err = r.newFitter(ctx, pods); err != nil {
		return nil, nil, err
	}
	for i, a := range placed {
		if f.look.Ended(f.keepTurns()) {
			return nil, nil, f.look.Err()
		}
		if f.far {
			f.rebuild(ctx, i)
		}
		at := f.positionOf[r.work.NodeState(a.Node).Slot]
		if said := f.says(i, at); said != filters.NoObjection && refused == nil {
			refused = f.objection(i, said)
		}
		f.put(i, at)
	}
	return f, refused, f.err
}

// fix ends the placing. The nominations of all members count again, those from
// earlier attempts too (rule 12.9.9).
func (f *fitter) fix() error {
	for p := range f.nominees {
		f.nominees[p] = true
	}
	for i := range f.members {
		if f.members[i].at == nowhere {
			continue
		}
		if f.look.Ended(f.keepTurns()) {
			return f.look.Err()
		}
		if s := f.keeps(i); s != filters.NoObjection {
			f.failing = append(f.failing, failure{i, f.objection(i, s)})
		}
	}
	return f.err
}

// keeps says what the node of a member says to it at present, with the members before
// it that have their places there.
func (f *fitter) keeps(i int) filters.StatusID {
	m := &f.members[i]
	var first nodeAnswer
	return m.kind.ask(&first, m.at, f.seatedBefore(i, m.at))
}

// objection is what the node of a member said to it.
func (f *fitter) objection(i int, s filters.StatusID) *preemption.Refusal {
	m := &f.members[i]
	return &preemption.Refusal{Pod: m.pod, Nodes: []preemption.Count{{Status: m.kind.a.Public(m.kind.said.statuses.Of(s)), Nodes: 1}}}
}

// reprieve puts back the units that violate a budget, or the others, as far as each member
// stays in its place (rule 12.9.8). It stores in blocks why units could not be put back.
func (f *fitter) reprieve(ctx context.Context, possible []possibleVictim, violating bool, blocks map[int]*preemption.Refusal) error {
	for i := range possible {
		if f.look.Ended(1) {
			return f.look.Err()
		}
		if possible[i].violates() != violating {
			continue
		}
		if f.look.Ended(f.keepTurns()) {
			return f.look.Err()
		}
		if why := f.reprieveUnit(&possible[i]); why != nil {
			blocks[i] = why
		}
	}
	return ctx.Err()
}

// keepTurns is about how many turns of loops it takes to find out whether members keep their places: where they
// look beyond their nodes, a filter may go through all of them.
func (f *fitter) keepTurns() int {
	if f.far {
		return unitTurns + len(f.sites)
	}
	return unitTurns
}

// reprieveUnit puts back a unit, if each member stays where it is then. Otherwise it
// returns why not: what is said of the first member that does not, or by the guard.
func (f *fitter) reprieveUnit(u *possibleVictim) *preemption.Refusal {
	affected := f.affects(u)
	still := slices.IndexFunc(f.failing, func(x failure) bool { return !slices.Contains(affected, x.member) })
	if len(affected) == 0 {
		if still < 0 {
			return f.run.comesBack(u) // no member has to do with the unit any more
		}
		return f.failing[still].why
	}
	f.putBack(u, 1)
	var why *preemption.Refusal
	for _, i := range affected {
		if still >= 0 && f.failing[still].member < i {
			break
		}
		f.look.Ended(f.keepTurns())
		if said := f.keeps(i); said != filters.NoObjection {
			why = f.objection(i, said)
			break
		}
	}
	if why == nil && still < 0 {
		if why = f.run.comesBack(u); why == nil {
			f.failing = nil
			return nil
		}
	}
	f.putBack(u, -1)
	if why == nil {
		why = f.failing[still].why
	}
	return why
}

// affects lists the members that may hear something else once a unit is put back: those
// on its nodes, and those whose filters count one of its pods wherever it is.
func (f *fitter) affects(u *possibleVictim) []int {
	f.affected = f.affected[:0]
	all := f.opaque || len(f.concerns) > 0 && slices.ContainsFunc(f.run.podsOf(u), f.concerned)
	far := all || f.far && f.counted(u)
	for _, at := range f.positionsOf(u) {
		for _, i := range f.sites[at].seated {
			f.affected = append(f.affected, int(i))
		}
	}
	if far {
		for i := range f.members {
			if f.members[i].at != nowhere && (all || f.countsAny(i, u)) {
				f.affected = append(f.affected, i)
			}
		}
	}
	slices.Sort(f.affected)
	f.affected = slices.Compact(f.affected)
	return f.affected
}

func (f *fitter) countsAny(i int, u *possibleVictim) bool {
	return slices.ContainsFunc(f.run.podsOf(u), func(p *state.PodState) bool { return f.counts(&f.members[i], p.Class) })
}

// putBack puts back a unit (by is 1), or takes it away again (-1): on its nodes, and in what
// the filters of the members counted when these were placed. That is not counted anew (rule
// 12.9.8).
func (f *fitter) putBack(u *possibleVictim, by int) {
	if f.lean {
		f.countSites(u, int32(by))
	} else if by > 0 {
		f.run.giveBack(u)
	} else {
		f.run.take(u)
	}
	if !f.far {
		return
	}
	positions := f.positionsOf(u)
	for at, p := range f.run.podsOf(u) {
		all, n := f.opaque || f.concerned(p), f.node(positions[at])
		for i := range f.members {
			if m := &f.members[i]; m.at != nowhere && (all || f.counts(m, p.Class)) {
				m.kind.w.Follow(p, n, by)
			}
		}
	}
}

// reprieveAgain tries to put back the units that the guard alone kept away, in order, now
// that fewer are away, as long as that puts back any (rule 13.6.9).
func (f *fitter) reprieveAgain(ctx context.Context, away []possibleVictim, blocks map[int]*preemption.Refusal) error {
	for again := f.run.guard != nil; again; {
		again = false
		for i := range away {
			if f.look.Ended(f.keepTurns()) {
				return f.look.Err()
			}
			if why := blocks[i]; why == nil || why.Guard.Code == preemption.Success {
				continue
			}
			if blocks[i] = f.reprieveUnit(&away[i]); blocks[i] == nil {
				delete(blocks, i)
				again = true
			}
		}
	}
	return ctx.Err()
}
