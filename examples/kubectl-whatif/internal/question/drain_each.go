package question

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// DrainSurvey is the drain of every node by itself, with all others as they are. Each is
// played as a [Drain] is.
type DrainSurvey struct {
	// Nodes counts all nodes. Of AtOnce every pod may be evicted at once; of Slow some have to
	// wait until replacements are ready, and all go in the end.
	Nodes  int `json:"nodes"`
	AtOnce int `json:"atOnce"`
	Slow   int `json:"slow"`
	// Stuck are the nodes whose drain never ends, and Crowded those whose drain ends and leaves
	// pods that find no place; both in the order of the cluster.
	Stuck   []NodeDrain `json:"stuck"`
	Crowded []NodeDrain `json:"crowded"`
	// Budgets keep pods back somewhere, those that stop a drain first.
	Budgets []BudgetHold `json:"budgets"`
	// Undecided are nodes that budgets hold up and whose drain was not played to its end, and
	// Unfollowed counts nodes that empty at once and whose replacements were not followed,
	// because Most turns had been taken by then.
	Undecided  []string `json:"undecided"`
	Unfollowed int      `json:"unfollowed"`
	Most       int      `json:"most"`
}

// NodeDrain is the end of the drain of a node.
type NodeDrain struct {
	Node string `json:"node"`
	// Pods have to be evicted, and Evicted of them are.
	Pods    int `json:"pods"`
	Evicted int `json:"evicted"`
	// Held may never be evicted, Pending find no place, the first ten of each, and Victims
	// counts the pods that replacements push out.
	Held        []HeldPod `json:"held"`
	MoreHeld    int       `json:"moreHeld,omitempty"`
	Pending     []Pod     `json:"pending"`
	MorePending int       `json:"morePending,omitempty"`
	Victims     int       `json:"victims"`
}

// BudgetHold is a disruption budget that keeps pods back when nodes are drained.
type BudgetHold struct {
	Key     outrank.Key `json:"key"`
	Allowed int32       `json:"allowed"`
	// Nodes counts those on which it keeps a pod back for a while, and Stuck those of them whose
	// drain never ends because of it.
	Nodes int `json:"nodes"`
	Stuck int `json:"stuck"`
	// Several counts the nodes on which an eviction is refused because other budgets cover the
	// pod, too.
	Several int `json:"several"`
}

// mostHeld is the most pods that are named for one node.
const mostHeld = 10

// EachDrain plays the drain of every node by itself, each on the scenario as it stands: first
// those that budgets hold up, to see which never end, then the others, to see which leave
// pods without a place. It stops following replacements after a number of turns, and says so.
//
// Errors wrap [outrank.ErrInvalid] for a number below 1, and are those of
// [Scenario.Aftermath]. Time is linear in the pods, and that of the turns. The scenario stays
// as it is.
func (s *Scenario) EachDrain(most int) (*DrainSurvey, error) {
	if most < 1 {
		return nil, fmt.Errorf("%w: %d turns are below 1", outrank.ErrInvalid, most)
	}
	f := s.Fork()
	quiet := *f.set
	quiet.Progress, f.set = nil, &quiet
	if err := f.finishDeletions(); err != nil {
		return nil, err
	}
	v := &surveying{
		Scenario: f, waiting: []outrank.Key{}, turns: most, holds: make([]BudgetHold, len(f.allowed)),
		out: &DrainSurvey{Stuck: []NodeDrain{}, Crowded: []NodeDrain{}, Budgets: []BudgetHold{}, Undecided: []string{}, Most: most},
	}
	for _, p := range f.waiting() {
		v.waiting = append(v.waiting, p.Key())
	}
	for i, b := range f.allowed {
		v.holds[i].Key, v.holds[i].Allowed = b.Key(), b.DisruptionsAllowed
	}
	var nodes, free []string
	for n := range f.snap.Nodes() {
		nodes = append(nodes, n.Name)
	}
	v.out.Nodes = len(nodes)
	for i, node := range nodes {
		atOnce, err := v.holdUp(node)
		if err != nil {
			return nil, err
		}
		if atOnce {
			free = append(free, node)
		}
		s.set.progress(i+1, 2*len(nodes))
	}
	v.out.AtOnce = len(free)
	for i, node := range free {
		if v.turns <= 0 {
			v.out.Unfollowed = len(free) - i
			break
		}
		if err := v.follow(node); err != nil {
			return nil, err
		}
		s.set.progress(len(nodes)+i+1, 2*len(nodes))
	}
	s.set.progress(2*len(nodes), 2*len(nodes))
	v.sortResults(nodes)
	return v.out, nil
}

// surveying is a survey while it is made.
type surveying struct {
	*Scenario
	out     *DrainSurvey
	waiting []outrank.Key
	turns   int
	holds   []BudgetHold
}

// try plays the drain of a node and takes it back.
func (v *surveying) try(node string, brief bool) (d *draining, done bool, err error) {
	mark := v.snap.Mark()
	defer func() {
		if undone := v.snap.Undo(mark); err == nil {
			err = undone
		}
	}()
	d = &draining{Scenario: v.branch(), out: newDrain([]string{node}), queue: slices.Clone(v.waiting), brief: brief, turnsLeft: &v.turns}
	if err = d.cordon(); err != nil {
		return nil, false, err
	}
	d.countLoads(d.out.Nodes, &Aftermath{})
	done, err = d.empty(node)
	return d, done, err
}

// holdUp plays the drain of a node where budgets hold it up, and reports whether none does.
func (v *surveying) holdUp(node string) (atOnce bool, err error) {
	d, done, err := v.try(node, true)
	if err != nil {
		return false, err
	}
	for i := range d.loads {
		if d.refused[i] {
			v.holds[i].Nodes++
		}
		if d.several[i] {
			v.holds[i].Several++
		}
	}
	switch {
	case d.ranOut:
		v.out.Undecided = append(v.out.Undecided, node)
	case !done:
		v.out.Stuck = append(v.out.Stuck, d.nodeDrain(node))
		v.blame(d)
	case d.out.Waits == 0:
		return true, nil
	default:
		v.out.Slow++
		v.recordCrowded(d, node)
	}
	return false, nil
}

// blame counts a drain that is stuck for each budget of the pods that are held.
func (v *surveying) blame(d *draining) {
	var blamed []outrank.Key
	for i := range d.out.Held {
		blamed = append(blamed, d.out.Held[i].Budgets...)
	}
	for i := range v.holds {
		if slices.Contains(blamed, v.holds[i].Key) {
			v.holds[i].Stuck++
		}
	}
}

// follow plays the drain of a node that empties at once, to see where its pods go.
func (v *surveying) follow(node string) error {
	d, _, err := v.try(node, false)
	if err == nil {
		v.recordCrowded(d, node)
	}
	return err
}

// crowd records a drain that leaves pods without a place.
func (v *surveying) recordCrowded(d *draining, node string) {
	if len(d.out.Pending) > 0 {
		v.out.Crowded = append(v.out.Crowded, d.nodeDrain(node))
	}
}

// told is the end of the drain of one node.
func (d *draining) nodeDrain(node string) NodeDrain {
	held := d.out.Held[:min(len(d.out.Held), mostHeld)]
	pending := d.out.Pending[:min(len(d.out.Pending), mostHeld)]
	out := NodeDrain{
		Node: node, Pods: d.out.Pods, Evicted: d.out.Evicted, Held: held, MoreHeld: len(d.out.Held) - len(held),
		Pending: make([]Pod, len(pending)), MorePending: len(d.out.Pending) - len(pending), Victims: fresh(d.out.Victims),
	}
	for i := range pending {
		out.Pending[i] = pending[i].Pod
	}
	return out
}

// end puts nodes and budgets in their order.
func (v *surveying) sortResults(nodes []string) {
	at := make(map[string]int, len(nodes))
	for i, node := range nodes {
		at[node] = i
	}
	slices.SortFunc(v.out.Crowded, func(a, b NodeDrain) int { return cmp.Compare(at[a.Node], at[b.Node]) })
	for _, h := range v.holds {
		if h.Nodes+h.Several > 0 {
			v.out.Budgets = append(v.out.Budgets, h)
		}
	}
	slices.SortFunc(v.out.Budgets, func(a, b BudgetHold) int {
		return cmp.Or(cmp.Compare(b.Stuck, a.Stuck), cmp.Compare(b.Nodes, a.Nodes), compareText(string(a.Key), string(b.Key)))
	})
}
