package groups

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// placement is where the pods of the group go, or why there is no place for the group.
type placement struct {
	assigned []preemption.Assignment
	refused  *preemption.Refusal
}

// placeAll places the members, none of which has a place yet (rules 12.9.3 and 12.9.4). If the group has no
// place, the refusal is that of the first member without one.
func (f *fitter) placeAll(ctx context.Context) (placement, error) {
	f.afresh = true
	var first *preemption.Refusal

	p := placing{
		place: func(i int) (bool, error) {
			if i%dryrun.ChunkSize == 0 && ctx.Err() != nil {
				return false, ctx.Err()
			}
			found := f.place(ctx, i)
			if f.look.Err() != nil {
				return false, f.look.Err()
			}

			// Only the first refusal is reported, because it is the reason that the group has no place.
			if !found && first == nil && f.err == nil {
				first = f.refusal(i)
			}
			return found, f.err
		},
		giveUp:   func() { f.afresh = true },
		takeAway: func(i int) { f.put(i, nowhere) },
	}

	why, err := p.all(f.run.quorum)
	switch {
	case err != nil:
		return placement{}, err
	case why == "":
		return placement{assigned: f.assignments()}, nil
	case first == nil:
		first = &preemption.Refusal{} // no member was tried
	}

	first.Reason = reasonFor(why)
	return placement{refused: first}, nil
}

// placing places the pods of a group one after another, as the policies of the groups ask.
type placing struct {
	// place finds a place for pod i, and takeAway undoes that. giveUp is called when a group has no place,
	// before its placed pods are taken away.
	place    func(i int) (placed bool, err error)
	takeAway func(i int)
	giveUp   func()
	// placed lists the placed pods, by index, in the order in which they were placed.
	placed []int
}

// all places a whole group or tree. why is the reason if there is no place, else empty. At least one pod must
// find a place now, even if running pods already fill the quorum.
func (p *placing) all(q *quorum) (why string, err error) {
	why, err = p.group(q)
	if why == "" && err == nil && len(p.placed) == 0 {
		p.giveUp()
		why = unplacedText
	}
	return why, err
}

// group places the pods of one group, or the groups below it. It gives up as soon as too few are left to
// reach the quorum, and then removes the pods that it has placed.
func (p *placing) group(q *quorum) (why string, err error) {
	before := len(p.placed)
	placed, all := q.there, len(q.pods)+len(q.below)

	// Whether to give up is checked before the first member and after each (rule 12.9.3).
	why = q.lacks(placed, all)
	for i := 0; i < all && why == ""; i++ {
		found, err := p.next(q, i)
		if err != nil {
			return "", err
		}
		if found {
			placed++
		}
		why = q.lacks(placed, all-1-i)
	}

	if why != "" {
		p.giveUp()
		for _, i := range slices.Backward(p.placed[before:]) {
			p.takeAway(i)
		}
		p.placed = p.placed[:before]
	}
	return why, nil
}

// next places pod i of a group or, for a composite group, group i below it.
func (p *placing) next(q *quorum, i int) (found bool, err error) {
	if i >= len(q.pods) {
		why, err := p.group(q.below[i-len(q.pods)])
		return why == "", err
	}
	found, err = p.place(q.pods[i])
	if found {
		p.placed = append(p.placed, q.pods[i])
	}
	return found, err
}

// ask asks the caller's function for a placement in the present working snapshot.
func (r *run) ask(ctx context.Context) (placement, error) {
	if err := ctx.Err(); err != nil {
		return placement{}, err
	}

	draft := r.newDraft(ctx)
	assigned, refused, err := r.place(ctx, draft, slices.Clone(r.pods))
	draft.end()
	if err != nil {
		return placement{}, fmt.Errorf("place: %w", err)
	}
	if refused != nil {
		return placement{refused: refused}, nil
	}
	return placement{assigned: assigned}, r.checkPlacement(assigned)
}

// checkPlacement returns an error for an invalid placement by the caller. Each of its pods must be of the
// group, occur once and have an existing node, and there must be as many as the group's policy asks for.
func (r *run) checkPlacement(assigned []preemption.Assignment) error {
	indexes := make(map[outrank.Key]int, len(r.pods))
	for i, p := range r.pods {
		indexes[p.Key()] = i
	}

	placed := make([]bool, len(r.pods))
	for _, a := range assigned {
		if a.Pod == nil {
			return fmt.Errorf("placement: %w: a pod is nil", outrank.ErrInvalid)
		}
		i, asked := indexes[a.Pod.Key()]
		if !asked || placed[i] {
			return fmt.Errorf("placement: %w: %s was not asked for, or stands there twice", outrank.ErrInvalid, a.Pod.Key())
		}
		placed[i] = true
		if _, ok := r.work.Node(a.Node); !ok {
			return fmt.Errorf("placement: %w: %s: no node %q", outrank.ErrInvalid, a.Pod.Key(), a.Node)
		}
	}

	// A placement without a refusal has to satisfy the policy, or the caller has contradicted itself.
	if len(assigned) == 0 {
		return fmt.Errorf("placement: %w: no pod has a node, and nothing says why", outrank.ErrInvalid)
	}
	if why := r.quorum.missed(placed); why != "" {
		return fmt.Errorf("placement: %w: %d of %d pods have a node, and nothing says why: %s", outrank.ErrInvalid, len(assigned), len(placed), why)
	}
	return nil
}
