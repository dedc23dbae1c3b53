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

// mover looks for places for the replacements of victims. The victims are gone from the snapshot, and
// everyone who is to run there does (rules 25.6.2 and 25.6.4).
type mover struct {
	*draft
	snap    *engine.Snapshot
	victims []*outrank.Pod
	// replacements are those of the victims, in their order.
	replacements []*outrank.Pod
	// leastFrom is by place the least cost of the victims from there on.
	leastFrom []int64
	// fates are those on the way to the next leaf of the search, best those of the cheapest leaf so far.
	fates, best []lot
	least       int64 // the cost of best
	found       bool  // whether there is a best
	// begun and until are the steps at which the search began and at which it ends.
	begun, until int
	effort       effort
}

// effort is how long places for replacements are looked for.
type effort uint8

const (
	// quick ends soon after the first places are found, or at the limit.
	quick effort = iota
	// quickBeyondLimit is quick, and goes on beyond the limit until the first places are found.
	quickBeyondLimit
	// thorough ends where there are no better places, or at the limit.
	thorough
	// thoroughBeyondLimit is thorough, and goes on beyond the limit until the first places are found.
	thoroughBeyondLimit
)

// follow finds out what becomes of victims, which it sorts. It returns nil after an error, and where the limit
// ends it before anything is found. The snapshot is unchanged in the end.
func (b *draft) follow(snap *engine.Snapshot, victims []*outrank.Pod, effort effort) *settled {
	b.totals.sort(victims)
	x := &mover{
		draft: b, snap: snap, victims: victims, effort: effort,
		begun: b.steps, until: math.MaxInt, fates: make([]lot, len(victims)),
	}
	if effort == quick || effort == thorough {
		x.until = b.limit
	}

	// The bound of placeFrom, from the last victim to the first.
	x.leastFrom = make([]int64, len(victims)+1)
	for i := len(victims) - 1; i >= 0; i-- {
		x.leastFrom[i] = resource.AddSat(x.leastFrom[i+1], mildest(*b.totals.lossCosts, victims[i]))
	}
	for i, v := range victims {
		x.replacements = append(x.replacements, replacementOf(snap, v, i))
	}

	x.placeFrom(0, 0)
	if b.err != nil || !x.found {
		return nil
	}
	// Nothing is cheaper than the least that each victim can cost, and nothing was left out by a search that
	// came to its end.
	exact := x.least == x.leastFrom[0] || !x.ended()
	return &settled{victims, x.best, exact}
}

// replacement returns the pod that a controller creates in place of the i-th victim, with a name that
// no other pod has.
func replacementOf(snap *engine.Snapshot, victim *outrank.Pod, i int) *outrank.Pod {
	pod := lifecycle.Recreate(victim, fmt.Sprintf("%s-again-%d", victim.Name, i))
	for _, there := snap.Pod(pod.Key()); there; _, there = snap.Pod(pod.Key()) {
		pod.Name += "x"
	}
	return pod
}

// ended reports whether the search has to end.
func (x *mover) ended() bool { return x.err != nil || x.steps >= x.until }

// placeFrom finds places for the replacements from the i-th on, beside those before them, whose losses cost
// this much.
func (x *mover) placeFrom(i int, cost int64) {
	// However the rest ends, it costs leastFrom: with that it is no cheaper than the best.
	if x.ended() || x.found && resource.AddSat(cost, x.leastFrom[i]) >= x.least {
		return
	}
	if i == len(x.victims) {
		x.keepBest(cost)
		return
	}

	// Where the owner settles the loss no node is asked (rule 25.6.1).
	loss, known := byOwner(x.victims[i])
	var nodes []int
	if !known {
		nodes = x.takers(i)
		if loss = Moved; len(nodes) == 0 {
			loss = x.stranded(i)
		}
	}
	cost = resource.AddSat(cost, x.totals.lossCosts.Of(loss))
	if len(nodes) == 0 {
		x.fates[i] = lot{loss, -1}
		x.placeFrom(i+1, cost)
		return
	}

	// A replacement that some node takes is not left out (rule 25.6.2).
	for _, node := range nodes {
		if !x.look(seatWork) {
			return
		}
		x.fates[i] = lot{loss, node}
		mark := x.snap.Mark()
		x.seat(x.snap, x.replacements[i], node)
		x.placeFrom(i+1, cost)
		x.fail(x.snap.Undo(mark))
		if x.ended() {
			return
		}
	}
}

// seatWork is about how much work it is to add a pod to a node and to take it off again, in the unit of look.
const seatWork = 128

// keepBest remembers the places as the best so far. After the first ones it sets when the search ends: a quick
// one has five times as many steps as they took, and some more.
func (x *mover) keepBest(cost int64) {
	x.least = cost
	x.best = slices.Clone(x.fates)
	if soon := x.steps + 4*(x.steps-x.begun) + 64; !x.found {
		switch x.effort {
		case quick:
			x.until = min(soon, x.limit)
		case quickBeyondLimit:
			x.until = soon
		case thorough, thoroughBeyondLimit:
			x.until = x.limit
		}
	}
	x.found = true
}

// takers lists the nodes that take the i-th replacement, but for the node of its victim. The question goes to
// all nodes at once, and full ones are passed over without a look at their pods. So a node counts as an eighth
// of a step.
func (x *mover) takers(i int) []int {
	x.steps += 1 + len(x.nodes)/8
	nodes, err := x.eval.Feasible(x.ctx, x.snap, x.replacements[i])
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
// could take it if pods left, and is lost otherwise.
func (x *mover) stranded(i int) Loss {
	loss := Lost
	x.askOthers(x.snap, x.victims[i], x.replacements[i], func(s preemption.Status) bool {
		if s.Code == preemption.Unschedulable {
			loss = Waits
		}
		return loss == Lost
	})
	return loss
}

// askOthers asks every node but that of a victim about its replacement, until see returns false.
func (b *draft) askOthers(snap *engine.Snapshot, victim, replacement *outrank.Pod, see func(preemption.Status) bool) {
	lookAt, err := b.eval.LookAt(snap, preemption.Request{Pod: replacement, Now: b.now})
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
func (b *draft) seat(snap *engine.Snapshot, replacement *outrank.Pod, node int) {
	placed := *replacement
	placed.NodeName = b.nodes[node].Name
	_, err := snap.PutPod(&placed)
	b.fail(err)
}
