package filters

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// activeFilter is a pod filter that has something to say about the preemptor. Index is its index in
// [BuiltIn]; the caller's filters have the indexes behind that list.
type activeFilter struct {
	PodFilter
	Index int
}

// Plan is the list of filters that one attempt asks, with what the search needs to know about them.
type Plan struct {
	// Refused is the answer of every node if a filter refuses the pod before the first node is asked.
	// Otherwise its code is Success.
	Refused Status
	// Narrowed is set if only the nodes in Names are filtered. All other nodes have the status Excluded.
	Narrowed bool
	Names    map[string]bool
	Excluded Status
	// order has the indexes of the first node filters in the order in which they run.
	order *[NumFirst]int
	// Selects is set if a node filter before NodeResourcesFit may turn the preemptor away from a node because
	// of what the preemptor or the configuration asks for.
	Selects bool
	// selecting has the filters that may do so because of the preemptor. A filter that narrows the nodes may
	// be missing.
	selecting state.FilterSet
	// Active has the filters from NodePorts on that have something to say, in the order in which they run.
	// NodeResourcesFit is left out, because every attempt asks it: the first BeforeResources filters run
	// before it, the others after it.
	Active          []activeFilter
	BeforeResources int
	// Fixed is set if no active filter looks at other pods, so that a node gives pods with equal signatures
	// the same answer.
	Fixed bool
	// Local is set if no active filter looks at pods of other nodes, and the signature covers all that each
	// of them reads of the preemptor.
	Local bool
	// Follows is set if a filter of the caller must hear of all pods that are removed and put back, because
	// its state goes on to the next node.
	Follows bool
	// useFirst is set if the answers of the first node filters may be taken from first.
	useFirst bool
	first    *firstAnswers
	// Selective is set if a filter of the caller says which pods concern it. The search then puts off asking
	// a node until its victims are wanted.
	Selective bool
}

// Add appends a filter of the caller.
func (fp *Plan) Add(pf PodFilter, index int) {
	fp.Active = append(fp.Active, activeFilter{pf, index})
	switch f := pf.(type) {
	case *RuleAttempt:
		// A rule with a table has a key, which becomes part of the signature. What a rule without a key reads
		// is unknown.
		fp.Fixed, fp.Local = fp.Fixed && f.table != nil, fp.Local && f.table != nil
	case *CallerFilter:
		fp.Fixed, fp.Local = false, false
		fp.Follows = true
		fp.Selective = fp.Selective || f.concerns != nil
		fp.refuseBy(f, index)
	}
}

// Tabled reports whether there are active filters and all of them are rules with a table of answers.
func (fp *Plan) Tabled() bool {
	for i := range fp.Active {
		if r, ok := fp.Active[i].PodFilter.(*RuleAttempt); !ok || r.table == nil {
			return false
		}
	}
	return len(fp.Active) > 0
}

// PassesTables reports whether a node passes all active filters by their tables. It must be called only if
// Tabled is true.
func (fp *Plan) PassesTables(slot int32) bool {
	for i := range fp.Active {
		if !fp.Active[i].PodFilter.(*RuleAttempt).table.Passes(slot) {
			return false
		}
	}
	return true
}

// setOf returns the set of the built-in filters with these names. Other names are ignored.
func setOf(names []string) state.FilterSet {
	var set state.FilterSet
	if len(names) == 0 {
		return set
	}
	for i, f := range BuiltInNames {
		if slices.Contains(names, f) {
			set |= 1 << i
		}
	}
	return set
}

// Configure applies what a configuration changes about the filters (group 7.18). It drops those of the
// question's Needs that no filter looks at.
func (q *Question) Configure(ctx context.Context, p *preemption.Profile) (err error) {
	q.ctx = ctx
	q.tolerations = fit.NewTolerations(q.Pod.Tolerations)
	q.named, q.isNamed = fit.NamedNodes(q.Pod)
	q.Plugins, q.Off = p, setOf(p.Off)|offFor(&q.Deferral)
	q.Silent = q.Off | setOf(p.OffOnNodes)

	if q.Silent.Has(ResourcesFilter.Index) {
		q.Needs = q.Needs[:0]
	}
	if len(p.IgnoredResources) > 0 || len(p.IgnoredResourceGroups) > 0 {
		q.Needs = slices.DeleteFunc(q.Needs, func(d Need) bool { return fit.Ignored(d.Name, p.IgnoredResources, p.IgnoredResourceGroups) })
	}
	q.spread, err = spreadOf(p, q.Pod)
	return err
}

// spreadOf returns the constraints of a pod: its own, or the default ones with the selector that the
// configuration derives for the pod (rules 7.18.7 to 7.18.9; buildDefaultConstraints).
func spreadOf(p *preemption.Profile, pod *outrank.Pod) ([]outrank.TopologySpreadConstraint, error) {
	if len(pod.TopologySpreadConstraints) > 0 || p.SpreadSelector == nil || !HardSpread(p) {
		return pod.TopologySpreadConstraints, nil
	}
	selector := p.SpreadSelector(pod)
	if err := selector.Validate(); err != nil {
		return nil, fmt.Errorf("pod %s: Profile.SpreadSelector: %w: %w", pod.Key(), outrank.ErrInvalid, err)
	}
	if selector == nil || selector.Empty() {
		return nil, nil
	}
	constraints := slices.Clone(p.DefaultConstraints)
	for i := range constraints {
		constraints[i].LabelSelector, constraints[i].MatchLabelKeys = selector, nil
	}
	return constraints, nil
}

// Begin finds the filters that have something to say about a question. With nil it drops all references to
// the last question, and keeps the memory for the next.
func (fp *Plan) Begin(q *Question) {
	if fp.first != nil {
		fp.first.begin()
	}
	if q == nil {
		fp.drop()
		return
	}

	*fp = Plan{Active: fp.Active[:0], Fixed: true, Local: true, order: FirstOrder(q.Rules), first: fp.first}
	enforced := false
	for i, f := range BuiltIn {
		// A filter that is not asked about nodes is still asked before the first node (rule 7.18.2).
		if !q.Off.Has(i) {
			fp.beforeNodes(q, i)
		}

		switch {
		case f == &ResourcesFilter:
			fp.BeforeResources = len(fp.Active) // every attempt asks it, so that it is no active filter
		case q.Silent.Has(i):
		case f.enforces != nil && f.enforces(q.Plugins):
			fp.Selects, enforced = true, true
		default:
			fp.beginFilter(q, i)
		}
	}

	// The key of the first answers does not cover what a filter enforces for the configuration. A question
	// about a deferred resize is about one node and not worth a table.
	if fp.useFirst = !enforced && !q.ForResize(); fp.useFirst && fp.first == nil {
		fp.first = &firstAnswers{}
	}
}

// drop releases the counts and drops all references to the attempt.
func (fp *Plan) drop() {
	for i := range fp.Active {
		if f, ok := fp.Active[i].PodFilter.(countedFilter); ok {
			f.release()
		}
	}
	clear(fp.Active)
	*fp = Plan{Active: fp.Active[:0], first: fp.first}
}

// beginFilter adds a built-in filter to the plan, if it has something to say about the preemptor.
func (fp *Plan) beginFilter(q *Question, index int) {
	f := BuiltIn[index]
	entry := f.Entry
	reads := entry.Reads.Pod
	switch {
	case reads != nil && !reads(q.Pod):
		// The filter has nothing to say about this pod.

	case f.begin != nil:
		if pf := f.begin(q); pf != nil {
			fp.Active = append(fp.Active, activeFilter{pf, index})
			_, column := pf.(columnFilter)
			fp.Fixed, fp.Local = false, fp.Local && column
		}

	case reads == nil:
		// Nothing in the pod makes such a filter fail, only something on a restricted node, and restricted
		// nodes are asked in any case.

	case index < ResourcesFilter.Index:
		fp.Selects = true
		fp.selecting |= 1 << index

	default:
		// A node filter behind NodeResourcesFit must keep its place, because the first failure is reported
		// (rule 7.1.3).
		fp.Active = append(fp.Active, activeFilter{&FixedFilter{f, q}, index})
	}
}

// beforeNodes asks a filter what it says before any node is looked at. Only the first refusal counts. The
// filters are asked in the order of BuiltIn, while releases differ in theirs (rule 7.1.7). That is harmless:
// whether narrowing refuses a pod does not depend on the order.
func (fp *Plan) beforeNodes(q *Question, index int) {
	f := BuiltIn[index]
	refused := Status{Code: UnschedulableAndUnresolvable, By: index}
	if f.narrow != nil {
		if names, ok := f.narrow(q); ok {
			if len(names) > 0 {
				refused = fp.narrow(f, names, refused)
			} else {
				refused.Text = f.conflict
			}
		}
	}

	if refused.Text == nil && f.refuse != nil {
		refused.Text = f.refuse(q.Pod)
	}

	// The first refusal in the order of the filters counts (rule 7.15.4).
	if refused.Text != nil && !fp.Refuses() {
		fp.Refused = refused
	}
}

// narrow intersects the nodes that earlier filters named with those that f names (group 7.15). If no node is
// left, it returns the status with which all nodes are refused. Otherwise it returns refused as it is given,
// without a text.
func (fp *Plan) narrow(f *descriptor, names map[string]bool, refused Status) Status {
	entry := f.Entry
	by := Status{Code: UnschedulableAndUnresolvable, By: ByNone, Excluded: true, Filter: entry.Name, Text: f.notFiltered}
	if fp.Narrowed {
		both := map[string]bool{}
		for name := range fp.Names {
			if names[name] {
				both[name] = true
			}
		}
		names, by.Text = both, bothText
	}

	// If no node is left, the attempt ends, and this status is the answer of all nodes.
	fp.Names, fp.Narrowed = names, true
	fp.Selects, fp.Excluded = true, by
	if len(names) == 0 {
		by.Text = bothConflictText
		return by
	}
	return refused
}

// AlsoAsk adds a node to Names, so that it is asked even if the filters left it out (rule 7.15.9). Several
// questions may share the set of names, so the plan makes a copy of its own first.
func (fp *Plan) AlsoAsk(node string) {
	fp.Names = maps.Clone(fp.Names)
	fp.Names[node] = true
}

// ExcludeAlsoBy adds a filter to those that the reason of Excluded names.
func (fp *Plan) ExcludeAlsoBy(filter string) {
	fp.Excluded.Text = withPlugin(fp.Excluded.Text[0], filter)
}

// withPlugin adds a name to the sorted names in the brackets at the end of a text.
func withPlugin(text, name string) []string {
	start := strings.LastIndexByte(text, '[') + 1
	names := append(strings.Fields(strings.TrimSuffix(text[start:], "]")), name)
	slices.Sort(names)
	return []string{text[:start] + strings.Join(slices.Compact(names), " ") + "]"}
}

// Refuses reports whether every node has the answer Refused.
func (fp *Plan) Refuses() bool { return fp.Refused.Code != Success }

// bothText is the reason of a node that NodeName and NodeAffinity together leave out, and bothConflictText
// that of all nodes if the two leave none.
var (
	bothText         = []string{"node(s) didn't satisfy plugin(s) [" + filter.NodeAffinity + " " + filter.NodeName + "]"}
	bothConflictText = []string{bothText[0] + " simultaneously"}
)

// CheckNode asks the node filters before the first pod filter (groups 7.2 to 7.5). Once per node is enough,
// because no preemption changes their answers.
func (fp *Plan) CheckNode(q *Question, n *state.NodeState) Status {
	if fp.Refused.Code != Success {
		return fp.Refused
	}
	if fp.Narrowed && !fp.Names[n.Name] {
		return fp.Excluded
	}
	return fp.AskNode(q, n)
}

// AskNode is CheckNode for a node that is known to be neither refused nor excluded.
func (fp *Plan) AskNode(q *Question, n *state.NodeState) Status {
	if fp.useFirst && (fp.first.known() || fp.findFirst(q)) {
		return fp.first.answer(n)
	}
	return fp.askNode(q, n)
}

// findFirst looks for the table of the first filters' answers, if it is time to (see firstAnswers.due), and
// reports whether the table is known now.
func (fp *Plan) findFirst(q *Question) bool {
	lacks, ok := fp.first.due()
	if !ok {
		return false
	}
	defer fp.first.looked()

	// Another worker may have found the table before this one was let in.
	if !fp.first.known() {
		fp.first.find(q, lacks, fp.order, func(n *state.NodeState) Status { return fp.askNode(q, n) })
	}
	return fp.first.known()
}

// askNode asks the filters themselves, not the table, up to the first that fails.
func (fp *Plan) askNode(q *Question, n *state.NodeState) Status {
	for _, i := range fp.order {
		f := BuiltIn[i]
		if f.check == nil || q.Silent.Has(i) {
			continue
		}

		// The configuration's demands are checked before the pod's own (rule 7.18.3).
		var reasons []string
		if f.enforce != nil {
			reasons = f.enforce(q.Plugins, n.Node)
		}
		if reasons == nil {
			reasons = f.check(q, n.Node)
		}
		if reasons != nil {
			return Status{Code: UnschedulableAndUnresolvable, By: i, Text: reasons}
		}
	}
	return Status{}
}

// Touched reports whether pods of the node can change the answer of an active filter before NodeResourcesFit.
func (fp *Plan) Touched(n *state.NodeState) bool {
	return slices.ContainsFunc(fp.Active[:fp.BeforeResources], func(f activeFilter) bool { return f.Touches(n) })
}

// Keeps reports whether the answers of nodes may be cached: they stay the same for pods with equal signatures
// until the node changes or the counts that concern it do. version is the version of the last change of any
// count.
func (fp *Plan) Keeps() (version uint64, ok bool) {
	for i := range fp.Active {
		switch f := fp.Active[i].PodFilter.(type) {
		case *FixedFilter, columnFilter:
			// They look at the node alone.
		case *RuleAttempt:
			if f.table == nil {
				return 0, false
			}
		case countedFilter:
			if !f.versioned() {
				return 0, false // a later attempt counts anew, and cannot tell what has changed
			}
			version = max(version, f.counted().changed)
		default:
			return 0, false // a caller's filter may look at anything
		}
	}
	return version, true
}

// CountsChanged reports whether a count on which the answer of a node depends has changed since a version.
func (fp *Plan) CountsChanged(since uint64, slot int32) bool {
	return slices.ContainsFunc(fp.Active, func(f activeFilter) bool {
		c, ok := f.PodFilter.(countedFilter)
		return ok && c.counted().changedSince(since, slot)
	})
}

// AsksAboutFew looks at the active filters after NodeResourcesFit whose answer pods of the node can change.
// touched reports whether there are any, and few whether all of them say which pods concern them.
func (fp *Plan) AsksAboutFew(n *state.NodeState) (touched, few bool) {
	few = true
	for i := fp.BeforeResources; i < len(fp.Active); i++ {
		if f := fp.Active[i].PodFilter; f.Touches(n) {
			_, selects := f.(fewPodsFilter)
			if c, ok := f.(*CallerFilter); ok && c.concerns == nil {
				selects = false
			}
			touched, few = true, few && selects
		}
	}
	return touched, few
}

// MarkConcerned marks those pods of a node, from an index on, that concern any filter which names the pods
// that concern it.
func (fp *Plan) MarkConcerned(n *state.NodeState, from int, marks []bool) {
	for i := range fp.Active {
		if f, ok := fp.Active[i].PodFilter.(fewPodsFilter); ok {
			f.markConcerned(n, from, marks)
		}
	}
}

// Count fills in the columns of a node. Pods below the priority reach may leave. early and late are the
// statuses, with all pods on the node, of the first filters that fail before and after NodeResourcesFit, nil
// where none does. ok is false if the columns cannot tell and the filters themselves must be asked.
func (fp *Plan) Count(c *Columns, q *Question, n *state.NodeState, reach int64) (early, late *Status, ok bool) {
	c.begin(reach)
	h := heldOn(n)
	if !c.addNeeds(q, n, h) {
		return nil, nil, false
	}
	for i := range fp.Active {
		switch f := fp.Active[i].PodFilter.(type) {
		case columnFilter:
			if !f.addColumns(h, c) {
				return nil, nil, false
			}
		case restFilter:
			if c.rest.Code == Success {
				c.rest = f.said(n)
				c.rest.By = fp.Active[i].Index
			}
		}
	}

	// The filters that rest comes from run after all filters with columns, so that rest counts only if no
	// column is in excess.
	f := c.failing()
	if f.late == nil && c.rest.Code != Success {
		f.late = &c.rest
	}
	return f.early, f.late, true
}

// restFilter is an active filter whose answer depends on the preemptor and the node alone.
type restFilter interface {
	// said returns the status of the node.
	said(n *state.NodeState) Status
}

func (f *FixedFilter) said(n *state.NodeState) Status {
	if reasons := f.descriptor.check(f.q, n.Node); reasons != nil {
		return Status{Code: UnschedulableAndUnresolvable, Text: reasons}
	}
	return Status{}
}

// said returns the answer in the table. The rule must have one.
func (r *RuleAttempt) said(n *state.NodeState) Status {
	s := r.table.At(n.Slot)
	return Status{Code: CodeOf(s.Code), Text: s.Reasons}
}

// AppendSignature appends everything that the filters read of the preemptor, except its priority and its
// needs.
func (fp *Plan) AppendSignature(key *state.KeyWriter, q *Question) {
	key.Texts(q.Schedulers) // they decide which nominations count
	for _, f := range BuiltIn {
		if entry := f.Entry; entry.Signature != nil {
			entry.Signature(key, q.Pod)
		}
	}
	appendPlugins(q.Plugins, key, q.Off, q.Silent)

	// The index tells what follows it, so that the data of one active filter cannot pass for another's.
	for i := range fp.Active {
		switch f := fp.Active[i].PodFilter.(type) {
		case *RuleAttempt:
			key.Amount(int64(fp.Active[i].Index))
			key.Amount(int64(f.table.Rule))
			key.Text(f.key.Key)
		case columnFilter:
			key.Amount(int64(fp.Active[i].Index))
			f.appendKey(key)
		}
		if f, ok := fp.Active[i].PodFilter.(countedFilter); ok {
			key.Amount(int64(fp.Active[i].Index))
			key.Text(f.counted().shape)
		}
	}
}

// FixedFilter wraps a node filter that runs after NodeResourcesFit as a pod filter. It asks once per node.
type FixedFilter struct {
	descriptor *descriptor
	q          *Question
}

// Touches is always false: the filter looks at no pods of the node; see [PodFilter].
func (*FixedFilter) Touches(*state.NodeState) bool { return false }

// OnNode returns the filter for one worker; see [PodFilter].
func (f *FixedFilter) OnNode(earlier NodeFilter) NodeFilter {
	n, ok := earlier.(*fixedNode)
	if !ok {
		n = &fixedNode{}
	}
	*n = fixedNode{filter: f}
	return n
}

// fixedNode is a FixedFilter for one worker, with the status of the node it is on.
type fixedNode struct {
	filter *FixedFilter
	status Status
}

func (n *fixedNode) Enter(state *state.NodeState) {
	n.status = n.filter.said(state)
}

func (*fixedNode) Change(*state.PodState, int)      {}
func (n *fixedNode) Check([]*state.PodState) Status { return n.status }
func (n *fixedNode) Release()                       { *n = fixedNode{} }
