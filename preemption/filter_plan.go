package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// activeFilter is a filter that has something to say about the preemptor, with
// its index in [builtIn] or, for one of the caller's, behind it.
type activeFilter struct {
	podFilter
	index int
}

// filterPlan is what one attempt derives from the descriptors.
type filterPlan struct {
	// refused is what every node says where the attempt ends before the first of
	// them; success where it does not.
	refused filterStatus
	// narrowed is set where only the nodes in names are filtered; the others have the
	// status in excluded.
	narrowed bool
	names    map[string]bool
	excluded filterStatus
	// order is that of the first node filters.
	order *[numFirst]int
	// selects: a filter before NodeResourcesFit may turn the preemptor away from
	// a node because of what the preemptor asks for.
	selects bool
	// active are the filters from NodePorts on that have something to say, in
	// order, without NodeResourcesFit. The first beforeResources of them run
	// before it.
	active          []activeFilter
	beforeResources int
	// fixed: no active filter looks at other pods, so that every node answers
	// pods with equal signatures equally.
	fixed bool
	// follows: a filter of the caller has to be told of all pods that are removed and
	// put back, so that its state is right for the next node.
	follows bool
	// selective: a filter of the caller says which pods concern it, so that nodes are
	// not asked until their victims are wanted.
	selective bool
}

// add appends a filter of the caller.
func (fp *filterPlan) add(pf podFilter, index int) {
	fp.active = append(fp.active, activeFilter{pf, index})
	switch f := pf.(type) {
	case *ruleAttempt:
		fp.fixed = fp.fixed && f.table != nil
	case *callerFilter:
		fp.fixed, fp.follows = false, true
		fp.selective = fp.selective || f.concerns != nil
	}
}

// tabled reports whether all active filters are rules whose answers are known.
func (fp *filterPlan) tabled() bool {
	for i := range fp.active {
		if r, ok := fp.active[i].podFilter.(*ruleAttempt); !ok || r.table == nil {
			return false
		}
	}
	return len(fp.active) > 0
}

// passesTables reports whether none of them turns the preemptor away from a node.
func (fp *filterPlan) passesTables(slot int32) bool {
	for i := range fp.active {
		if !fp.active[i].podFilter.(*ruleAttempt).table.Passes(slot) {
			return false
		}
	}
	return true
}

// setOf returns the filters of these names.
func setOf(names []string) state.FilterSet {
	var set state.FilterSet
	if len(names) == 0 {
		return set
	}
	for i, f := range builtInNames {
		if slices.Contains(names, f) {
			set |= 1 << i
		}
	}
	return set
}

// configure applies what a configuration changes about the filters. The needs are
// there already.
func (q *question) configure(p *Plugins) (err error) {
	q.plugins, q.off = p, setOf(p.Off)|offFor(&q.deferral)
	q.silent = q.off | setOf(p.OffOnNodes)
	if q.silent.Has(resourcesFilter.index) {
		q.needs = q.needs[:0]
	}
	if len(p.IgnoredResources) > 0 || len(p.IgnoredResourceGroups) > 0 {
		q.needs = slices.DeleteFunc(q.needs, func(d need) bool { return p.ignores(d.name) })
	}
	q.spread, err = p.spreadOf(q.pod)
	return err
}

// begin finds the filters that have something to say.
func (fp *filterPlan) begin(q *question) {
	*fp = filterPlan{active: fp.active[:0], fixed: true, order: firstOrder(q.rules)}
	for i, f := range builtIn {
		if !q.off.Has(i) {
			fp.beforeNodes(q, i)
		}
		switch {
		case f == &resourcesFilter:
			fp.beforeResources = len(fp.active)
		case q.silent.Has(i):
		case f.enforces != nil && f.enforces(q.plugins):
			fp.selects = true
		case f.concernsPod != nil && !f.concernsPod(q.pod):
		case f.begin != nil:
			if pf := f.begin(q); pf != nil {
				fp.active = append(fp.active, activeFilter{pf, i})
				fp.fixed = false
			}
		case f.concernsPod == nil:
		case i < resourcesFilter.index:
			fp.selects = true
		default:
			fp.active = append(fp.active, activeFilter{&fixedFilter{f, q}, i})
		}
	}
}

// beforeNodes asks a filter what it says before any node is looked at. Only the
// first refusal counts. No narrowing refuses a pod in the order in which the filters
// run here that would not do so in another one.
func (fp *filterPlan) beforeNodes(q *question, index int) {
	f := builtIn[index]
	refused := filterStatus{code: decision.UnschedulableAndUnresolvable, by: index}
	if f.narrow != nil {
		if names, ok := f.narrow(q); ok {
			if refused.text = f.conflict; len(names) > 0 {
				refused.text = nil
				refused = fp.narrow(f, names, refused)
			}
		}
	}
	if refused.text == nil && f.refuse != nil {
		refused.text = f.refuse(q.pod)
	}
	if refused.text != nil && fp.refused.code == decision.Success {
		fp.refused = refused
	}
}

// narrow leaves the nodes that a filter names, of those that the ones before it named
// (group 7.15). Where none is left, it returns why all nodes are refused.
func (fp *filterPlan) narrow(f *descriptor, names map[string]bool, refused filterStatus) filterStatus {
	by := filterStatus{code: decision.UnschedulableAndUnresolvable, by: byNone, excluded: true, filter: f.name, text: f.notFiltered}
	if fp.narrowed {
		both := map[string]bool{}
		for name := range fp.names {
			if names[name] {
				both[name] = true
			}
		}
		names, by.text = both, bothText
	}
	fp.names, fp.narrowed, fp.selects, fp.excluded = names, true, true, by
	if len(names) == 0 {
		by.text = bothConflictText
		return by
	}
	return refused
}

// bothText is said of a node that NodeName and NodeAffinity together leave out.
var (
	bothText         = []string{"node(s) didn't satisfy plugin(s) [" + filter.NodeAffinity + " " + filter.NodeName + "]"}
	bothConflictText = []string{bothText[0] + " simultaneously"}
)

// checkNode asks the node filters that come before every pod filter (groups 7.2
// to 7.5). They are asked once per node: nothing that preemption does changes their
// answer.
func (fp *filterPlan) checkNode(q *question, n *state.NodeState) filterStatus {
	if fp.refused.code != decision.Success {
		return fp.refused
	}
	if fp.narrowed && !fp.names[n.Name] {
		return fp.excluded
	}
	return fp.askNode(q, n)
}

// askNode is checkNode for a node that was not left out before the first filter.
func (fp *filterPlan) askNode(q *question, n *state.NodeState) filterStatus {
	for _, i := range fp.order {
		f := builtIn[i]
		if f.check == nil || q.silent.Has(i) {
			continue
		}
		var reasons []string
		if f.enforce != nil {
			reasons = f.enforce(q.plugins, n.Node)
		}
		if reasons == nil {
			reasons = f.check(q, n.Node)
		}
		if reasons != nil {
			return filterStatus{code: decision.UnschedulableAndUnresolvable, by: i, text: reasons}
		}
	}
	return filterStatus{}
}

// touched reports whether pods of the node have a part in what these active
// filters say there.
func (fp *filterPlan) touched(n *state.NodeState, from, to int) bool {
	return slices.ContainsFunc(fp.active[from:to], func(f activeFilter) bool { return f.touches(n) })
}

// appendSignature appends everything of the preemptor that the node filters
// read.
func (fp *filterPlan) appendSignature(key *state.KeyWriter, pod *outrank.Pod) {
	for _, f := range builtIn {
		if f.appendSignature != nil {
			f.appendSignature(key, pod)
		}
	}
	for i := range fp.active {
		if r, ok := fp.active[i].podFilter.(*ruleAttempt); ok {
			key.Amount(int64(fp.active[i].index))
			key.Amount(int64(r.key.Rule))
			key.Text(r.key.Key)
		}
	}
}

// fixedFilter is a node filter that runs after NodeResourcesFit. It is asked
// once per node.
type fixedFilter struct {
	*descriptor
	q *question
}

func (*fixedFilter) touches(*state.NodeState) bool { return false }

func (f *fixedFilter) onNode(earlier nodeFilter) nodeFilter {
	n, ok := earlier.(*fixedNode)
	if !ok {
		n = &fixedNode{}
	}
	*n = fixedNode{filter: f}
	return n
}

// fixedNode is a fixedFilter on one node.
type fixedNode struct {
	filter *fixedFilter
	status filterStatus
}

func (n *fixedNode) enter(state *state.NodeState) {
	n.status = filterStatus{}
	if reasons := n.filter.check(n.filter.q, state.Node); reasons != nil {
		n.status = filterStatus{code: decision.UnschedulableAndUnresolvable, text: reasons}
	}
}

func (*fixedNode) change(*state.PodState, int)            {}
func (n *fixedNode) check([]*state.PodState) filterStatus { return n.status }
func (n *fixedNode) release()                             { *n = fixedNode{} }
