package groups

import (
	"context"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// fitterAt returns a fitter with the pods in given places. They are placed in the order of the assignments,
// so that the filters of each count those before it. refused is about the first pod that its node does not
// take, nil if all are taken.
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
		if said := f.answer(i, at); said != filters.NoObjection && refused == nil {
			refused = f.objection(i, said)
		}
		f.put(i, at)
	}
	return f, refused, f.err
}

// endPlacing ends the placing. From then on the nominations of all members count, even of those with a place,
// so that some members may fail on their nodes (rule 12.9.9). It lists these in failing.
func (f *fitter) endPlacing() error {
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
		if s := f.answerNow(i); s != filters.NoObjection {
			f.failing = append(f.failing, failure{i, f.objection(i, s)})
		}
	}
	return f.err
}

// answerNow returns the present answer of a member's node, beside the members before it that are placed
// there. It uses no remembered answers.
func (f *fitter) answerNow(i int) filters.StatusID {
	m := &f.members[i]
	var none nodeAnswer
	return m.kind.ask(&none, m.at, f.seatedBefore(i, m.at))
}

// objection returns the refusal of a member by its own node.
func (f *fitter) objection(i int, s filters.StatusID) *preemption.Refusal {
	m := &f.members[i]
	return &preemption.Refusal{Pod: m.pod, Nodes: []preemption.Count{{Status: m.kind.attempt.Public(m.kind.said.Of(s)), Nodes: 1}}}
}

// reprieve tries to put back, in order, the units that violate a budget or, without violating, the others. A
// unit stays removed if a member would lose its place (rule 12.9.8). The reason goes into blocks.
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

// keepTurns is the weight of asking whether a member keeps its place, in turns of a plain loop. With far a
// filter may go through all nodes.
func (f *fitter) keepTurns() int {
	if f.far {
		return unitTurns + len(f.sites)
	}
	return unitTurns
}

// reprieveUnit puts a unit back if every member keeps its place. Otherwise it returns the refusal of the
// first member that would lose it, or of the guard.
func (f *fitter) reprieveUnit(u *possibleVictim) *preemption.Refusal {
	// still is the index in failing of the first member that fails regardless of the unit, -1 if there is
	// none.
	affected := f.affectedBy(u)
	still := slices.IndexFunc(f.failing, func(x failure) bool { return !slices.Contains(affected, x.member) })
	if len(affected) == 0 {
		if still < 0 {
			// No member's answer depends on the unit, so that the sums need not be updated.
			return f.run.returnToGuard(u)
		}
		return f.failing[still].why
	}

	f.putBack(u, 1)
	var why *preemption.Refusal
	for _, i := range affected {
		// The first failing member is reported. If still comes before the next one, no question is needed.
		if still >= 0 && f.failing[still].member < i {
			break
		}

		f.look.Ended(f.keepTurns())
		if said := f.answerNow(i); said != filters.NoObjection {
			why = f.objection(i, said)
			break
		}
	}

	// All members pass. If the guard agrees, the unit is back, and no member is failing any more.
	if why == nil && still < 0 {
		if why = f.run.returnToGuard(u); why == nil {
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

// affectedBy lists, in order, the members whose answers may change when a unit is put back: those on its
// nodes, and those whose filters count one of its pods wherever that is. The slice is valid until the next
// call.
func (f *fitter) affectedBy(u *possibleVictim) []int {
	f.affected = f.affected[:0]

	// all is set if the unit may change the answers of every member, and far if it may change those of
	// members on other nodes.
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

// countsAny reports whether the filters of a member count any pod of a unit.
func (f *fitter) countsAny(i int, u *possibleVictim) bool {
	return slices.ContainsFunc(f.run.podsOf(u), func(p *state.PodState) bool { return f.counts(&f.members[i], p.Class) })
}

// putBack puts a unit back (by is 1) or removes it again (-1). It changes the unit's nodes, and the counts
// that the members' filters made when they were placed. These counts are only updated by units, and never
// made anew (rule 12.9.9).
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
				runner := m.kind.runner
				runner.Follow(p, n, by)
			}
		}
	}
}

// reprieveAgain tries again to put back the units that only the guard kept from returning, because fewer
// units are removed by now. It repeats that, in order, until a pass puts back none (rule 13.6.9).
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
