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

// spot is the node that a pod goes to, with the victims that leave for it.
type spot struct {
	node    int // its place among the nodes, -1 for none
	victims []*outrank.Pod
}

// solution has a place for every member, in their order, and the total of the victims.
type solution struct {
	spots []spot
	// vain lists the pods that preempted one by one and found no place after all, with their victims.
	vain  []turn
	total total
	// kept is set for the plan of one by one, and for one that differs from it by fewer victims.
	kept bool
	// after says what becomes of the victims. It is nil where that is not asked, or not yet known; total
	// then has the least that their losses can cost.
	after *settled
}

// victims lists all that leave, also in vain.
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

// turn is one pod of the request with the node that it goes to and the victims that leave for it.
type turn struct {
	position int // of the pod in the queue
	node     int // -1 for a pod that preempted in vain
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

// without returns the places of the solution without some of its victims. The total of the result is not set.
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
	// ctx ends what is tried. Once the plan is found it is a lasting one, which goes on for a while.
	ctx context.Context
	// caller is the context of the call. It may still cut short what is said of a plan that is found.
	caller context.Context
	eval   *engine.Evaluator
	snap   *engine.Snapshot
	// plain is the cluster without any member placed.
	plain  *engine.Snapshot
	now    time.Time
	totals *totals
	nodes  []*outrank.Node
	// index maps the name of a node to its place in nodes.
	index   map[string]int
	members []*member
	// requested has the pods of the request, which are nobody's victims.
	requested map[*outrank.Pod]bool
	// scales are the resources that the members ask for, sorted. Amounts stand in their order.
	scales []resource.Name
	// asks has the amounts that a kind of members asks for, takes those of a running pod, once needed.
	asks  map[int][]int64
	takes map[*outrank.Pod][]int64
	// coupled is set where what happens on one node can matter on another.
	coupled bool
	// grouped is set where there are groups, whose pods may leave together.
	grouped bool
	// brief is set once the caller's context has been found to have ended. Then only what is necessary is
	// asked.
	brief bool
	// proving is set while every plan is gone through.
	proving bool
	// steps counts questions to nodes. A search asks no more than limit.
	steps, limit int
	// unseen counts what loops have gone through since the last look at the context.
	unseen int
	// err is the first error; nothing is tried after it.
	err error
}

// findNodes lists the nodes.
func (b *draft) findNodes() {
	b.index = map[string]int{}
	for n := range b.plain.Nodes() {
		b.index[n.Name] = len(b.nodes)
		b.nodes = append(b.nodes, n)
	}
}

// spent reports whether no more questions may be asked.
func (b *draft) spent() bool { return b.err != nil || b.steps >= b.limit }

// step counts a question to a node, and reports whether it may still be asked. One question can have a
// hundred pods come and go, so it looks at the context at every eighth.
func (b *draft) step() bool {
	if b.steps++; b.steps%8 == 0 {
		b.fail(b.ctx.Err())
	}
	return b.err == nil
}

// look counts what a loop goes through without a question to a node, and looks at the context once that is
// workPerLook. It returns false once there is an error.
func (b *draft) look(n int) bool {
	if b.unseen += n; b.unseen >= workPerLook {
		b.unseen = 0
		b.fail(b.ctx.Err())
	}
	return b.err == nil
}

// workPerLook is how much loops go through between two looks at the context.
const workPerLook = 1024

// podWork is about what a loop goes through for a node with this number of pods: for each pod its amount of
// each resource, and each budget that may cover it.
func (b *draft) podWork(pods int) int {
	return 1 + pods*(1+len(b.scales)+b.totals.budgets.Len())
}

// lasting is a context that goes on for some looks after that of the caller has ended. What a plan says can
// then still be found out.
type lasting struct {
	context.Context
	caller context.Context
	left   atomic.Int64 // how many looks
}

// newLasting returns a context that has all of its looks left.
func newLasting(caller context.Context) *lasting {
	c := &lasting{Context: context.WithoutCancel(caller), caller: caller}
	c.left.Store(looksAfter)
	return c
}

// looksAfter is how many looks are left once the caller's context has ended. They are enough to try
// everything that a plan of some pods says.
const looksAfter = 32

// Err is nil as long as looks are left, and then the caller's error.
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

// lookFor begins to look at nodes for a member. It returns nil after an error.
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

// place evicts the victims and binds the member. It returns false, with nothing changed,
// if a victim is gone already, or if the node does not take the pod then. A node may have taken it when it was
// only asked: filters can answer otherwise about one that really is without some pods (rule 7.6.7).
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
	// Without victims the node is as it was when it said that it takes the pod.
	if b.err != nil || len(s.victims) > 0 && !b.takesNow(b.snap, m.pod, s.node) {
		b.undo(mark)
		return mark, false
	}
	b.fail(b.snap.Bind(m.pod.Key(), b.nodes[s.node].Name))
	return mark, b.err == nil
}

// evict removes victims, and the nominations to their node of pods that are less important than the
// preemptor (rule 14.3.3).
func (b *draft) evict(snap *engine.Snapshot, pod *outrank.Pod, s spot) {
	for _, v := range s.victims {
		b.fail(snap.RemovePod(v.Key()))
	}
	for _, p := range cleared(snap, pod, b.nodes[s.node].Name, len(s.victims)) {
		b.fail(snap.Nominate(p.Key(), ""))
	}
}

// cleared lists the pods that lose their nomination to a node once this number of victims leaves it for a
// pod: nobody where there are none.
func cleared(snap *engine.Snapshot, pod *outrank.Pod, node string, victims int) []*outrank.Pod {
	if victims == 0 {
		return nil
	}
	return slices.DeleteFunc(snap.NominatedTo(node), func(p *outrank.Pod) bool {
		return p.PriorityValue() >= pod.PriorityValue()
	})
}

// takesNow asks a node whether it takes a pod as things are. A filter may count the pods of every node for
// that, so it counts as work on all of them.
func (b *draft) takesNow(snap *engine.Snapshot, pod *outrank.Pod, node int) bool {
	if !b.step() || !b.look(len(b.nodes)) {
		return false
	}
	status, err := b.eval.Check(snap, pod, b.nodes[node].Name)
	b.fail(err)
	return err == nil && status.Code == preemption.Success
}

func (b *draft) undo(m engine.Mark) { b.fail(b.snap.Undo(m)) }

// guard starts the caller's guard for a pod in the draft as it is. It returns nil where there is no guard,
// and after an error.
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
