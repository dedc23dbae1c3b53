package question

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Emptying empties sets of nodes, one after the other, for a search. It does so as a drain does, under two more
// conditions: no pod is pushed out or lost, and every evicted pod finds a place. It must not be used by two
// goroutines at once.
type Emptying struct {
	drain *draining
	// order numbers the nodes in the order of the cluster.
	order map[string]int
	// empty lists the nodes that were emptied so far.
	empty []string
}

// Emptying returns an Emptying that begins once every waiting pod of the scenario has had its turn and is
// ready. A pod that still waits then matters only if it pushes others out later. Errors and time are those of a
// drain without nodes.
func (s *Scenario) Emptying() (*Emptying, error) {
	// A drain without nodes evicts no pod, and only plays the turns of the waiting pods.
	e := &Emptying{drain: s.draining(nil), order: map[string]int{}}
	for n := range s.snap.Nodes() {
		e.order[n.Name] = len(e.order)
	}
	if err := e.drain.finishDeletions(); err != nil {
		return nil, err
	}
	e.drain.countLoads(nil, nil)
	_, err := e.drain.playReplacements()
	return e, err
}

// Fork returns a second Emptying in the same state. Later steps of one do not affect the other.
func (e *Emptying) Fork() *Emptying {
	d := *e.drain
	d.Scenario = e.drain.Fork()
	d.spare, d.loads, d.queue = slices.Clone(d.spare), slices.Clone(d.loads), slices.Clone(d.queue)
	d.refused, d.several = slices.Clone(d.refused), slices.Clone(d.several)
	return &Emptying{drain: &d, order: e.order, empty: slices.Clone(e.empty)}
}

// Pods returns the pods that have to be evicted from a node to empty it.
func (e *Emptying) Pods(node string) []*outrank.Pod {
	d := e.drain
	return slices.DeleteFunc(d.snap.PodsOn(node), TiedToItsNode)
}

// Emptied says whether a set of nodes can be emptied together. They cannot if any of the lists from Lost to
// Back has an entry. The search ends at the first obstacle, so that the lists may be incomplete.
type Emptied struct {
	// Nodes lists the nodes in the order of the cluster, in which they are emptied. Pods counts the pods that
	// are evicted, and Waits how often the evictions wait until replacements are ready.
	Nodes []string
	Pods  int
	Waits int
	// Turns counts the turns that were played.
	Turns int
	// Lost lists the pods that have no controller to recreate them.
	Lost []Pod
	// Held lists the pods that may never be evicted.
	Held []HeldPod
	// Victims lists the pods that would be pushed out.
	Victims []Victim
	// Homeless lists the evicted pods that find no place once they are recreated.
	Homeless []Pod
	// Back lists the pods that go to a node that is to be empty, because they tolerate its cordon.
	Back []Pod
	// Waiting has the turns of homeless pods. A homeless pod of a group may have no turn of its own.
	Waiting []Turn
}

// Works reports whether the nodes are empty and every pod has a place.
func (r *Emptied) Works() bool {
	return len(r.Lost)+len(r.Held)+len(r.Victims)+len(r.Homeless)+len(r.Back) == 0
}

// Try empties nodes in addition to those that are empty already. All of them are cordoned before the first is
// emptied. If that does not work, nothing changes. Errors wrap [preemption.ErrNotFound] for a node that does
// not exist, and otherwise are those of a drain.
func (e *Emptying) Try(nodes []string) (*Emptied, error) {
	d := e.drain
	nodes = slices.Clone(nodes)
	slices.SortFunc(nodes, func(a, b string) int { return e.order[a] - e.order[b] })
	r := &Emptied{Nodes: nodes}

	// A pod without a controller rules the nodes out, so that nothing needs to be played.
	var evicted []*outrank.Pod
	for _, node := range nodes {
		if _, ok := d.snap.Node(node); !ok {
			return nil, fmt.Errorf("node %s: %w", node, preemption.ErrNotFound)
		}
		evicted = append(evicted, e.Pods(node)...)
	}
	for _, p := range evicted {
		if p.Owner == (outrank.Owner{}) {
			r.Lost = append(r.Lost, NameOf(p, d.snap.NodeOf(p.Key())))
		}
	}
	if len(r.Lost) > 0 {
		return r, nil
	}

	// The nodes are emptied in the state that earlier tries left, which is restored if it does not work.
	takeBack := d.keepState()
	mark := d.snap.Mark()
	if err := d.emptyTogether(nodes); err != nil {
		return nil, err
	}

	r.Pods = d.out.Evicted
	r.Waits = d.out.Waits
	r.Turns = d.turns
	e.judge(r, evicted)

	if r.Works() {
		e.empty = append(e.empty, nodes...)
		return r, d.snap.Keep(mark)
	}
	takeBack()
	return r, d.snap.Undo(mark)
}

// keepState returns a function that restores everything that a drain writes outside its snapshot.
func (d *draining) keepState() (restore func()) {
	allowed, spare, queue := slices.Clone(d.allowed), slices.Clone(d.spare), slices.Clone(d.queue)
	books := d.books
	tied, lost, leaving := len(d.tied), len(d.lost), len(d.leaving)
	return func() {
		d.allowed, d.spare, d.queue = allowed, spare, queue
		d.books = books
		d.tied, d.lost, d.leaving = d.tied[:tied], d.lost[:lost], d.leaving[:leaving]

		// The snapshot's budgets are up to date after every step, so they were before this one.
		d.stale = false
	}
}

// emptyTogether cordons nodes and empties them one after the other. It stops as soon as they certainly cannot
// be emptied: a pod is held or pushed out, or a pod has no place although every pod of the last node is
// evicted. Before that, a pod without a place may still find one in a later round.
func (d *draining) emptyTogether(nodes []string) error {
	d.moved = map[outrank.Key]motion{}
	d.out = newDrain(nodes)
	d.turns = 0
	last := false
	d.enough = func() bool { return len(d.out.Victims) > 0 || last && d.evicted && len(d.out.Pending) > 0 }

	if err := d.cordon(); err != nil {
		return err
	}
	for i, node := range nodes {
		if d.out.Stuck || len(d.out.Victims) > 0 {
			break
		}
		last = i == len(nodes)-1
		done, err := d.empty(node)
		if err != nil {
			return err
		}
		d.out.Stuck = !done
	}
	return nil
}

// judge says what keeps the nodes from being emptied. It reports only the first of these: victims, held pods,
// pods without a place, pods that come back.
func (e *Emptying) judge(r *Emptied, evicted []*outrank.Pod) {
	d := e.drain
	if r.Victims = d.out.Victims; len(r.Victims) > 0 {
		return
	}
	r.Held, r.Waiting = d.out.Held, d.out.Pending
	if len(r.Held) > 0 {
		return
	}

	// A group that runs counts as placed, even if one of its pods has no place.
	for _, t := range r.Waiting {
		r.Homeless = append(r.Homeless, t.Pod)
	}
	for _, p := range evicted {
		if len(r.Waiting) == 0 && d.snap.NodeOf(p.Key()) == "" {
			r.Homeless = append(r.Homeless, NameOf(p, ""))
		}
	}

	// Nodes that were emptied before have to stay empty, too.
	for _, node := range slices.Concat(e.empty, r.Nodes) {
		for _, p := range e.Pods(node) {
			if len(r.Homeless) == 0 {
				r.Back = append(r.Back, NameOf(p, node))
			}
		}
	}
}

// Why says what keeps the nodes from being emptied: the first obstacle found. It is empty if they can be
// emptied.
func (r *Emptied) Why() string {
	switch {
	case len(r.Lost) > 0:
		return "pod " + string(r.Lost[0].Key) + " would be lost: it has no controller" + andMore(len(r.Lost)-1)
	case len(r.Victims) > 0:
		return "pod " + string(r.Victims[0].Key) + " would be pushed out" + andMore(len(r.Victims)-1)
	case len(r.Held) > 0:
		return "pod " + string(r.Held[0].Pod.Key) + " may not be evicted: " + r.Held[0].text()
	case len(r.Waiting) > 0:
		text := "pod " + string(r.Homeless[0].Key) + " would stay pending"
		if t := &r.Waiting[0]; len(t.TurnedDown) > 0 {
			text += ": " + reasons(t.TurnedDown)
		} else {
			text += ": " + t.Text()
		}
		return text
	case len(r.Back) > 0:
		return "pod " + string(r.Back[0].Key) + " would come back to node " + r.Back[0].Node + ": it tolerates the cordon"
	case len(r.Homeless) > 0:
		return "pod " + string(r.Homeless[0].Key) + " would stay pending" + andMore(len(r.Homeless)-1)
	}
	return ""
}

// andMore says that there are n more. It is empty if n is not positive.
func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more", n)
}
