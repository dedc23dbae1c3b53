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

// mover searches places for the replacements of victims, by branch and bound. In its snapshot the victims are gone
// and the pods of the plan run (rules 25.6.2 and 25.6.4).
type mover struct {
	*draft
	snap    *engine.Snapshot
	victims []*outrank.Pod
	// replacements has the replacement of each victim, at the victim's index.
	replacements []*outrank.Pod
	// leastFrom[i] is the least that the losses of the victims from the i-th on can cost.
	leastFrom []int64
	// fates has the lots of the branch that is searched, and best the lots of the cheapest leaf so far.
	fates, best []lot
	least       int64 // the cost of the losses in best
	found       bool  // set once best is known
	// begun and until are values of draft.steps: at the beginning of the search, and where it has to end.
	begun, until int
	effort       effort
}

// effort says how long places for replacements are searched for.
type effort uint8

const (
	// quick ends soon after the first places are found, or at the limit.
	quick effort = iota
	// quickBeyondLimit is like quick, but ignores the limit.
	quickBeyondLimit
	// thorough ends once no places are cheaper, or at the limit.
	thorough
	// thoroughBeyondLimit is like thorough, but ignores the limit until the first places are found.
	thoroughBeyondLimit
)

// follow finds out what becomes of victims, and sorts them by importance. It returns nil after an error, and if the
// limit is reached before any places are found. It leaves the snapshot as it was.
func (b *draft) follow(snap *engine.Snapshot, victims []*outrank.Pod, effort effort) *settled {
	b.totals.sort(victims)
	x := &mover{
		draft: b, snap: snap, victims: victims, effort: effort,
		begun: b.steps, until: math.MaxInt, fates: make([]lot, len(victims)),
	}
	if effort == quick || effort == thorough {
		x.until = b.limit
	}

	// leastFrom is the bound by which placeFrom prunes: suffix sums, from the last victim to the first.
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

	// The places are the cheapest if they cost the least that each victim can, or if the search was complete.
	exact := x.least == x.leastFrom[0] || !x.ended()
	return &settled{victims, x.best, exact}
}

// replacementOf returns the pod that a controller creates in place of the i-th victim, under a name that no pod of
// the snapshot has.
func replacementOf(snap *engine.Snapshot, victim *outrank.Pod, i int) *outrank.Pod {
	pod := lifecycle.Recreate(victim, fmt.Sprintf("%s-again-%d", victim.Name, i))
	for _, there := snap.Pod(pod.Key()); there; _, there = snap.Pod(pod.Key()) {
		pod.Name += "x"
	}
	return pod
}

// ended reports whether the search has to end: after an error, or at its last step.
func (x *mover) ended() bool { return x.err != nil || x.steps >= x.until }

// placeFrom tries all places for the replacements from the i-th on. cost is the sum for the victims before it, whose
// replacements are placed already.
func (x *mover) placeFrom(i int, cost int64) {
	// The rest costs at least leastFrom, so a branch that reaches the best cost with it cannot be cheaper.
	if x.ended() || x.found && resource.AddSat(cost, x.leastFrom[i]) >= x.least {
		return
	}
	if i == len(x.victims) {
		x.keepBest(cost)
		return
	}

	// No node is asked if the owner alone decides the loss (rule 25.6.1).
	loss, known := byOwner(x.victims[i])
	var nodes []int
	if !known {
		nodes = x.takers(i)
		if loss = Moved; len(nodes) == 0 {
			loss = x.stranded(i)
		}
	}

	// A victim without a node for its replacement leaves only one branch.
	cost = resource.AddSat(cost, x.totals.lossCosts.Of(loss))
	if len(nodes) == 0 {
		x.fates[i] = lot{loss, -1}
		x.placeFrom(i+1, cost)
		return
	}

	// A replacement that some node takes must be placed (rule 25.6.2), so every branch seats it.
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

// seatWork estimates the work of adding a pod to a node and undoing that, in the unit of look.
const seatWork = 128

// keepBest records the current lots as the best so far. When these are the first, it sets where the search ends: a
// quick search may take about five times the steps that it took to find them.
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

// takers lists the nodes that take the i-th replacement, without the node of its victim. Feasible asks all nodes at
// once, and skips full nodes without looking at their pods, so each node counts as only an eighth of a step.
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

// stranded returns the loss of a victim whose replacement no other node takes now: it waits if some node could take
// it after pods leave, and is lost otherwise.
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

// askOthers asks every node except the victim's about the replacement, and passes each answer to see, until see
// returns false.
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

// seat adds a replacement to the snapshot, running on a node.
func (b *draft) seat(snap *engine.Snapshot, replacement *outrank.Pod, node int) {
	placed := *replacement
	placed.NodeName = b.nodes[node].Name
	_, err := snap.PutPod(&placed)
	b.fail(err)
}
