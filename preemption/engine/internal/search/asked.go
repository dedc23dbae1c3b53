package search

import (
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Asked is the first stage of a search: the question, prepared. Workers read it, and nobody
// changes it while they do.
type Asked struct {
	// Attempt is the preemptor with what the filters prepare. plan and snap are its plan and its
	// snapshot, and sums the summaries of the snapshot.
	Attempt dryrun.Attempt
	plan    *filters.Plan
	snap    *state.Snapshot
	sums    *state.Summaries
	// terms are the configuration, and Rules what the search derives from it.
	terms *dryrun.Terms
	Rules searchRules
	// need is what the preemptor needs, as summaries are asked.
	need need
	// tables and given are what the caller said earlier of pods, and now of nodes.
	tables callerTables
	given  givenStatuses
	// keeps is set if the snapshot keeps answers for the signature of the preemptor (see
	// AnswerCache). counted is the version of what the filters count.
	keeps     bool
	counted   uint64
	signature state.KeyWriter
	// ineligible says why the preemptor may not preempt, and is empty if it may.
	ineligible preemption.Ineligibility
	// refusedBy is the answer of every node if the attempt ends before the first of them.
	refusedBy preemption.Status
}

// need is what a summary is asked, and how far its answer goes.
type need struct {
	// asks is what the preemptor needs by column, asksNothing where it needs
	// nothing.
	asks state.AmountRow
	// everyLarge is set if every node offers what the preemptor asks for by column.
	everyLarge bool
	// anyPod is set if the preemptor needs something of which no column tells what pods hold,
	// so that any pod may hold it.
	anyPod bool
	// filtered is set if anyPod is, or if filters besides NodeResourcesFit have something to
	// say after the first node filters.
	filtered bool
	// tabled is set if all these filters are rules of the caller whose answers are known.
	tabled bool
	// onlyCount is set if no candidate is wanted.
	onlyCount bool
	// bounded has the flags of nodes for which the bounds of their summaries hold all the
	// same. Only their evaluation is another one.
	bounded state.SummaryFlags
}

// everyStatus reports whether the status of every node is found before any candidate.
func (q *Asked) everyStatus() bool { return q.terms.Sample != nil || q.terms.Whole }

// needOf returns what the preemptor of an attempt needs.
func needOf(a *dryrun.Attempt, sums *state.Summaries) need {
	var d need
	d.asks, d.anyPod = asksOf(&a.Asked)
	d.everyLarge = sums.AllOffer(&d.asks)
	d.filtered = d.anyPod || !a.ResourcesAlone()
	d.tabled = a.Plan.Tabled() && !d.anyPod && !a.Plan.Selects
	return d
}

// asksOf returns what the preemptor of a question asks for by column. anyPod is set if that is not all.
func asksOf(q *filters.Question) (asks state.AmountRow, anyPod bool) {
	asks = asksNothingAtAll
	if q.Deferral.Asked { // the node counts the pod already (rule 7.19.4), so that it needs less than it asks for
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

// asksNothingAtAll asks for nothing in any column.
var asksNothingAtAll = state.AmountRow{asksNothing, asksNothing, asksNothing}

// refused reports whether the attempt ends before the first node.
func (q *Asked) refused() bool {
	plan := q.plan
	return plan.Refused.Code != filters.Success
}

// statusOf returns the status of an answer that is in no tally.
func (q *Asked) statusOf(x answer) filters.Status {
	attempt := &q.Attempt
	return statusOf(attempt.Asked.Needs, x)
}

// statusOf returns the status of an answer that is in no tally, by what a pod needs.
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

// WriteSignature writes everything of the preemptor that has a part in the answers of nodes. Every
// node answers pods with equal signatures equally, as long as it is not changed and the filters
// count the same about it.
func (q *Asked) WriteSignature() state.KeyWriter {
	key := &q.signature
	*key = (*key)[:0]
	attempt := &q.Attempt
	key.Amount(int64(attempt.Asked.Priority))
	for _, v := range q.need.asks {
		key.Amount(v)
	}
	q.plan.AppendSignature(key, &attempt.Asked)
	return q.signature
}

// callerTables return what the caller's rules say about the pods of a node, mostly from earlier searches: what
// they cost, their order, and the end of that. Each is nil where no rule of the sort is asked.
type callerTables struct {
	costs  func(n *state.NodeState) *state.NodeCosts
	orders func(n *state.NodeState) *[]int32
	ends   func(n *state.NodeState) *endOfOrder
	// releases let other searches have the tables.
	releases []func()
}
