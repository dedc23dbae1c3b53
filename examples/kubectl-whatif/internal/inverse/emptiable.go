package inverse

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/resource"
)

// MostTurns is how many turns of pods the program lets a search for nodes play: enough to try
// everything on some hundred nodes, and not longer on thousands than it takes to read their dump.
const MostTurns = 10_000

// Emptiable are the nodes that can be emptied together.
type Emptiable struct {
	// Of counts the nodes in question.
	Of int `json:"of"`
	// Nodes can be emptied together, in this order, as a drain does it: Pods are evicted and all
	// find a place elsewhere, nobody is pushed out or lost, and budgets are kept, for which the
	// drain waits so many times.
	Nodes []string `json:"nodes"`
	Pods  int      `json:"pods"`
	Waits int      `json:"waits"`
	// LeftOut are the others, each with what keeps it from being emptied as well.
	LeftOut []LeftOut `json:"leftOut"`
	// Exchanges were tried, each of one of Nodes for others; for Unexchanged of Nodes the limit
	// left none.
	Exchanges   int `json:"exchanges"`
	Unexchanged int `json:"unexchanged"`
	// Tries counts the sets that were tried, and Turns the turns of pods in them; Ended is set
	// where the limit of Turns ended the search before each of the others was tried.
	Tries int  `json:"tries"`
	Turns int  `json:"turns"`
	Ended bool `json:"ended,omitempty"`
}

// LeftOut is a node that is not among those that can be emptied.
type LeftOut struct {
	Node string `json:"node"`
	// Pods would have to be evicted.
	Pods int `json:"pods"`
	// Tried is set where it was tried with all of the others empty. Why is the first that was
	// found in the way: then, or where it was tried with some of them.
	Tried bool   `json:"tried"`
	Why   string `json:"why,omitempty"`
}

// Nodes says which nodes a search is about.
type Nodes struct {
	// Chosen reports whether a node is one of them; nil for all.
	Chosen func(n *outrank.Node) bool
	// MostTurns limits the turns that are played.
	MostTurns int
	// Show is told of the progress; nil for nobody.
	Show func(done, total int)
}

// AskEmptiable answers which nodes can be emptied together after the changes of a scenario, as
// many as the search finds. Everything that waits has its turn first, and finds its place where
// it can. Those with the fewest pods are tried first, each on top of those that work; then all
// together from the beginning, then the others on top of them, and exchanges of one for others.
//
// Errors are those of [question.Scenario.Emptying]. The scenario stays as it is.
func AskEmptiable(s *question.Scenario, of Nodes) (*Emptiable, error) {
	base, err := s.Emptying()
	if err != nil {
		return nil, err
	}
	e := &emptying{base: base, asked: of, context: s.Context, pods: map[string]int{}, why: map[string]LeftOut{}}
	order := e.order(s)
	found, err := e.search(order)
	if err != nil {
		return nil, err
	}
	return e.answer(order, found), nil
}

// emptying is a search for nodes.
type emptying struct {
	base    *question.Emptying
	asked   Nodes
	context func() error
	pods    map[string]int // by node
	why     map[string]LeftOut
	whole   *question.Emptied // the last set that worked from the beginning

	tries, turns, exchanges, unexchanged int
	ended                                bool
}

// order lists the nodes in question: those with the fewest pods first, then those with the least
// that is used of their cpu.
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

// over reports whether the limit ends the search. What was found until then is tried as a whole
// all the same.
func (e *emptying) limitReached() bool {
	e.ended = e.ended || e.turns >= e.asked.MostTurns
	return e.ended
}

// try tries nodes on top of a state.
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

// search finds a set that works as a whole, and tries to better it.
func (e *emptying) search(order []string) ([]string, error) {
	found, err := e.grow(nil, e.base.Fork(), order)
	for i := 0; err == nil && i < len(found); i++ {
		if e.limitReached() {
			e.unexchanged = len(found) - i
			break
		}
		var better []string
		// The nodes with the most pods are the first to go.
		if better, err = e.exchange(found, found[len(found)-1-i], order); better != nil {
			found, i = better, -1
		}
	}
	return found, err
}

// grow adds nodes to a set that works, until each of the others was tried on top of it.
func (e *emptying) grow(found []string, state *question.Emptying, order []string) ([]string, error) {
	var barred []string // one by one they work on top of the set, but not together with it
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

// onTop tries nodes, each on top of those before that work, and returns those.
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

// together tries a set with more nodes as a whole, from the beginning: with all of them, else
// with as many of the first as are found by halving. It returns nil where not even one works.
func (e *emptying) together(found, more []string) ([]string, *question.Emptying, error) {
	low, n := 0, len(more) // so many work, and so many are tried
	var best *question.Emptying
	high := n + 1
	for high-low > 1 {
		state := e.base.Fork()
		r, err := e.try(state, slices.Concat(found, more[:n]))
		if err != nil {
			return nil, nil, err
		}
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

// exchange tries a set without one of its nodes and with others in its place; nil where there
// are not more of them.
func (e *emptying) exchange(found []string, one string, order []string) ([]string, error) {
	rest, others := without(found, []string{one}), without(order, found)
	if len(others) < 2 {
		return nil, nil
	}
	state, why, whole := e.base.Fork(), e.why, e.whole
	e.why = map[string]LeftOut{}
	r, err := e.try(state, rest)
	var more, better []string
	if err == nil && r.Works() {
		if more, err = e.onTop(state, others); err == nil && !e.ended {
			e.exchanges++
		}
	}
	if err == nil && len(more) > 1 {
		var then *question.Emptying
		if better, then, err = e.together(rest, more); err == nil && len(better) > len(found) {
			better, err = e.grow(better, then, order) // the others are tried on top of the new set
			return better, err
		}
	}
	e.why, e.whole = why, whole
	return nil, err
}

// without are the names of a list that are not in another.
func without(all, some []string) []string {
	in := make(map[string]bool, len(some))
	for _, name := range some {
		in[name] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return in[name] })
}

func (e *emptying) answer(order, found []string) *Emptiable {
	out := &Emptiable{
		Of: len(order), Nodes: []string{}, LeftOut: []LeftOut{},
		Exchanges: e.exchanges, Unexchanged: e.unexchanged, Tries: e.tries, Turns: e.turns,
	}
	if len(found) > 0 {
		out.Nodes, out.Pods, out.Waits = e.whole.Nodes, e.whole.Pods, e.whole.Waits
	}
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
