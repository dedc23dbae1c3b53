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
	Attempt dryrun.Attempt
	terms   *dryrun.Terms
	plan    *filters.Plan    // that of the attempt
	snap    *state.Snapshot  // that of the attempt
	sums    *state.Summaries // those of the snapshot
	need    need
	Rules   searchRules
	tables  callerTables
	given   givenStatuses
	// keeps is set if the snapshot keeps the answers to preemptors of one signature. counted is the
	// version of what the filters count.
	keeps     bool
	counted   uint64
	signature state.KeyWriter // see AnswerCache
	// ineligible says why the preemptor may not preempt, empty if it may.
	ineligible preemption.Ineligibility
	// refusedBy is what every node answers if the attempt ends before the first of them.
	refusedBy preemption.Status
}

// need is what a summary is asked, and how far its answer goes.
type need struct {
	// asks is what the preemptor needs by column, asksNothing if it needs
	// nothing.
	asks state.AmountRow
	// everyLarge is set if every node offers what the preemptor asks for by column.
	everyLarge bool
	// filtered is set if filters besides NodeResourcesFit have something to say after
	// the first node filters, or the preemptor needs a resource without a
	// column. anyPod is set if every pod may have a part in that.
	filtered, anyPod bool
	// tabled is set if all these filters are rules of the caller whose answers are known.
	tabled bool
	// onlyCount is set if no candidate is wanted.
	onlyCount bool
	// bounded are the flags with which the bounds of a summary still hold. Only the
	// evaluation of a node asks about them.
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
	if q.Deferral.Asked {
		return asks, true // one node is asked, and what it has to have left is not what the pod asks for
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

// asksNothingAtAll is less than any node has free in every column.
var asksNothingAtAll = state.AmountRow{asksNothing, asksNothing, asksNothing}

// refused reports whether the attempt ends before the first node.
func (q *Asked) refused() bool { return q.plan.Refused.Code != filters.Success }

// statusOf returns the status of an answer that is in no tally.
func (q *Asked) statusOf(of answer) filters.Status { return statusOf(q.Attempt.Asked.Needs, of) }

// statusOf returns the status of an answer that is in no tally, by what a pod needs.
func statusOf(needs []filters.Need, of answer) filters.Status {
	if of == noVictims {
		return filters.NoVictims
	}
	st := filters.Status{Code: filters.Unschedulable, By: filters.ResourcesFilter.Index, TooMany: of&tooManyPods != 0}
	for i := range needs {
		if at := needs[i].Column; at >= 0 && of&(1<<at) != 0 {
			st.Short |= 1 << i
		}
	}
	if of&unresolvable != 0 {
		st.Code = filters.UnschedulableAndUnresolvable
	}
	return st
}

// WriteSignature writes everything of the preemptor that decides. Every node
// answers pods with equal signatures equally.
func (q *Asked) WriteSignature() state.KeyWriter {
	key := &q.signature
	*key = (*key)[:0]
	asked := &q.Attempt.Asked
	key.Amount(int64(asked.Priority))
	for _, v := range q.need.asks {
		key.Amount(v)
	}
	q.plan.AppendSignature(key, asked)
	return q.signature
}

// callerTables are what earlier searches heard of the caller's rules about the pods of a node;
// nil where none is asked.
type callerTables struct {
	costs  func(n *state.NodeState) *state.NodeCosts
	orders func(n *state.NodeState) *[]int32
	ends   func(n *state.NodeState) *endOfOrder
	// releases let others have the tables.
	releases []func()
}
