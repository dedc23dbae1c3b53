package joint

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// spot is a node for a pod, with the victims that leave for it.
type spot struct {
	node    int // index in draft.nodes, -1 for none
	victims []*outrank.Pod
}

// solution has a spot for every member, in their order, and the total of all victims.
type solution struct {
	spots []spot
	// vain lists the pods that preempted one by one and found no place after all, with their victims.
	vain  []turn
	total total
	// kept is set for the one-by-one plan, also after some of its victims were spared.
	kept bool
	// after says what becomes of the victims. It is nil without moves, or if that is not known yet: total then
	// includes the least that their losses can cost.
	after *settled
}

// victims lists all pods that leave, also for pods that preempted in vain.
func (s *solution) victims() []*outrank.Pod {
	var all []*outrank.Pod
	for i := range s.spots {
		all = append(all, s.spots[i].victims...)
	}
	for i := range s.vain {
		all = append(all, s.vain[i].victims...)
	}
	return all
}

// turn is one pod of the request with its node and the victims that leave for it.
type turn struct {
	position int // index of the pod in the queue
	node     int // index in draft.nodes; -1 for a pod that preempted in vain
	victims  []*outrank.Pod
}

// turns lists the pods of a solution in the order in which they are bound, and then those that preempted in
// vain.
func (b *draft) turns(s *solution) []turn {
	out := make([]turn, 0, len(s.spots)+len(s.vain))
	for i, at := range s.spots {
		out = append(out, turn{b.members[i].position, at.node, at.victims})
	}
	return append(out, s.vain...)
}

// without returns a solution with the same places and without the victims in stay. Its total is not set.
func (s *solution) without(stay map[*outrank.Pod]bool) *solution {
	rest := func(victims []*outrank.Pod) []*outrank.Pod {
		return slices.DeleteFunc(slices.Clone(victims), func(v *outrank.Pod) bool { return stay[v] })
	}

	out := &solution{}
	for _, at := range s.spots {
		out.spots = append(out.spots, spot{at.node, rest(at.victims)})
	}
	for _, t := range s.vain {
		if t.victims = rest(t.victims); len(t.victims) > 0 {
			out.vain = append(out.vain, t)
		}
	}
	return out
}

// draft is a cluster in which places for the members are tried. The members that have a place so far are
// bound there, and their victims are gone.
type draft struct {
	// ctx ends the work. During the searches it is the caller's context, and afterwards a lasting one.
	ctx context.Context
	// caller is the caller's context. After it has ended, details of the plan that cost time are left out.
	caller context.Context
	eval   *engine.Evaluator
	snap   *engine.Snapshot
	// plain is the cluster without any member placed. Plans are carried out there and undone again.
	plain  *engine.Snapshot
	now    time.Time
	totals *totals
	nodes  []*outrank.Node
	// index maps the name of a node to its index in nodes.
	index   map[string]int
	members []*member
	// requested has the pods of the request, which are nobody's victims.
	requested map[*outrank.Pod]bool
	// scales lists the resources that the members ask for, sorted. Slices of amounts are in this order.
	scales []resource.Name
	// asks caches the amounts that a kind of member asks for, and takes the amounts that a running pod holds.
	asks  map[int][]int64
	takes map[*outrank.Pod][]int64
	// coupled is set if what happens on one node can matter on another.
	coupled bool
	// grouped is set if the cluster has groups, whose pods may leave together.
	grouped bool
	// brief is set once the caller's context was found to have ended. Only necessary questions are asked then.
	brief bool
	// proving is set during the exhaustive search (prove).
	proving bool
	// steps counts questions to nodes and comparable work. A search ends when steps reach the limit.
	steps, limit int
	// unseen counts the work of loops since they last checked the context.
	unseen int
	// err is the first error; nothing is tried after it.
	err error
}

// findNodes lists the nodes of the cluster, with their indexes.
func (b *draft) findNodes() {
	b.index = map[string]int{}
	for n := range b.plain.Nodes() {
		b.index[n.Name] = len(b.nodes)
		b.nodes = append(b.nodes, n)
	}
}

// spent reports whether no more questions may be asked.
func (b *draft) spent() bool { return b.err != nil || b.steps >= b.limit }

// step counts a question to a node, and reports whether it may still be asked. A single question can remove and
// add a hundred pods, so every eighth one checks the context.
func (b *draft) step() bool {
	if b.steps++; b.steps%8 == 0 {
		b.fail(b.ctx.Err())
	}
	return b.err == nil
}

// look counts work of loops that ask no node: n is roughly the number of items. It checks the context after every
// workPerLook items, and returns false once there is an error.
func (b *draft) look(n int) bool {
	if b.unseen += n; b.unseen >= workPerLook {
		b.unseen = 0
		b.fail(b.ctx.Err())
	}
	return b.err == nil
}

// workPerLook is the number of items that loops may process between two checks of the context.
const workPerLook = 1024

// podWork estimates the work of a loop over the pods of a node, in the unit of look: each pod has an amount of
// each resource, and is matched with each budget.
func (b *draft) podWork(pods int) int {
	return 1 + pods*(1+len(b.scales)+b.totals.budgets.Len())
}

// lasting is a context that outlives the caller's by a fixed number of calls of Err, so that a plan that was found
// can still be completed and checked.
type lasting struct {
	context.Context
	caller context.Context
	left   atomic.Int64 // calls of Err that still return nil after the caller's context has ended
}

// newLasting returns a context that outlives the caller's by looksAfter calls of Err.
func newLasting(caller context.Context) *lasting {
	c := &lasting{Context: context.WithoutCancel(caller), caller: caller}
	c.left.Store(looksAfter)
	return c
}

// looksAfter is the number of checks of the context that succeed after the caller's context has ended. They are
// enough to complete a plan for some pods.
const looksAfter = 32

// Err returns nil until the caller's context has ended and looksAfter further calls were made. Then it returns the
// caller's error.
func (c *lasting) Err() error {
	if err := c.caller.Err(); err != nil && c.left.Add(-1) < 0 {
		return err
	}
	return nil
}

// over reports whether the caller's context has ended, and sets brief then.
func (b *draft) over() bool {
	b.brief = b.brief || b.caller.Err() != nil
	return b.brief
}

// fail remembers the first error.
func (b *draft) fail(err error) {
	if b.err == nil && err != nil {
		b.err = err
	}
}

// lookFor returns a looker for a member, or nil after an error.
func (b *draft) lookFor(i int) looker {
	if b.err != nil {
		return nil
	}
	if err := b.ctx.Err(); err != nil {
		b.fail(err)
		return nil
	}

	lookAt, err := b.eval.LookAt(b.snap, preemption.Request{Pod: b.members[i].pod, Now: b.now})
	if err != nil {
		b.fail(err)
		return nil
	}
	return lookAt
}

// place evicts the victims and binds the member. It returns false, with nothing changed, if a victim is already
// gone, or if the node does not take the pod after the eviction. The earlier question may have said that it does:
// a filter can answer differently once pods are really gone (rule 7.6.7).
func (b *draft) place(i int, s spot) (engine.Mark, bool) {
	mark := b.snap.Mark()
	m := b.members[i]
	for _, v := range s.victims {
		if _, ok := b.snap.Pod(v.Key()); !ok {
			b.undo(mark)
			return mark, false
		}
	}

	b.evict(b.snap, m.pod, s)
	// Without victims the node is unchanged since it was asked, and need not be asked again.
	if b.err != nil || len(s.victims) > 0 && !b.takesNow(b.snap, m.pod, s.node) {
		b.undo(mark)
		return mark, false
	}
	b.fail(b.snap.Bind(m.pod.Key(), b.nodes[s.node].Name))
	return mark, b.err == nil
}

// evict removes the victims. If there are any, pods of lower priority than the preemptor lose their nominations to
// the node (rule 14.3.3).
func (b *draft) evict(snap *engine.Snapshot, pod *outrank.Pod, s spot) {
	for _, v := range s.victims {
		b.fail(snap.RemovePod(v.Key()))
	}
	for _, p := range cleared(snap, pod, b.nodes[s.node].Name, len(s.victims)) {
		b.fail(snap.Nominate(p.Key(), ""))
	}
}

// cleared lists the pods that lose their nomination to a node when a pod evicts this number of victims there. Without
// victims nobody loses it.
func cleared(snap *engine.Snapshot, pod *outrank.Pod, node string, victims int) []*outrank.Pod {
	if victims == 0 {
		return nil
	}
	return slices.DeleteFunc(snap.NominatedTo(node), func(p *outrank.Pod) bool {
		return p.PriorityValue() >= pod.PriorityValue()
	})
}

// takesNow reports whether a pod fits on a node without evicting anybody. A filter may count the pods of all nodes,
// so the question counts as work on each node.
func (b *draft) takesNow(snap *engine.Snapshot, pod *outrank.Pod, node int) bool {
	if !b.step() || !b.look(len(b.nodes)) {
		return false
	}
	status, err := b.eval.Check(snap, pod, b.nodes[node].Name)
	b.fail(err)
	return err == nil && status.Code == preemption.Success
}

// undo takes back every change of the draft since the mark.
func (b *draft) undo(m engine.Mark) { b.fail(b.snap.Undo(m)) }

// guard starts the caller's guard for a pod in the current draft. It returns nil if there is no guard, and after
// an error.
func (b *draft) guard(pod *outrank.Pod) preemption.GuardState {
	guard := b.eval.Config().Guard
	if guard == nil || b.err != nil {
		return nil
	}
	state, err := guard.Start([]*outrank.Pod{pod}, b.snap)
	if err != nil {
		b.fail(fmt.Errorf("guard %s: pod %s: %w", guard.Name, pod.Key(), err))
		return nil
	}
	return state
}

// leave tells a guard that pods leave.
func (b *draft) leave(guard preemption.GuardState, pods []*outrank.Pod) {
	for _, p := range pods {
		guard.Remove(p, b.nodes[b.index[p.NodeName]])
	}
}
