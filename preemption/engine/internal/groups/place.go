package groups

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// placement is where pods of the group go, or why there is no place.
type placement struct {
	at      []preemption.Assignment
	refused *preemption.Refusal
}

// placeAll places the members anew.
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
		return placement{at: f.assignments()}, nil
	case first == nil:
		first = &preemption.Refusal{}
	}
	first.Reason = reasonFor(why)
	return placement{refused: first}, nil
}

// placing places the members of a group one after the other.
type placing struct {
	// place finds a place for the pod of an index, and takeAway undoes it. giveUp is
	// called where a group has no place, before what was placed of it is taken away.
	place    func(i int) (placed bool, err error)
	takeAway func(i int)
	giveUp   func()
	// placed are those in their places, in order.
	placed []int
}

// all places a whole group, of which one pod at least has to find a place now. It
// returns why there is none, empty where there is.
func (p *placing) all(q *quorum) (why string, err error) {
	why, err = p.group(q)
	if why == "" && err == nil && len(p.placed) == 0 {
		p.giveUp()
		why = unplacedText
	}
	return why, err
}

// group places the pods of one group or of those below it. It ends as soon as too few
// are left. What was placed in vain is taken away again.
func (p *placing) group(q *quorum) (why string, err error) {
	before, placed, all := len(p.placed), q.there, len(q.pods)+len(q.below)
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

// next places one pod of a group, or one group of a composite one.
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

// ask asks the caller's function for a placement with the pods that there are at present.
func (r *run) ask(ctx context.Context) (placement, error) {
	if err := ctx.Err(); err != nil {
		return placement{}, err
	}
	draft := r.newDraft(ctx)
	at, refused, err := r.place(ctx, draft, slices.Clone(r.pods))
	draft.end()
	if err != nil {
		return placement{}, fmt.Errorf("place: %w", err)
	}
	if refused != nil {
		return placement{refused: refused}, nil
	}
	return placement{at: at}, r.complete(at)
}

// complete checks that pods of the group have a node each, which there is, and as many as its policy asks
// for.
func (r *run) complete(at []preemption.Assignment) error {
	indexes := make(map[outrank.Key]int, len(r.pods))
	for i, p := range r.pods {
		indexes[p.Key()] = i
	}
	placed := make([]bool, len(r.pods))
	for _, a := range at {
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
	if len(at) == 0 {
		return fmt.Errorf("placement: %w: no pod has a node, and nothing says why", outrank.ErrInvalid)
	}
	if why := r.quorum.missed(placed); why != "" {
		return fmt.Errorf("placement: %w: %d of %d pods have a node, and nothing says why: %s", outrank.ErrInvalid, len(at), len(placed), why)
	}
	return nil
}
