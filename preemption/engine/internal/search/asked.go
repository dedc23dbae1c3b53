package search

import (
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Asked is the question of a search in prepared form. The workers of the search read it, and it does not
// change while a round runs.
type Asked struct {
	// Attempt is the preemptor with everything that the filters prepare for it. plan and snap are its plan of
	// filters and its snapshot, and sums the summaries of the snapshot.
	Attempt dryrun.Attempt
	plan    *filters.Plan
	snap    *state.Snapshot
	sums    *state.Summaries
	// terms is the configuration, and Rules what the search derives from it.
	terms *dryrun.Terms
	Rules searchRules
	// need is what the preemptor needs, in the form in which summaries are compared with it.
	need need
	// tables has the kept answers of the caller's rules about pods, and given the statuses that the caller
	// gave for the nodes.
	tables callerTables
	given  givenStatuses
	// keeps is set if the snapshot may keep answers for the signature of the preemptor (see AnswerCache).
	// counted is the version of the filters' counts.
	keeps     bool
	counted   uint64
	signature state.KeyWriter
	// ineligible says why the preemptor may not preempt. It is empty if it may.
	ineligible preemption.Ineligibility
	// refusedBy is the answer of every node if a filter refuses the pod before the first node.
	refusedBy preemption.Status
}

// need has what a summary is compared with, and says how much the comparison proves.
type need struct {
	// asks is what the preemptor needs, by column. It is asksNothing in a column where the preemptor needs
	// nothing.
	asks state.AmountRow
	// everyLarge is set if every node, when empty, has room for asks. triesTooSmall is set if nodes without
	// that room are not unresolvable (rule 13.2.15).
	everyLarge, triesTooSmall bool
	// anyPod is set if the preemptor needs a resource without a column, so that any pod may hold some of it.
	anyPod bool
	// filtered is set if anyPod is, or if filters other than NodeResourcesFit and the first node filters have
	// something to say.
	filtered bool
	// tabled is set if all these filters are rules of the caller with a table of answers.
	tabled bool
	// onlyCount is set if only the nodes' answers are wanted, and no candidate.
	onlyCount bool
	// bounded has the flags that do not invalidate the bounds of a node's summary. They only change how the
	// node is evaluated.
	bounded state.SummaryFlags
}

// everyStatus reports whether the status of every node is found before any candidate.
func (q *Asked) everyStatus() bool { return q.terms.Sample != nil || q.terms.Whole }

// needOf works out what the preemptor of an attempt needs.
func needOf(a *dryrun.Attempt, sums *state.Summaries) need {
	var d need
	d.asks, d.anyPod = asksOf(&a.Asked)
	d.everyLarge = sums.AllOffer(&d.asks)
	d.triesTooSmall = a.Asked.TriesTooSmall
	d.filtered = d.anyPod || !a.ResourcesAlone()
	d.tabled = a.Plan.Tabled() && !d.anyPod && !a.Plan.Selects
	return d
}

// asksOf returns what the preemptor of a question asks for, by column. anyPod is set if that does not cover
// all its needs.
func asksOf(q *filters.Question) (asks state.AmountRow, anyPod bool) {
	asks = asksNothingAtAll
	if q.Deferral.Asked { // the node already counts a part of the request (rule 7.19.4)
		return asks, true
	}
	for _, n := range q.Needs {
		if n.Column >= 0 {
			asks[n.Column] = n.Value
		} else {
			anyPod = true
		}
	}
	return asks, anyPod
}

// asksNothingAtAll is a row that asks for nothing in any column.
var asksNothingAtAll = state.AmountRow{asksNothing, asksNothing, asksNothing}

// refused reports whether a filter refuses the pod before the first node.
func (q *Asked) refused() bool {
	plan := q.plan
	return plan.Refused.Code != filters.Success
}

// statusOf returns the status of an answer below firstOther, which is in no tally.
func (q *Asked) statusOf(x answer) filters.Status {
	attempt := &q.Attempt
	return statusOf(attempt.Asked.Needs, x)
}

// statusOf returns the status of an answer below firstOther to a pod with these needs.
func statusOf(needs []filters.Need, x answer) filters.Status {
	if x == noVictims {
		return filters.NoVictims
	}

	st := filters.Status{Code: filters.Unschedulable, By: filters.ResourcesFilter.Index, TooMany: x&tooManyPods != 0}
	for i := range needs {
		if column := needs[i].Column; column >= 0 && x&(1<<column) != 0 {
			st.Short |= 1 << i
		}
	}
	if x&unresolvable != 0 {
		st.Code = filters.UnschedulableAndUnresolvable
	}
	return st
}

// WriteSignature encodes everything about the preemptor that the answers of nodes depend on. A node gives
// pods with equal signatures the same answer until the node changes or the filters' counts about it do.
func (q *Asked) WriteSignature() state.KeyWriter {
	key := &q.signature
	*key = (*key)[:0]
	attempt := &q.Attempt
	key.Amount(int64(attempt.Asked.Priority))
	for _, v := range q.need.asks {
		key.Amount(v)
	}
	for i := range attempt.Asked.Needs {
		if n := &attempt.Asked.Needs[i]; n.Column < 0 {
			key.Text(string(n.Name))
			key.Amount(n.Value)
		}
	}
	key.Text("") // no resource has this name
	q.plan.AppendSignature(key, &attempt.Asked)
	return q.signature
}

// callerTables returns what the caller's rules say about the pods of a node, mostly as kept from earlier
// searches: their costs, their order, and the end of that order. Each function is nil if there is no such
// rule.
type callerTables struct {
	costs  func(n *state.NodeState) *state.NodeCosts
	orders func(n *state.NodeState) *[]int32
	ends   func(n *state.NodeState) *endOfOrder
	// releases has the functions that let other searches take the tables.
	releases []func()
}
