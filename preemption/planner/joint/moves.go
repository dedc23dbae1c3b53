package joint

import (
	"fmt"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/lifecycle"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// mover looks for places for the replacements of victims that are gone from the snapshot, while
// everyone who is to run there does (rules 25.6.2 and 25.6.4).
type mover struct {
	*draft
	snap    *engine.Snapshot
	victims []*outrank.Pod
	again   []*outrank.Pod // the replacements
	// rest is what the victims from each place on cost at least.
	rest        []int64
	fates, best []lot
	least       int64 // what best costs
	found       bool
	// begun and until are the steps at the start and at the end of the search.
	begun, until int
	effort       effort
}

// effort is how long places for replacements are looked for.
type effort uint8

const (
	// quick ends soon after the first places are found.
	quick effort = iota
	// first is quick, and goes on beyond the limit until the first places are found.
	first
	// thorough ends where there are no better places, or at the limit.
	thorough
	// entire is thorough, and goes on beyond the limit until the first places are found.
	entire
)

// follow finds out what becomes of victims, which it sorts. It returns nil where the limit ends it
// before anything is found, or after an error. The snapshot is as before then.
func (b *draft) follow(snap *engine.Snapshot, victims []*outrank.Pod, effort effort) *settled {
	b.totals.sort(victims)
	x := &mover{draft: b, snap: snap, victims: victims, effort: effort, begun: b.steps, until: math.MaxInt, fates: make([]lot, len(victims))}
	if effort == quick || effort == thorough {
		x.until = b.limit
	}
	x.rest = make([]int64, len(victims)+1)
	for i := len(victims) - 1; i >= 0; i-- {
		x.rest[i] = resource.AddSat(x.rest[i+1], mildest(*b.totals.moves, victims[i]))
	}
	for i, v := range victims {
		x.again = append(x.again, replacement(snap, v, i))
	}
	x.from(0, 0)
	if b.err != nil || !x.found {
		return nil
	}
	return &settled{victims, x.best, x.least == x.rest[0] || !x.ended()}
}

// replacement returns the pod that a controller creates in place of the i-th victim, with a name that
// no other pod has.
func replacement(snap *engine.Snapshot, victim *outrank.Pod, i int) *outrank.Pod {
	pod := lifecycle.Recreate(victim, fmt.Sprintf("%s-again-%d", victim.Name, i))
	for _, there := snap.Pod(pod.Key()); there; _, there = snap.Pod(pod.Key()) {
		pod.Name += "x"
	}
	return pod
}

// ended reports whether the search has to end.
func (x *mover) ended() bool { return x.err != nil || x.steps >= x.until }

// from finds places for the replacements from the i-th on, beside those before them.
func (x *mover) from(i int, cost int64) {
	if x.ended() || x.found && resource.AddSat(cost, x.rest[i]) >= x.least {
		return
	}
	if i == len(x.victims) {
		x.note(cost)
		return
	}
	loss, known := byOwner(x.victims[i])
	var nodes []int
	if !known {
		nodes = x.takers(i)
		if loss = Moved; len(nodes) == 0 {
			loss = x.stranded(i)
		}
	}
	cost = resource.AddSat(cost, x.totals.moves.Of(loss))
	if len(nodes) == 0 {
		x.fates[i] = lot{loss, -1}
		x.from(i+1, cost)
		return
	}
	for _, node := range nodes {
		if !x.look(seatWork) {
			return
		}
		x.fates[i] = lot{loss, node}
		mark := x.snap.Mark()
		x.seat(x.snap, x.again[i], node)
		x.from(i+1, cost)
		x.fail(x.snap.Undo(mark))
		if x.ended() {
			return
		}
	}
}

// seatWork is about what is gone through to add a pod to a node, and to take it off again.
const seatWork = 128

// note remembers the best places so far.
func (x *mover) note(cost int64) {
	x.least, x.best = cost, slices.Clone(x.fates)
	if soon := x.steps + 4*(x.steps-x.begun) + 64; !x.found {
		switch x.effort {
		case quick:
			x.until = min(soon, x.limit)
		case first:
			x.until = soon
		case thorough, entire:
			x.until = x.limit
		}
	}
	x.found = true
}

// takers lists the nodes that take a replacement, but for that of the victim.
func (x *mover) takers(i int) []int {
	x.steps += 1 + len(x.nodes)/8
	nodes, err := x.eval.Feasible(x.ctx, x.snap, x.again[i])
	x.fail(err)
	var out []int
	for _, n := range nodes {
		if n.Name != x.victims[i].NodeName {
			out = append(out, x.index[n.Name])
		}
	}
	return out
}

// stranded returns what becomes of a victim whose replacement no other node takes: it waits where one
// could take it if pods left.
func (x *mover) stranded(i int) Loss {
	loss := Lost
	x.others(x.snap, x.victims[i], x.again[i], func(s preemption.Status) bool {
		if s.Code == preemption.Unschedulable {
			loss = Waits
		}
		return loss == Lost
	})
	return loss
}

// others asks every node but that of a victim about its replacement, until see returns false.
func (b *draft) others(snap *engine.Snapshot, victim, again *outrank.Pod, see func(preemption.Status) bool) {
	lookAt, err := b.eval.LookAt(snap, preemption.Request{Pod: again, Now: b.now})
	b.fail(err)
	for _, n := range b.nodes {
		if b.err != nil {
			return
		}
		if n.Name == victim.NodeName {
			continue
		}
		view, err := lookAt(n.Name)
		if err != nil {
			b.fail(err)
			return
		}
		if !b.step() || !see(view.Check()) {
			return
		}
	}
}

// seat has a replacement run on a node.
func (b *draft) seat(snap *engine.Snapshot, again *outrank.Pod, node int) {
	placed := *again
	placed.NodeName = b.nodes[node].Name
	_, err := snap.PutPod(&placed)
	b.fail(err)
}
