package question

import (
	"fmt"
	"io"
	"strconv"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
)

// MostMoreNodes is the most nodes that [Scenario.MoreNodes] can try.
const MostMoreNodes = 4096

// MoreNodes is how many nodes like another are enough.
type MoreNodes struct {
	Like string `json:"like"`
	// ForAll is enough for everybody who waits, has to move or is created to find a place, by
	// pushing out others if need be who find one, too; ForNobody is enough for nobody to be
	// pushed out either. One node less is not enough, which was tried. They are nil where Most
	// are not enough.
	ForAll    *int `json:"forAll,omitempty"`
	ForNobody *int `json:"forNobody,omitempty"`
	Most      int  `json:"most"`
	// Tried are the numbers that were tried, in their order, with what came of each.
	Tried []MoreNodesTried `json:"tried"`
}

// MoreNodesTried is what becomes of everybody with so many nodes more.
type MoreNodesTried struct {
	Nodes int `json:"nodes"`
	// Pending pods find no place, and Victims are pushed out on the way.
	Pending int `json:"pending"`
	Victims int `json:"victims"`
}

// MoreNodes answers how many nodes like another are enough after the changes, up to a number,
// by trying: twice as many each time until they are enough, then the numbers between. Where more nodes can be
// worse than fewer, as spreading can have it, a smaller number may do as well.
//
// Errors wrap [preemption.ErrNotFound] for a node that is not there and [outrank.ErrInvalid]
// for a number that is not between 1 and [MostMoreNodes], and are those of
// [Scenario.Aftermath], whose time it takes some twenty times at most. The scenario stays as
// it is.
func (s *Scenario) MoreNodes(like string, most int) (*MoreNodes, error) {
	if most < 1 || most > MostMoreNodes {
		return nil, fmt.Errorf("%w: %d nodes are not between 1 and %d", outrank.ErrInvalid, most, MostMoreNodes)
	}
	if _, ok := s.snap.Node(like); !ok {
		return nil, fmt.Errorf("node %s: %w", like, preemption.ErrNotFound)
	}
	out := &MoreNodes{Like: like, Most: most, Tried: []MoreNodesTried{}}
	known := map[int]MoreNodesTried{}
	try := func(n int) (MoreNodesTried, error) {
		if t, tried := known[n]; tried {
			return t, nil
		}
		t, err := s.tryNodes(like, n)
		if err == nil {
			known[n] = t
			out.Tried = append(out.Tried, t)
		}
		return t, err
	}
	var err error
	if out.ForAll, err = leastOf(try, most, func(t MoreNodesTried) bool { return t.Pending == 0 }); err != nil {
		return nil, err
	}
	out.ForNobody, err = leastOf(try, most, func(t MoreNodesTried) bool { return t.Pending+t.Victims == 0 })
	return out, err
}

// leastOf finds a number that is enough while one less is not; nil where the most is not.
func leastOf(try func(int) (MoreNodesTried, error), most int, enough func(MoreNodesTried) bool) (*int, error) {
	not, n := -1, 0
	for {
		t, err := try(n)
		if err != nil {
			return nil, err
		}
		if enough(t) {
			break
		}
		if n == most {
			return nil, nil
		}
		not, n = n, min(max(1, 2*n), most)
	}
	for n-not > 1 {
		middle := (not + n) / 2
		t, err := try(middle)
		if err != nil {
			return nil, err
		}
		if enough(t) {
			n = middle
		} else {
			not = middle
		}
	}
	return &n, nil
}

// Settled is a fork of the scenario in which everybody who waits has had a turn, to its end.
// Errors and time are those of [Scenario.Aftermath].
func (s *Scenario) Settled() (*Scenario, error) {
	f := s.Fork()
	l, err := f.lineUp()
	if err != nil {
		return nil, err
	}
	return f, l.play(nil, func(Turn, motion) {})
}

// tryNodes plays the scenario with n nodes more.
func (s *Scenario) tryNodes(like string, n int) (MoreNodesTried, error) {
	f := s.Fork()
	node, _ := f.snap.Node(like)
	if err := f.Apply(&AddNodes{Of: "more nodes", Nodes: f.NodesLike(node, n)}); err != nil {
		return MoreNodesTried{}, err
	}
	a := f.newAftermath()
	l, err := f.lineUp()
	if err != nil {
		return MoreNodesTried{}, err
	}
	if err := l.play(nil, a.tell); err != nil {
		return MoreNodesTried{}, err
	}
	t := MoreNodesTried{Nodes: n, Victims: a.Totals.Victims + a.Totals.Aside}
	for p := range f.snap.Pods() {
		if f.snap.NodeOf(p.Key()) == "" && p.NodeName == "" && !p.Gated() && !p.Terminating() && f.set.evaluatorFor(p) != nil {
			t.Pending++
		}
	}
	return t, nil
}

// WriteText prints the numbers for people, limit of those that were tried. The error is that
// of w.
func (m *MoreNodes) WriteText(w io.Writer, limit int) error {
	out := paperFor(w)
	out.say("%s", m.sentence(m.ForAll, "until everybody finds a place"))
	out.say("%s", m.sentence(m.ForNobody, "until nobody has to leave either"))
	out.line("")
	out.line("Tried:")
	rows := console.Table{Right: map[int]bool{0: true, 1: true, 2: true}}
	rows.Head("MORE NODES", "STAY PENDING", "PUSHED OUT")
	shown := bounded(len(m.Tried), limit)
	for _, t := range m.Tried[len(m.Tried)-shown:] {
		rows.Add(strconv.Itoa(t.Nodes), strconv.Itoa(t.Pending), strconv.Itoa(t.Victims))
	}
	rows.Print(out.Page)
	if more := len(m.Tried) - shown; more > 0 {
		out.line("  and %d before", more)
	}
	return out.To(w)
}

func (m *MoreNodes) sentence(n *int, until string) string {
	switch {
	case n == nil:
		return fmt.Sprintf("%d nodes like %s are not enough %s; no more were tried.", m.Most, m.Like, until)
	case *n == 0:
		return "No node more is needed " + until + "."
	}
	return fmt.Sprintf("%s like %s %s enough %s, and %d are not.", console.Plural(*n, "node"), m.Like, verb(*n, "is", "are"), until, *n-1)
}
