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

// Worker is one worker of a search with what it has found. One goroutine uses it at a time. It
// knows no search: it is given the parts of the question that it reads and the bounds that it writes.
type Worker struct {
	questionParts
	sharedParts
	Dry dryrun.DryRunner

	heardAnswers
	// leastSpan is the best bound of a span that the worker has seen.
	leastSpan spanBound
	ownBest
	// outlook serves the searches by other rules than the default ones.
	outlook outlook

	nodeMemory
	candidateMemory
}

// questionParts are the parts of the question that a worker reads. Workers share them, and nobody
// changes them while a round runs.
type questionParts struct {
	attempt  *dryrun.Attempt
	asked    *filters.Question // that of the attempt
	terms    *dryrun.Terms
	plan     *filters.Plan
	rules    *searchRules
	need     *need
	tables   *callerTables
	statuses *givenStatuses
	snap     *state.Snapshot
	sums     *state.Summaries
}

// sharedParts are the parts of a search that its workers write. No two of them write the same
// element of a slice; the incumbent has a lock.
type sharedParts struct {
	// bounds are the bounds of the nodes by position, and blocks has those of spans.
	bounds []NodeBound
	blocks *blockPass
	// marked says by position on which nodes preemption is to be tried.
	marked []bool
	// incumbent is what the workers compare their best candidates with.
	incumbent *incumbent
}

// heardAnswers is what nodes have answered to a worker.
type heardAnswers struct {
	// before counts nodes by their answers as things are, and after by their answers with the
	// possible victims removed.
	before, after answers
	// fitsSomewhere is set once a node takes the preemptor, so that no candidate is wanted.
	fitsSomewhere bool
	// firstFit is the first position of a node that takes the preemptor, among the nodes that the
	// worker has asked; math.MaxInt without one.
	firstFit int
	// given is the answer that stands for the last status which the caller gave.
	given givenAnswer
}

// ownBest is the best candidate that a worker knows, and what follows from it.
type ownBest struct {
	// Best is the best candidate. Its position is below 0 as long as there is none.
	Best NodeScore
	// sharedPosition is the position of the candidate that the worker last compared with the
	// incumbent, and seenVersion the version of the incumbent at that time.
	sharedPosition int
	seenVersion    int64
	// allowed is the largest number of victims, all of the best candidate's top
	// priority, whose sum of priorities does not exceed the best one's.
	allowed int64
}

// nodeMemory is what a worker finds out about the node at hand. The memory is used again for the next.
type nodeMemory struct {
	// violates lists the possible victims that violate a budget, by index.
	violates []int32
	// concerned marks pods that concern a filter (see findConcerned).
	concerned []bool
	// columns are those of the node that was entered last. The reprieve counts them while
	// counting is set.
	columns  filters.Columns
	counting bool
	// unbroken is set if the victims were sought by resources, and no pod up to the bound of the
	// node violates a budget.
	unbroken bool
	// settled is set once a node has been evaluated while it was bounded.
	settled bool
	memory  rulesMemory // of evaluateByRules
}

// candidateMemory is the candidate that a worker found last.
type candidateMemory struct {
	scratch preemption.Candidate
	// failure is the status of the node where there is no candidate.
	failure filters.Status
	// blocked lists the pods that could not be put back. It is written while recording is set.
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

// release drops everything that belongs to the caller.
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

// statusOf returns the status that an answer of the usual ones stands for.
func (w *Worker) statusOf(x answer) filters.Status { return statusOf(w.asked.Needs, x) }

// Reset forgets what the worker has found.
func (w *Worker) Reset() {
	w.forgetAnswers()
	w.fitsSomewhere, w.firstFit = false, math.MaxInt
	w.given = givenAnswer{}

	w.leastSpan = noCandidates
	w.ownBest = ownBest{Best: NodeScore{Position: -1}, sharedPosition: -1, allowed: math.MaxInt64}
	w.outlook.reset()
}

// reset forgets what the worker expected. It keeps the memory of the lists.
func (o *outlook) reset() {
	o.least, o.tries = NodeScore{Position: -1}, 0
	o.promising = o.promising[:0]
	o.deferred = o.deferred[:0]
	o.bestLeading, o.leastDeferred = worst, worst
}

// forgetAnswers forgets what nodes have answered.
func (w *Worker) forgetAnswers() {
	w.before = answers{others: w.before.others[:0]}
	w.after = answers{others: w.after.others[:0]}
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
	// Without news on either side the comparison would say what it said before, and no lock is needed
	// to find that out.
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

	// A victim of the lowest priority of all adds nothing to the sum (rule 11.4), so that any number
	// of them ties with it.
	if each := int64(f.Top) + rank.PriorityShift; each > 0 {
		w.allowed = f.Sum / each
	}
}

// rulesMemory is the memory of a reprieve by other rules.
type rulesMemory struct {
	// end lists the places of the end of the order, the least important first.
	end []int
	// broken says by index which pods violate a budget; it is empty if none does.
	broken []bool
}

// blockedPod is a pod of a node, by index, that could not be put back, with what the
// preemptor was short of then.
type blockedPod struct {
	index int32
	by    answer
}

// releaseScratch drops what the candidate refers to. The memory of the victims is kept.
func (w *Worker) releaseScratch() {
	victims := w.scratch.Victims[:cap(w.scratch.Victims)]
	clear(victims)
	w.scratch = preemption.Candidate{Victims: victims[:0]}
}
