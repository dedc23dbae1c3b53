package search

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Worker is one worker of a search with what it has found.
type Worker struct {
	// What it reads is the question, part by part.
	attempt  *dryrun.Attempt
	terms    *dryrun.Terms
	plan     *filters.Plan
	rules    *searchRules
	need     *need
	tables   *callerTables
	statuses *givenStatuses
	snap     *state.Snapshot
	sums     *state.Summaries
	// What it writes for all are the bounds of its nodes, by position, and their spans, which of
	// them may be tried, and the incumbent, which it compares with the best that it knows.
	bounds    []NodeBound
	blocks    *blockPass
	marked    []bool
	incumbent *incumbent
	Dry       dryrun.DryRunner
	// before and after count nodes by their answers.
	before, after answers
	// leastSpan is the best bound of a span that the worker has seen.
	leastSpan spanBound
	// Best is the best candidate that the worker knows. sharedPosition is the
	// position of the candidate that it last compared with the incumbent, and
	// seenVersion the version of the incumbent at that time.
	Best           NodeScore
	sharedPosition int
	seenVersion    int64
	// allowed is the largest number of victims, all of the best candidate's top
	// priority, whose sum of priorities does not exceed the best one's.
	allowed int64
	// violates lists the possible victims of a node that violate a budget, by index.
	violates []int32
	// outlook serves the searches by other rules than the default ones.
	outlook outlook
	// fitsSomewhere is set once a node takes the preemptor, so that no candidate is wanted.
	fitsSomewhere bool
	// firstFit is the first position of a node that takes the preemptor, of those that the worker
	// has asked; more than any where none does.
	firstFit int
	// scratch is the candidate that was found last. While recording is set, blocked
	// lists the pods that could not be put back.
	scratch   preemption.Candidate
	failure   filters.Status // of the node that was no candidate
	blocked   []blockedPod
	recording bool
	given     givenAnswer
	memory    rulesMemory // of evaluateByRules
	// settled is set once a node has been evaluated while it was bounded.
	settled bool
	// concerned marks pods of one node (see findConcerned).
	concerned []bool
	// columns are those of the node that was entered last. They are counted in the reprieve
	// while counting is set.
	columns  filters.Columns
	counting bool
	// unbroken is set if the victims of a node were sought by resources, and no pod up to its bound
	// violates a budget.
	unbroken bool
}

// begin prepares a worker for a search.
func (w *Worker) begin(s *Search) {
	q := &s.Asked
	w.attempt, w.terms, w.plan, w.rules, w.need = &q.Attempt, q.terms, q.plan, &q.Rules, &q.need
	w.tables, w.statuses, w.snap, w.sums = &q.tables, &q.given, q.snap, q.sums
	w.bounds, w.blocks, w.marked, w.incumbent = s.Bounds, &s.blocks, s.tries.marked, &s.incumbent
	w.Reset()
	w.Dry.Begin(w.attempt)
}

// release drops everything that belongs to the caller.
func (w *Worker) release() {
	w.Dry.Release()
	w.terms, w.snap, w.sums = nil, nil, nil
	w.before.release()
	w.after.release()
	w.columns.Release()
	w.given = givenAnswer{}
	w.releaseScratch()
}

// NodeAt returns the node at a position.
func (w *Worker) NodeAt(position int) *state.NodeState {
	return w.snap.NodeStates[w.snap.Order[position]]
}

// Reset forgets what the worker has found.
func (w *Worker) Reset() {
	w.forgetAnswers()
	w.leastSpan = noCandidates
	w.Best, w.sharedPosition, w.seenVersion, w.allowed = NodeScore{Position: -1}, -1, 0, math.MaxInt64
	w.outlook.least, w.outlook.promising, w.fitsSomewhere, w.outlook.tries = NodeScore{Position: -1}, w.outlook.promising[:0], false, 0
	w.outlook.deferred, w.outlook.bestLeading, w.outlook.leastDeferred = w.outlook.deferred[:0], worst, worst
	w.given = givenAnswer{}
	w.firstFit = math.MaxInt
}

// forgetAnswers forgets what nodes have answered.
func (w *Worker) forgetAnswers() {
	w.before, w.after = answers{others: w.before.others[:0]}, answers{others: w.after.others[:0]}
}

// answered counts the answer of a node as things are.
func (w *Worker) answered(x answer, position int) {
	w.before.count(x, 1)
	if x == 0 && position < w.firstFit {
		w.firstFit = position
	}
}

// incumbent is the best candidate that any worker has found so far. All workers
// prune by it. The result does not depend on which worker sees it when: a
// pruned node is worse than a real candidate, so it is not the answer.
type incumbent struct {
	lock    sync.Mutex
	best    NodeScore
	version atomic.Int64 // how often best has changed
}

func (in *incumbent) reset() {
	in.best = NodeScore{Position: -1}
	in.version.Store(0)
}

// share updates the incumbent with the worker's best candidate, and the other
// way round.
func (w *Worker) share() {
	in := w.incumbent
	if w.Best.Position == w.sharedPosition && w.seenVersion == in.version.Load() {
		return
	}
	in.lock.Lock()
	defer in.lock.Unlock()
	if w.rules.Better(&w.Best, &in.best) {
		in.best = w.Best
		in.version.Add(1)
	}
	w.keep(in.best)
	w.sharedPosition, w.seenVersion = w.Best.Position, in.version.Load()
}

// keep records a candidate if it is the best so far.
func (w *Worker) keep(f NodeScore) {
	if !w.rules.Better(&f, &w.Best) {
		return
	}
	w.Best, w.allowed = f, math.MaxInt64
	if each := int64(f.Top) + rank.PriorityShift; each > 0 {
		w.allowed = f.Sum / each
	}
}

// rulesMemory is the memory of a reprieve by other rules.
type rulesMemory struct {
	// end lists the end of the order by place, the least important first.
	end []int
	// broken has by index which pods violate a budget; it is empty if none does.
	broken []bool
}

// blockedPod is a pod of a node, by index, that could not be put back, with what the
// preemptor was short of then.
type blockedPod struct {
	index int32
	by    answer
}

// releaseScratch drops what the candidate refers to.
func (w *Worker) releaseScratch() {
	victims := w.scratch.Victims[:cap(w.scratch.Victims)]
	clear(victims)
	w.scratch = preemption.Candidate{Victims: victims[:0]}
}
