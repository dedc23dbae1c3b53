package joint

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// improve tries to vacate one node after the other: its victims stay, and its members go to other places, each where
// that adds least, among the nodes of the plan and a few others (rule 25.4.3). It starts again from each better
// plan, and ends if no node can be vacated or the limit is reached. Reprieves begin with pods of a priority
// above the floor.
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

// promising lists the best candidates for a member of each of the first kinds, each decided on alone in the
// snapshot. They may be nodes that the plan does not use yet.
func (b *draft) promising(snap *engine.Snapshot) []int {
	const kinds, each = 8, 8 // bounds the number of decisions, however many members there are

	var out []int
	seen := map[int]bool{}
	for _, m := range b.members {
		if seen[m.kind] || len(seen) == kinds || !m.evicts {
			continue
		}
		seen[m.kind] = true

		// Candidates come in the order of the ranks, so the first ones are the best.
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

// dearest lists the nodes with victims, the worst total first, and nodes of equal totals in the order of the
// cluster.
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

// vacate returns a better plan in which the members of a node have found other places, or nil if it finds none. Some
// of them may return to the node if it is among others.
func (b *draft) vacate(s *solution, node int, others []int, floor int32) *solution {
	mark := b.snap.Mark()
	assigned, victims := b.placeElsewhere(s, node, others, floor)
	b.undo(mark)
	if assigned == nil {
		return nil
	}

	// The members of the node were placed after all others, but a plan places each at its turn. Preferring the victims
	// that were found mostly leads to the same ones.
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

// placeElsewhere finds other places for the members of a node. The members of other nodes stay where they are.
// It returns the node of every member and all victims, or nil if a member finds no place. The members stay placed
// in the draft; the caller undoes that.
func (b *draft) placeElsewhere(s *solution, node int, others []int, floor int32) (assigned []int, victims []*outrank.Pod) {
	// The members of other nodes keep their places. One of them may not fit without a member of this node, for
	// example because of its affinity to it; the attempt fails then.
	assigned = make([]int, len(s.spots))
	var homeless []int // the members of the vacated node
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

	// Several members may share a node, which is then asked only once.
	slices.Sort(places)
	places = slices.Compact(places)

	// Each further member uses the room that the members before it have left, and the room of their victims.
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

// standing is the state of a plan when a further member is placed.
type standing struct {
	victims []*outrank.Pod // the victims of the members placed so far
	beat    total          // the total of all victims has to stay better than this
	floor   int32          // pods of a priority above it are reprieved first
}

// cheapest returns the place for a member that adds least to the total. It returns false if no place keeps the
// total better than the one to beat.
func (b *draft) cheapest(i int, places []int, now standing) (best spot, ok bool) {
	lookAt := b.lookFor(i)
	if lookAt == nil {
		return best, false
	}

	// Further victims hardly ever make a total better, so the search gives up once the total is no better than beat.
	total := b.totals.total(now.victims)
	if order, _ := b.totals.compare(total, now.beat); order >= 0 {
		return best, false
	}

	// A node that takes the member adds no victims, so the first such node is as good as any.
	for _, node := range places {
		if b.spent() {
			return best, false
		}
		if _, says := b.ask(lookAt, i, node); says == takes {
			return spot{node: node}, true
		}
	}

	// No node takes the member as it is. Each is tried with victims chosen in every manner.
	for _, node := range places {
		a, says := b.ask(lookAt, i, node)
		if says != short {
			continue
		}
		for _, by := range []manner{least, smallest, important} {
			at := spot{node, a.choose(by, now.floor)}
			if at.victims == nil { // the member does not fit with all of them gone, so no manner helps
				break
			}

			// The next place has to beat the best one so far.
			total := b.totals.total(slices.Concat(now.victims, at.victims))
			if order, _ := b.totals.compare(total, now.beat); order < 0 {
				best, ok = at, true
				now.beat = total
			}
		}
	}
	return best, ok
}
