package question

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Emptying empties nodes, one set on top of another, for a search: as a drain does, but for
// that nobody may be pushed out or lost, and everybody who is evicted finds a place. It must not
// be used by two goroutines at once.
type Emptying struct {
	drain *draining
	// at numbers the nodes in the order of the cluster; empty are those that were emptied.
	order map[string]int
	empty []string
}

// Emptying begins with the scenario once everything that waits has had its turn, to the end, and
// is ready. Pods that wait then are not looked at any more, unless they push others out. Errors
// and time are those of a drain without nodes.
func (s *Scenario) Emptying() (*Emptying, error) {
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

// Fork is a second one at the same point.
func (e *Emptying) Fork() *Emptying {
	d := *e.drain
	d.Scenario = e.drain.Fork()
	d.spare, d.loads, d.queue = slices.Clone(d.spare), slices.Clone(d.loads), slices.Clone(d.queue)
	d.refused, d.several = slices.Clone(d.refused), slices.Clone(d.several)
	return &Emptying{drain: &d, order: e.order, empty: slices.Clone(e.empty)}
}

// Pods are those that have to be evicted so that a node is empty.
func (e *Emptying) Pods(node string) []*outrank.Pod {
	return slices.DeleteFunc(e.drain.snap.PodsOn(node), tied)
}

// Emptied is how it went with a set of nodes.
type Emptied struct {
	// Nodes are in the order of the cluster, in which they are emptied; Pods are evicted, and
	// Waits is how often that waits until replacements are ready.
	Nodes []string
	Pods  int
	Waits int
	// Turns counts the turns that were played.
	Turns int
	// Lost have no controller to recreate them, Held may never be evicted, Victims would be
	// pushed out, and Homeless, recreated, find no place, or in Back none elsewhere. Where there are any the nodes cannot
	// be emptied together, and the first that was found ends it.
	Lost     []Pod
	Held     []HeldPod
	Victims  []Victim
	Homeless []Pod
	// Back go to a node that is to be empty, because they tolerate its cordon.
	Back []Pod
	// Waiting are turns of homeless pods.
	Waiting []Turn
}

// Works reports whether the nodes are empty and everybody has a place.
func (r *Emptied) Works() bool {
	return len(r.Lost)+len(r.Held)+len(r.Victims)+len(r.Homeless)+len(r.Back) == 0
}

// Try empties nodes on top of those that are empty already: all are cordoned first. Where that
// does not work nothing changes. Errors wrap [preemption.ErrNotFound] for a node that is not
// there, and are those of a drain.
func (e *Emptying) Try(nodes []string) (*Emptied, error) {
	d := e.drain
	nodes = slices.Clone(nodes)
	slices.SortFunc(nodes, func(a, b string) int { return e.order[a] - e.order[b] })
	r := &Emptied{Nodes: nodes}
	var evicted []*outrank.Pod
	for _, node := range nodes {
		if _, ok := d.snap.Node(node); !ok {
			return nil, fmt.Errorf("node %s: %w", node, preemption.ErrNotFound)
		}
		evicted = append(evicted, e.Pods(node)...)
	}
	for _, p := range evicted {
		if p.Owner == (outrank.Owner{}) {
			r.Lost = append(r.Lost, podOf(p, d.snap.NodeOf(p.Key())))
		}
	}
	if len(r.Lost) > 0 {
		return r, nil
	}
	mark, allowed, spare, queue, books := d.snap.Mark(), slices.Clone(d.allowed), slices.Clone(d.spare), slices.Clone(d.queue), d.books
	tied, lost, leaving := len(d.tied), len(d.lost), len(d.leaving)
	d.moved, d.out, d.turns = map[outrank.Key]motion{}, newDrain(nodes), 0
	last := false
	d.enough = func() bool { return len(d.out.Victims) > 0 || last && d.evicted && len(d.out.Pending) > 0 }
	err := d.cordon()
	for i := 0; err == nil && i < len(nodes) && !d.out.Stuck && len(d.out.Victims) == 0; i++ {
		last = i == len(nodes)-1
		var done bool
		if done, err = d.empty(nodes[i]); !done {
			d.out.Stuck = true
		}
	}
	if err != nil {
		return nil, err
	}
	r.Pods, r.Waits, r.Turns = d.out.Evicted, d.out.Waits, d.turns
	e.judge(r, evicted)
	if r.Works() {
		e.empty = append(e.empty, nodes...)
		return r, d.snap.Keep(mark)
	}
	d.allowed, d.spare, d.queue, d.books, d.stale = allowed, spare, queue, books, false
	d.tied, d.lost, d.leaving = d.tied[:tied], d.lost[:lost], d.leaving[:leaving]
	return r, d.snap.Undo(mark)
}

// judge says what keeps the nodes from being emptied.
func (e *Emptying) judge(r *Emptied, evicted []*outrank.Pod) {
	d := e.drain
	if r.Victims = d.out.Victims; len(r.Victims) > 0 {
		return
	}
	r.Held, r.Waiting = d.out.Held, d.out.Pending
	if len(r.Held) > 0 {
		return
	}
	for _, t := range r.Waiting {
		r.Homeless = append(r.Homeless, t.Pod)
	}
	for _, p := range evicted {
		if len(r.Waiting) == 0 && d.snap.NodeOf(p.Key()) == "" {
			r.Homeless = append(r.Homeless, podOf(p, "")) // of a group of which enough others have a place
		}
	}
	for _, node := range slices.Concat(e.empty, r.Nodes) {
		for _, p := range e.Pods(node) {
			if len(r.Homeless) == 0 {
				r.Back = append(r.Back, podOf(p, node))
			}
		}
	}
}

// Why says what keeps the nodes from being emptied: the first that was found.
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
			text += ": " + t.outcome()
		}
		return text
	case len(r.Back) > 0:
		return "pod " + string(r.Back[0].Key) + " would come back to node " + r.Back[0].Node + ": it tolerates the cordon"
	case len(r.Homeless) > 0:
		return "pod " + string(r.Homeless[0].Key) + " would stay pending" + andMore(len(r.Homeless)-1)
	}
	return ""
}

func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more", n)
}
