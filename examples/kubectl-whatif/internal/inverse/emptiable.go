package inverse

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/resource"
)

// MostTurns is how many turns of pods the program lets a search for nodes play. That is enough to try
// everything on some hundred nodes, and on thousands of nodes takes no longer than reading their dump.
const MostTurns = 10_000

// Emptiable says which nodes can be emptied together.
type Emptiable struct {
	// Of counts the nodes in question.
	Of int `json:"of"`
	// Nodes lists the nodes that can be emptied together, in this order, as a drain does it: every evicted pod
	// finds a place elsewhere, no pod is pushed out or lost, and budgets are kept. Pods counts the evicted
	// pods, and Waits how often the drain waits for budgets.
	Nodes []string `json:"nodes"`
	Pods  int      `json:"pods"`
	Waits int      `json:"waits"`
	// LeftOut lists the other nodes, each with the reason why it cannot be emptied as well.
	LeftOut []LeftOut `json:"leftOut"`
	// Exchanges counts the nodes of Nodes that were tried to be replaced by several others. Unexchanged counts
	// the nodes for which the limit left no turns.
	Exchanges   int `json:"exchanges"`
	Unexchanged int `json:"unexchanged"`
	// Tries counts the sets that were tried, and Turns the turns of pods in them. Ended is set if the limit
	// ended the search before every node of LeftOut was tried.
	Tries int  `json:"tries"`
	Turns int  `json:"turns"`
	Ended bool `json:"ended,omitempty"`
}

// LeftOut is a node that is not among those that can be emptied.
type LeftOut struct {
	Node string `json:"node"`
	// Pods counts the pods that would have to be evicted.
	Pods int `json:"pods"`
	// Tried is set if the node was tried with all of Emptiable.Nodes empty. Why is the first obstacle found
	// then, or found when the node was tried together with some other nodes.
	Tried bool   `json:"tried"`
	Why   string `json:"why,omitempty"`
}

// Nodes says among which nodes to search, and for how long.
type Nodes struct {
	// Chosen reports whether a node is in question. If it is nil, all nodes are.
	Chosen func(n *outrank.Node) bool
	// MostTurns limits the number of turns that are played.
	MostTurns int
	// Show, if set, is called with the progress.
	Show func(done, total int)
}

// AskEmptiable answers which nodes can be emptied together after the changes of a scenario, as many as the
// search finds. All waiting pods have their turns first, and find places if there are any.
//
// The nodes with the fewest pods are tried first, each in addition to the nodes that work. These are then tried
// together from the beginning, because a drain in the order of the cluster may end differently. Then the other
// nodes are tried in addition, and exchanges of one node for several others.
//
// Errors are those of [question.Scenario.Emptying]. The scenario does not change.
func AskEmptiable(s *question.Scenario, nodes Nodes) (*Emptiable, error) {
	base, err := s.Emptying()
	if err != nil {
		return nil, err
	}
	e := &emptying{base: base, asked: nodes, context: s.Context, pods: map[string]int{}, why: map[string]LeftOut{}}
	order := e.order(s)
	found, err := e.search(order)
	if err != nil {
		return nil, err
	}
	return e.answer(order, found), nil
}

// emptying is a search for nodes in progress.
type emptying struct {
	// base is the cluster before any node is emptied. Each set is tried on a fork.
	base    *question.Emptying
	asked   Nodes
	context func() error
	// pods is the number of pods to evict, by node.
	pods map[string]int
	// why has the obstacle of each node that was tried and is left out.
	why map[string]LeftOut
	// whole is the result of the last set that worked from the beginning.
	whole *question.Emptied

	// These are the counts of the answer.
	tries, turns, exchanges, unexchanged int
	// ended is set once the limit has ended the search.
	ended bool
}

// order lists the nodes in question: the nodes with the fewest pods first, then those with the least cpu in
// use.
func (e *emptying) order(s *question.Scenario) (out []string) {
	used := map[string]int64{}
	for n := range s.Snapshot().Nodes() {
		if e.asked.Chosen == nil || e.asked.Chosen(n) {
			out = append(out, n.Name)
			e.pods[n.Name], used[n.Name] = len(e.base.Pods(n.Name)), s.Snapshot().Used(n.Name, resource.CPU)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(e.pods[a], e.pods[b]), cmp.Compare(used[a], used[b]))
	})
	return out
}

// limitReached reports whether the limit ends the search. The nodes found until then are still tried as a
// whole.
func (e *emptying) limitReached() bool {
	e.ended = e.ended || e.turns >= e.asked.MostTurns
	return e.ended
}

// try empties nodes in addition to those of a state, and changes the state if that works.
func (e *emptying) try(at *question.Emptying, nodes []string) (*question.Emptied, error) {
	if err := e.context(); err != nil {
		return nil, err
	}
	r, err := at.Try(nodes)
	if err != nil {
		return nil, err
	}
	e.tries++
	e.turns += r.Turns
	return r, nil
}

// search finds a set of nodes that works as a whole, and tries to enlarge it.
func (e *emptying) search(order []string) ([]string, error) {
	found, err := e.grow(nil, e.base.Fork(), order)
	for i := 0; err == nil && i < len(found); i++ {
		if e.limitReached() {
			e.unexchanged = len(found) - i
			break
		}

		// The nodes with the most pods are exchanged first. Each exchange enlarges the set and begins the
		// search anew, so that the search terminates.
		var better []string
		if better, err = e.exchange(found, found[len(found)-1-i], order); better != nil {
			found, i = better, -1
		}
	}
	return found, err
}

// grow adds nodes to a set that works, until each of the others was tried in addition. In state, the nodes of
// the set are empty.
func (e *emptying) grow(found []string, state *question.Emptying, order []string) ([]string, error) {
	// A node is barred if it works in addition to the set, but not together with it from the beginning.
	var barred []string
	for {
		more, err := e.onTop(state.Fork(), without(order, slices.Concat(found, barred)))
		if err != nil || len(more) == 0 {
			return found, err
		}

		better, then, err := e.together(found, more)
		switch {
		case err != nil:
			return found, err
		case better == nil:
			barred = append(barred, more[0])
		default:
			found, state, barred = better, then, nil
		}
	}
}

// onTop tries nodes, each in addition to the earlier ones that work, and returns those that work.
func (e *emptying) onTop(state *question.Emptying, nodes []string) (works []string, err error) {
	for i, node := range nodes {
		if e.limitReached() {
			return works, nil
		}

		r, err := e.try(state, []string{node})
		if err != nil {
			return works, err
		}
		if r.Works() {
			works = append(works, node)
			delete(e.why, node)
		} else {
			e.why[node] = LeftOut{Node: node, Pods: e.pods[node], Tried: len(works) == 0, Why: r.Why()}
		}
		if e.asked.Show != nil {
			e.asked.Show(i+1, len(nodes))
		}
	}
	return works, nil
}

// together tries the set with more nodes as a whole, from the beginning: first with all of more, then with as
// many of the first ones as halving finds. It returns nil if not even one of them works.
func (e *emptying) together(found, more []string) ([]string, *question.Emptying, error) {
	// The first low nodes of more work. The first high do not work, or are more than there are. Next, the first
	// n are tried.
	low, n, high := 0, len(more), len(more)+1
	var best *question.Emptying
	for high-low > 1 {
		state := e.base.Fork()
		r, err := e.try(state, slices.Concat(found, more[:n]))
		if err != nil {
			return nil, nil, err
		}

		// If the n nodes do not work, the last of them is blamed. A later try with fewer nodes may clear it.
		if r.Works() {
			low, best, e.whole = n, state, r
		} else {
			high = n
			last := more[n-1]
			e.why[last] = LeftOut{Node: last, Pods: e.pods[last], Tried: n == 1, Why: "together with the others: " + r.Why()}
		}
		n = (low + high) / 2
	}
	if best == nil {
		return nil, nil, nil
	}

	for _, node := range more[:low] {
		delete(e.why, node)
	}
	return slices.Concat(found, more[:low]), best, nil
}

// exchange tries a set without one of its nodes and with several others in its place. If that does not enlarge
// the set, it returns nil and forgets what it has found out about nodes.
func (e *emptying) exchange(found []string, one string, order []string) ([]string, error) {
	rest, others := without(found, []string{one}), without(order, found)
	// A single node in its place would not enlarge the set.
	if len(others) < 2 {
		return nil, nil
	}

	why, whole := e.why, e.whole
	e.why = map[string]LeftOut{}
	state := e.base.Fork()
	r, err := e.try(state, rest)
	var more, better []string
	if err == nil && r.Works() {
		if more, err = e.onTop(state, others); err == nil && !e.ended {
			e.exchanges++
		}
	}

	// A larger set is grown like the first one: each of the other nodes is tried in addition.
	if err == nil && len(more) > 1 {
		var then *question.Emptying
		if better, then, err = e.together(rest, more); err == nil && len(better) > len(found) {
			return e.grow(better, then, order)
		}
	}
	e.why, e.whole = why, whole
	return nil, err
}

// without returns the names in all that are not in some.
func without(all, some []string) []string {
	in := make(map[string]bool, len(some))
	for _, name := range some {
		in[name] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return in[name] })
}

// answer returns the nodes that were found, and the other nodes with their obstacles.
func (e *emptying) answer(order, found []string) *Emptiable {
	out := &Emptiable{
		Of: len(order), Nodes: []string{}, LeftOut: []LeftOut{},
		Exchanges: e.exchanges, Unexchanged: e.unexchanged, Tries: e.tries, Turns: e.turns,
	}
	if len(found) > 0 {
		out.Nodes = e.whole.Nodes
		out.Pods = e.whole.Pods
		out.Waits = e.whole.Waits
	}

	// If nothing is known about a node, it was not tried because of the limit.
	for _, node := range without(order, found) {
		left, known := e.why[node]
		if !known {
			left = LeftOut{Node: node, Pods: e.pods[node]}
		}
		out.Ended = out.Ended || !left.Tried
		out.LeftOut = append(out.LeftOut, left)
	}
	return out
}
