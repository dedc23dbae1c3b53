package question

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// DrainSurvey has the drain of each node by itself, with all other nodes as they are. Each is played like a
// [Drain].
type DrainSurvey struct {
	// Nodes counts all nodes. AtOnce counts the nodes whose pods may all be evicted at once. Slow counts the
	// nodes on which some pods have to wait until replacements are ready, and all go in the end.
	Nodes  int `json:"nodes"`
	AtOnce int `json:"atOnce"`
	Slow   int `json:"slow"`
	// Stuck lists the nodes whose drain never ends. Crowded lists the nodes whose drain ends but leaves pods
	// without a place. Both are in the order of the cluster.
	Stuck   []NodeDrain `json:"stuck"`
	Crowded []NodeDrain `json:"crowded"`
	// Budgets lists the budgets that keep pods back on some node. Budgets that stop drains come first.
	Budgets []BudgetHold `json:"budgets"`
	// Most is the number of turns after which nothing further is played. Undecided lists the nodes that budgets
	// hold up and whose drain had not ended by then. Unfollowed counts the nodes that can be emptied at once
	// and whose replacements were not played.
	Undecided  []string `json:"undecided"`
	Unfollowed int      `json:"unfollowed"`
	Most       int      `json:"most"`
}

// NodeDrain says how the drain of a node ends.
type NodeDrain struct {
	Node string `json:"node"`
	// Pods counts the pods that have to be evicted, and Evicted the pods that are.
	Pods    int `json:"pods"`
	Evicted int `json:"evicted"`
	// Held lists the first ten pods that may never be evicted, Pending the first ten that find no place.
	// Victims counts the pods that replacements push out.
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
	// Nodes counts the nodes on which the budget keeps a pod back for a while. Stuck counts the nodes among
	// them whose drain never ends because of it.
	Nodes int `json:"nodes"`
	Stuck int `json:"stuck"`
	// Several counts the nodes on which an eviction is refused because other budgets cover the pod, too.
	Several int `json:"several"`
}

// mostHeld is the largest number of pods that are named for one node.
const mostHeld = 10

// EachDrain plays the drain of every node by itself, each time on the scenario as it stands. It begins with the
// nodes that budgets hold up, to see which drains never end. Then it plays the others, to see which leave pods
// without a place. After most turns it plays no further replacements, and the survey says so.
//
// Errors wrap [outrank.ErrInvalid] if most is below 1, and otherwise are those of [Scenario.Aftermath]. The time is
// linear in the pods, plus the turns. The scenario itself does not change.
func (s *Scenario) EachDrain(most int) (*DrainSurvey, error) {
	if most < 1 {
		return nil, fmt.Errorf("%w: %d turns are below 1", outrank.ErrInvalid, most)
	}
	v, err := s.survey(most)
	if err != nil {
		return nil, err
	}

	var nodes, free []string
	for n := range v.snap.Nodes() {
		nodes = append(nodes, n.Name)
	}
	v.out.Nodes = len(nodes)

	// A node that can be emptied at once needs no turns in this pass, so that they are left for the drains that
	// may not end.
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
		d, _, err := v.try(node)
		if err != nil {
			return nil, err
		}
		v.recordCrowded(d, node)
		s.set.progress(len(nodes)+i+1, 2*len(nodes))
	}
	s.set.progress(2*len(nodes), 2*len(nodes))

	v.sortResults(nodes)
	return v.out, nil
}

// surveying is a survey in progress.
type surveying struct {
	*Scenario
	out *DrainSurvey
	// waiting lists the pods that wait before the first drain.
	waiting []outrank.Key
	// turns is the number of turns that may still be played.
	turns int
	// holds records the effects of each budget so far.
	holds []BudgetHold
}

// survey returns a survey of a fork of the scenario, before its first drain. Pods that were being deleted are
// gone. It reports no progress of its own.
func (s *Scenario) survey(most int) (*surveying, error) {
	f := s.Fork()
	f.Watch(nil)
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
	return v, nil
}

// try plays the drain of a node and undoes it.
func (v *surveying) try(node string) (d *draining, done bool, err error) {
	mark := v.snap.Mark()
	defer func() {
		if undone := v.snap.Undo(mark); err == nil {
			err = undone
		}
	}()

	d = &draining{Scenario: v.branch(), out: newDrain([]string{node}), queue: slices.Clone(v.waiting), turnsLeft: &v.turns}
	if err = d.cordon(); err != nil {
		return nil, false, err
	}
	d.countLoads(d.out.Nodes, &Aftermath{})
	done, err = d.empty(node)
	return d, done, err
}

// holdUp plays the drain of a node if budgets hold it up, and records how it ends. Otherwise it reports that
// the node can be emptied at once.
//
// Most nodes of a large cluster can, or come after the last turn. Which budgets would refuse a pod is counted
// for these, without evicting anybody.
func (v *surveying) holdUp(node string) (atOnce bool, err error) {
	refused, several := v.firstRefusals(node)
	if len(refused)+len(several) == 0 {
		return true, nil
	}
	if v.turns <= 0 {
		v.recordHolds(refused, several)
		v.out.Undecided = append(v.out.Undecided, node)
		return false, nil
	}

	d, done, err := v.try(node)
	if err != nil {
		return false, err
	}
	v.recordHolds(marked(d.refused), marked(d.several))

	switch {
	case d.ranOut:
		v.out.Undecided = append(v.out.Undecided, node)
	case !done:
		v.out.Stuck = append(v.out.Stuck, d.nodeDrain(node))
		v.blame(d)
	default:
		v.out.Slow++
		v.recordCrowded(d, node)
	}
	return false, nil
}

// firstRefusals returns the budgets that refuse pods in the first round of a node's drain: those that allow no
// more disruptions, and those that cover a pod together with others. There are none if all pods may go at once.
func (v *surveying) firstRefusals(node string) (refused, several map[int]bool) {
	refused, several = map[int]bool{}, map[int]bool{}
	gone := map[int]int32{} // the disruptions in this round
	left := func(i int) int32 { return v.allowed[i].DisruptionsAllowed - gone[i] }

	for _, p := range v.snap.PodsOn(node) {
		if TiedToItsNode(p) {
			continue
		}
		by := v.keptBy(p, left)
		for _, i := range by {
			if len(by) > 1 {
				several[i] = true
			} else {
				refused[i] = true
			}
		}
		if len(by) > 0 || p.Terminating() {
			continue
		}
		for _, i := range v.budgets.Covering(p) {
			if charges(v.allowed[i], p) && left(i) > 0 {
				gone[i]++
			}
		}
	}
	return refused, several
}

// marked returns the indexes that are marked.
func marked(marks []bool) map[int]bool {
	out := map[int]bool{}
	for i, is := range marks {
		if is {
			out[i] = true
		}
	}
	return out
}

// recordHolds counts a node for the budgets that keep one of its pods back, for a while or for ever: a budget
// holds the drain up, even if it ends.
func (v *surveying) recordHolds(refused, several map[int]bool) {
	for i := range refused {
		v.holds[i].Nodes++
	}
	for i := range several {
		v.holds[i].Several++
	}
}

// blame counts a stuck drain for every budget that holds one of its pods.
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

// recordCrowded records a drain if it leaves pods without a place.
func (v *surveying) recordCrowded(d *draining, node string) {
	if len(d.out.Pending) > 0 {
		v.out.Crowded = append(v.out.Crowded, d.nodeDrain(node))
	}
}

// nodeDrain says how the drain of a single node ended.
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

// sortResults sorts nodes and budgets. Stuck nodes are in the order of the cluster already. Crowded nodes come
// from both passes, so that they are not.
func (v *surveying) sortResults(nodes []string) {
	order := make(map[string]int, len(nodes))
	for i, node := range nodes {
		order[node] = i
	}
	slices.SortFunc(v.out.Crowded, func(a, b NodeDrain) int { return cmp.Compare(order[a.Node], order[b.Node]) })

	for _, h := range v.holds {
		if h.Nodes+h.Several > 0 {
			v.out.Budgets = append(v.out.Budgets, h)
		}
	}
	slices.SortFunc(v.out.Budgets, func(a, b BudgetHold) int {
		return cmp.Or(cmp.Compare(b.Stuck, a.Stuck), cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Key, b.Key))
	})
}
