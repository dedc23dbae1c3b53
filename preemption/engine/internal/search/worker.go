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

// Worker is one worker of a search, with what it has found. One goroutine uses it at a time. It has no
// reference to the search, only to the parts of the question that it reads and the bounds that it writes.
type Worker struct {
	questionParts
	sharedParts
	Dry dryrun.DryRunner

	heardAnswers
	// leastSpan is the best bound of a span that the worker has seen.
	leastSpan spanBound
	ownBest
	// outlook is used in searches by other rules than the default ones.
	outlook outlook

	nodeMemory
	candidateMemory
}

// questionParts has the parts of the question that a worker reads. Workers share them, and they do not change
// while a round runs.
type questionParts struct {
	attempt  *dryrun.Attempt
	asked    *filters.Question // attempt.Asked
	terms    *dryrun.Terms
	plan     *filters.Plan
	rules    *searchRules
	need     *need
	tables   *callerTables
	statuses *givenStatuses
	snap     *state.Snapshot
	sums     *state.Summaries
}

// sharedParts has the parts of a search that its workers write. No two workers write the same element of a
// slice; the incumbent has a lock.
type sharedParts struct {
	// bounds has the bounds of the nodes by position, and blocks the bounds of spans.
	bounds []NodeBound
	blocks *blockPass
	// marked says, by position, on which nodes preemption is to be tried.
	marked []bool
	// incumbent is the best candidate that the workers share.
	incumbent *incumbent
}

// heardAnswers has the answers that a worker has counted.
type heardAnswers struct {
	// before counts nodes by their answers with all pods in place, and after by their answers with the
	// possible victims removed.
	before, after answers
	// fitsSomewhere is set once a node takes the preemptor, because no candidate is wanted then.
	fitsSomewhere bool
	// firstFit is the least position of a node that takes the preemptor, among the nodes that the worker has
	// asked; math.MaxInt if there is none.
	firstFit int
	// given is the answer for the last status that the caller gave.
	given givenAnswer
	// work counts what the search has done; see partOfWork.
	work int
}

// ownBest has the best candidate that a worker knows, and what follows from it.
type ownBest struct {
	// Best is the score of the best candidate. Its position is below 0 as long as there is none.
	Best NodeScore
	// sharedPosition is the position of Best when the worker last compared it with the incumbent, and
	// seenVersion the version of the incumbent at that time.
	sharedPosition int
	seenVersion    int64
	// allowed is the largest number of victims, all of the best candidate's top priority, whose sum of
	// priorities does not exceed the best candidate's.
	allowed int64
}

// nodeMemory has what a worker finds out about the current node. Its memory is reused for the next.
type nodeMemory struct {
	// violates has the indexes of the possible victims that violate a budget.
	violates []int32
	// concerned marks pods that concern a filter (see findConcerned).
	concerned []bool
	// columns has the columns of the node that was bounded or evaluated by columns last. The reprieve
	// respects them while counting is set.
	columns  filters.Columns
	counting bool
	// unbroken is set if the victims were found by resources alone, and no pod up to the bound of the node
	// violates a budget.
	unbroken bool
	// settled is set if the node was evaluated as a part of bounding it.
	settled bool
	memory  rulesMemory // memory of evaluateByRules
}

// candidateMemory has the candidate that a worker found last.
type candidateMemory struct {
	scratch preemption.Candidate
	// failure is the status of the node if it is no candidate.
	failure filters.Status
	// blocked lists the pods that could not be put back. It is written only while recording is set.
	blocked   []blockedPod
	recording bool
}

// begin prepares a worker for a search.
func (w *Worker) begin(s *Search) {
	q := &s.Asked
	w.questionParts = questionParts{
		attempt: &q.Attempt, asked: &q.Attempt.Asked, terms: q.terms, plan: q.plan, rules: &q.Rules, need: &q.need,
		tables: &q.tables, statuses: &q.given, snap: q.snap, sums: q.sums,
	}
	w.sharedParts = sharedParts{bounds: s.Bounds, blocks: &s.blocks, marked: s.tries.marked, incumbent: &s.incumbent}

	w.Reset()
	w.Dry.Begin(w.attempt)
}

// release drops all references to the caller's data.
func (w *Worker) release() {
	w.Dry.Release()
	w.questionParts = questionParts{}

	w.before.release()
	w.after.release()
	w.given = givenAnswer{}

	w.columns.Release()
	w.releaseScratch()
}

// NodeAt returns the node at a position.
func (w *Worker) NodeAt(position int) *state.NodeState {
	return w.snap.NodeStates[w.snap.Order[position]]
}

// statusOf returns the status of an answer below firstOther.
func (w *Worker) statusOf(x answer) filters.Status { return statusOf(w.asked.Needs, x) }

// Reset discards everything that the worker has found.
func (w *Worker) Reset() {
	w.forgetAnswers()
	w.fitsSomewhere, w.firstFit = false, math.MaxInt
	w.given = givenAnswer{}
	w.work = 0

	w.leastSpan = noCandidates
	w.ownBest = ownBest{Best: NodeScore{Position: -1}, sharedPosition: -1, allowed: math.MaxInt64}
	w.outlook.reset()
}

// reset empties the outlook, and keeps the memory of the lists.
func (o *outlook) reset() {
	o.least, o.tries = NodeScore{Position: -1}, 0
	o.promising = o.promising[:0]
	o.deferred = o.deferred[:0]
	o.bestLeading, o.leastDeferred = worst, worst
}

// forgetAnswers discards the counted answers.
func (w *Worker) forgetAnswers() {
	w.before = answers{others: w.before.others[:0]}
	w.after = answers{others: w.after.others[:0]}
}

// answered counts the answer of a node with all pods in place.
func (w *Worker) answered(x answer, position int) {
	w.before.count(x, 1)
	if x == 0 && position < w.firstFit {
		w.firstFit = position
	}
}

// incumbent is the best candidate that any worker has found so far. All workers prune by it. The result does
// not depend on when a worker sees it: a pruned node is worse than a real candidate, so that it cannot be the
// answer.
type incumbent struct {
	lock    sync.Mutex
	best    NodeScore
	version atomic.Int64 // number of changes of best
}

func (in *incumbent) reset() {
	in.best = NodeScore{Position: -1}
	in.version.Store(0)
}

// share updates the incumbent from the worker's best candidate, and the worker's best from the incumbent.
func (w *Worker) share() {
	// If neither side has changed, the comparison would give the same result. That can be seen without the
	// lock.
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

// keep stores a candidate if it is the best so far.
func (w *Worker) keep(f NodeScore) {
	if !w.rules.Better(&f, &w.Best) {
		return
	}
	w.Best, w.allowed = f, math.MaxInt64

	// A victim of the least possible priority adds nothing to the sum (rule 11.4), so that any number of them
	// is allowed.
	if each := int64(f.Top) + rank.PriorityShift; each > 0 {
		w.allowed = f.Sum / each
	}
}

// rulesMemory is the memory of a rulesReprieve.
type rulesMemory struct {
	// end lists the places of the pods in the end of the order, the least important first.
	end []int
	// broken says, by index, which pods violate a budget. It is empty if none does.
	broken []bool
}

// blockedPod is a pod that could not be put back, by its index on the node, and by what the preemptor would
// have been short of.
type blockedPod struct {
	index int32
	by    answer
}

// releaseScratch drops all references from the candidate, and keeps the memory of its victims.
func (w *Worker) releaseScratch() {
	victims := w.scratch.Victims[:cap(w.scratch.Victims)]
	clear(victims)
	w.scratch = preemption.Candidate{Victims: victims[:0]}
}
