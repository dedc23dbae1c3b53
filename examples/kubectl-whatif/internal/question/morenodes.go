package question

import (
	"fmt"
	"io"
	"strconv"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
)

// MostMoreNodes is the largest number of nodes that [Scenario.MoreNodes] can try.
const MostMoreNodes = 4096

// MoreNodes says how many more nodes like a given one are enough.
type MoreNodes struct {
	Like string `json:"like"`
	// ForAll is the number of nodes with which every pod finds a place: the pods that wait, move or are
	// created, and the pods that these push out. With ForNobody nodes no pod is pushed out either. One node
	// less was tried and is not enough. They are nil if Most nodes are not enough.
	ForAll    *int `json:"forAll,omitempty"`
	ForNobody *int `json:"forNobody,omitempty"`
	Most      int  `json:"most"`
	// Tried has the result of each number that was tried, in the order of the tries.
	Tried []MoreNodesTried `json:"tried"`
}

// MoreNodesTried says what becomes of the pods with a number of additional nodes.
type MoreNodesTried struct {
	Nodes int `json:"nodes"`
	// Pending counts the pods that find no place, and Victims the pods that are pushed out on the way.
	Pending int `json:"pending"`
	Victims int `json:"victims"`
}

// MoreNodes answers how many more nodes like a given one are enough after the changes, up to most. It doubles
// the number until it is enough, and then tries numbers in between. Under spreading constraints more nodes can
// be worse than fewer; then a smaller number than the answer may be enough, too.
//
// Errors wrap [preemption.ErrNotFound] for a node that does not exist and [outrank.ErrInvalid] for a number that is
// not between 1 and [MostMoreNodes], and otherwise are those of [Scenario.Aftermath]. It takes at most some
// forty times the time of [Scenario.Aftermath]. The scenario itself does not change.
func (s *Scenario) MoreNodes(like string, most int) (*MoreNodes, error) {
	if most < 1 || most > MostMoreNodes {
		return nil, fmt.Errorf("%w: %d nodes are not between 1 and %d", outrank.ErrInvalid, most, MostMoreNodes)
	}
	if _, ok := s.snap.Node(like); !ok {
		return nil, fmt.Errorf("node %s: %w", like, preemption.ErrNotFound)
	}

	// The two searches begin with the same numbers, each of which is played only once.
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

// leastOf finds a number that is enough while one less is not. It is nil if most is not enough.
func leastOf(try func(int) (MoreNodesTried, error), most int, enough func(MoreNodesTried) bool) (*int, error) {
	// tooFew is never enough. It begins below 0, because no additional node may be needed.
	tooFew, n := -1, 0

	// The number doubles until it is enough.
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
		tooFew, n = n, min(max(1, 2*n), most)
	}

	// n is always enough, and tooFew never, while the two approach each other.
	for n-tooFew > 1 {
		middle := (tooFew + n) / 2
		t, err := try(middle)
		if err != nil {
			return nil, err
		}
		if enough(t) {
			n = middle
		} else {
			tooFew = middle
		}
	}
	return &n, nil
}

// Settled returns a fork of the scenario in which every waiting pod has had its turn, to the end. Errors and
// time are those of [Scenario.Aftermath].
func (s *Scenario) Settled() (*Scenario, error) {
	f := s.Fork()
	_, err := f.playOut(nil)
	return f, err
}

// tryNodes plays the scenario with n more nodes. It counts the pods that still wait and whose scheduler is
// known.
func (s *Scenario) tryNodes(like string, n int) (MoreNodesTried, error) {
	f := s.Fork()
	node, _ := f.snap.Node(like)
	if err := f.Apply(&AddNodes{Of: "more nodes", Nodes: f.NodesLike(node, n)}); err != nil {
		return MoreNodesTried{}, err
	}
	a, err := f.playOut(nil)
	if err != nil {
		return MoreNodesTried{}, err
	}

	t := MoreNodesTried{Nodes: n, Victims: a.Totals.Victims + a.Totals.Aside}
	for p := range f.snap.Pods() {
		if f.snap.NodeOf(p.Key()) == "" && p.NodeName == "" && !p.Gated() && !p.Terminating() && f.set.EvaluatorFor(p) != nil {
			t.Pending++
		}
	}
	return t, nil
}

// WriteText prints the numbers for people, and the last limit of the numbers tried, or all if limit is 0. The
// error is that of w.
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

// sentence says how many nodes are enough until a condition holds. n is nil if no number is enough.
func (m *MoreNodes) sentence(n *int, until string) string {
	switch {
	case n == nil:
		return fmt.Sprintf("%d nodes like %s are not enough %s; no more were tried.", m.Most, m.Like, until)
	case *n == 0:
		return "No node more is needed " + until + "."
	}
	return fmt.Sprintf("%s like %s %s enough %s, and %d are not.", console.Plural(*n, "node"), m.Like, verb(*n, "is", "are"), until, *n-1)
}
