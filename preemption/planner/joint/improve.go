package joint

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// improve tries to do without the victims of one node after the other: the pods there find
// other places, one by one, each where that adds least, among the nodes of the plan and a
// few others (rule 25.4.3). It goes on from each better plan, and ends where no node can be
// done without, or where no questions are left. Pods above the floor are put back first.
func (b *draft) improve(s *solution, floor int32) *solution {
	others := b.promising(b.snap)
	for improved := true; improved && !b.spent(); {
		improved = false
		for _, node := range b.dearest(s) {
			if b.spent() {
				return s
			}
			if better := b.vacate(s, node, others, floor); better != nil {
				s, improved = better, true
				break
			}
		}
	}
	return s
}

// promising lists some nodes that the plan may not use: the best candidates for a pod of
// each of the first kinds, each in the snapshot as it is.
func (b *draft) promising(snap *engine.Snapshot) []int {
	const kinds, each = 8, 8 // so that the questions stay few for many members

	var out []int
	seen := map[int]bool{}
	for _, m := range b.members {
		if seen[m.kind] || len(seen) == kinds || !m.evicts {
			continue
		}
		seen[m.kind] = true

		n := 0
		for c, err := range b.eval.Candidates(b.ctx, snap, preemption.Request{Pod: m.pod, Now: b.now}) {
			if err != nil {
				b.fail(err)
				return nil
			}
			if node := b.index[c.Node]; !slices.Contains(out, node) {
				out = append(out, node)
			}
			if n++; n == each {
				break
			}
		}
	}
	return out
}

// dearest lists the nodes on which somebody leaves, those with the worst totals first. Of equal ones the
// first in the order of the nodes comes first.
func (b *draft) dearest(s *solution) []int {
	victims := map[int][]*outrank.Pod{}
	var nodes []int
	for _, at := range s.spots {
		if len(at.victims) > 0 {
			if victims[at.node] == nil {
				nodes = append(nodes, at.node)
			}
			victims[at.node] = append(victims[at.node], at.victims...)
		}
	}

	slices.Sort(nodes)
	slices.SortStableFunc(nodes, func(m, n int) int {
		order, _ := b.totals.compare(b.totals.total(victims[n]), b.totals.total(victims[m]))
		return order
	})
	return nodes
}

// vacate returns a better plan in which the pods of a node are placed anew, nil if none
// is found. The node itself may take some of them again where it is one of the others.
func (b *draft) vacate(s *solution, node int, others []int, floor int32) *solution {
	mark := b.snap.Mark()
	assigned, victims := b.placeElsewhere(s, node, others, floor)
	b.undo(mark)
	if assigned == nil {
		return nil
	}

	// The pods of the node were placed after all others. A plan places them at their turns, and mostly has the
	// same victims.
	prefer := map[*outrank.Pod]bool{}
	for _, v := range victims {
		prefer[v] = true
	}
	next := b.rebuild(assigned, prefer, nil)
	if next == nil || !b.beats(next, s.total) {
		return nil
	}
	return next
}

// placeElsewhere finds other places for the pods of a node, beside those of the other nodes. It returns the
// node of every member and all victims, nil where a pod finds none. The draft is left with the pods in place,
// and the caller takes that back.
func (b *draft) placeElsewhere(s *solution, node int, others []int, floor int32) (assigned []int, victims []*outrank.Pod) {
	// The pods of the other nodes go where they are. One that does not fit there without those of this node, which
	// it may want to be near, ends the attempt.
	assigned = make([]int, len(s.spots))
	var homeless []int
	places := slices.Clone(others)
	for i, at := range s.spots {
		assigned[i] = at.node
		if at.node == node {
			homeless = append(homeless, i)
			continue
		}
		if _, ok := b.place(i, at); !ok {
			return nil, nil
		}
		victims = append(victims, at.victims...)
		places = append(places, at.node)
	}
	slices.Sort(places)
	places = slices.Compact(places)

	// Each sees the room that those before it have left, and the victims that are gone for them.
	for _, i := range homeless {
		at, ok := b.cheapest(i, places, standing{victims, s.total, floor})
		if !ok {
			return nil, nil
		}
		if _, ok := b.place(i, at); !ok {
			return nil, nil
		}
		assigned[i] = at.node
		victims = append(victims, at.victims...)
	}
	return assigned, victims
}

// standing is what a further place is judged by.
type standing struct {
	victims []*outrank.Pod // those that there are by now
	beat    total          // all victims have to stay better than this
	floor   int32          // pods of a priority above it are put back first
}

// cheapest returns the place for a member that adds least to the victims. It returns false
// if none keeps the total better than the one to beat.
func (b *draft) cheapest(i int, places []int, now standing) (best spot, ok bool) {
	lookAt := b.lookFor(i)
	if lookAt == nil {
		return best, false
	}
	// More victims are mostly no better, so a total that is no better already is given up.
	total := b.totals.total(now.victims)
	if order, _ := b.totals.compare(total, now.beat); order >= 0 {
		return best, false
	}
	// A node that takes the pod adds nothing, so the first one is as good as any.
	for _, node := range places {
		if b.spent() {
			return best, false
		}
		if _, says := b.ask(lookAt, i, node); says == takes {
			return spot{node: node}, true
		}
	}

	for _, node := range places {
		a, says := b.ask(lookAt, i, node)
		if says != short {
			continue
		}
		for _, by := range []manner{least, smallest, important} {
			at := spot{node, a.choose(by, now.floor)}
			if at.victims == nil { // with all of them gone the pod does not fit, whatever the manner
				break
			}
			// The best so far is what the next one has to beat.
			total := b.totals.total(slices.Concat(now.victims, at.victims))
			if order, _ := b.totals.compare(total, now.beat); order < 0 {
				best, ok = at, true
				now.beat = total
			}
		}
	}
	return best, ok
}
