package preemption

import (
	"context"
	"math"

	"github.com/outrank-go/outrank/preemption/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/internal/rank"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// mostTries is how many nodes may be evaluated because they look as good as the best
// ones so far. A good incumbent saves the look at many others, but where bounds say
// little they would be evaluated in vain.
const mostTries = 32

// considerChunk considers the candidates of a chunk.
func (w *searchWorker) considerChunk(from, to int) {
	for position := from; position < to; position++ {
		if b := &w.bounds[position]; b.kind != settled {
			slot := w.Snap.Order[position]
			w.consider(b, position, slot, w.Snap.Summaries.At(slot))
		}
	}
}

// consider evaluates a candidate if its optimistic score is the best that the worker
// has seen, and keeps it in mind unless it is pruned.
func (w *searchWorker) consider(b *nodeBound, position int, slot int32, sum *state.NodeSummary) {
	if w.outdone(slot) || w.canWait(b, position, slot, sum) {
		return
	}
	// Scores are written in place, because copying one takes longer than what is found out.
	o, promising := &w.lowScore, false
	o.position = -1
	if !w.topLast || b.bound == sum.Lowest {
		b.setLowest(o, position)
		w.boundCost(o, b, slot, sum, b.bound == sum.Lowest)
		if promising = w.better(o, &w.best); promising {
			w.tighten(b, slot)
			promising = w.stillBetter(o, b, slot, sum)
		}
		if promising && w.topLast && w.tightenByShares(b, slot, sum) {
			promising = w.stillBetter(o, b, slot, sum)
		}
	}
	if e := w.extremesFor(slot); e != nil && w.goesHigh(b, sum, e) {
		upper := &w.highScore
		w.setUpper(upper, b, position, slot, sum, e, w.fewestOfAny(e, sum))
		if w.better(upper, o) {
			o, promising = upper, w.better(upper, &w.best)
		}
	}
	if !promising {
		return
	}
	first := w.leadingOf(o)
	switch {
	case w.least.position < 0 || w.tries < mostTries && w.noWorse(o, &w.least):
		w.least, w.leastFirst = *o, first
		w.tries++
		w.evaluateAt(position)
		w.noteBestFirst()
	case first.worse(&w.leastFirst):
		w.putOff(&first, position)
	default:
		w.promising = append(w.promising, *o)
	}
}

// stillBetter brings the best score of victims that all have the lowest priority up to date,
// and reports whether it beats the incumbent.
func (w *searchWorker) stillBetter(o *nodeScore, b *nodeBound, slot int32, sum *state.NodeSummary) bool {
	b.setVictims(o)
	w.boundStart(o, b, slot, sum)
	w.boundCost(o, b, slot, sum, b.bound == sum.Lowest)
	return w.better(o, &w.best)
}

// canWait reports that a candidate loses by the first ranks against the best optimistic
// score that the worker has seen. It is looked at again if that came to nothing.
func (w *searchWorker) canWait(b *nodeBound, position int, slot int32, sum *state.NodeSummary) bool {
	if w.least.position < 0 {
		return false
	}
	first := w.firstFigures(b, slot, sum, &w.leastFirst)
	if !first.worse(&w.leastFirst) {
		return false
	}
	if !first.worse(&w.bestFirst) {
		w.putOff(&first, position)
	}
	return true
}

// firstFigures bounds the first figures of a node, as far as has to be known to tell whether
// they are worse than others.
func (w *searchWorker) firstFigures(b *nodeBound, slot int32, sum *state.NodeSummary, than *leading) leading {
	first := leading{math.MaxInt64, unknown}
	if !w.topLast || b.bound == sum.Lowest {
		first.first = b.leads(w.firstFigure)
		if first.first < than.first || first.first == than.first && w.secondFigure == rank.NoFigure {
			return first
		}
	}
	few := int32(0)
	if e := w.extremesFor(slot); e != nil && w.goesHigh(b, sum, e) {
		few = w.fewestOfAny(e, sum)
		first.first = min(first.first, w.upperFigure(w.firstFigure, b, sum, few))
	}
	if first.first == than.first && w.secondFigure != rank.NoFigure {
		first.second = w.rough(w.secondFigure, b, sum, few)
	}
	return first
}

// putOff notes that a candidate is to be looked at again. A sample does not try every node,
// so that it needs a list.
func (w *searchWorker) putOff(first *leading, position int) {
	if w.leastDeferred.worse(first) {
		w.leastDeferred = *first
	}
	if w.Config.Sample != nil {
		w.deferred = append(w.deferred, int32(position))
	}
}

// noWorse reports whether a score is not worse than another by the ranks alone.
func (s *search) noWorse(f, g *nodeScore) bool {
	at := g.position
	g.position = f.position
	worse := s.better(g, f)
	g.position = at
	return !worse
}

// evaluateBestFirst evaluates the nodes whose optimistic score is better than the
// incumbent's, the best first.
func (s *search) evaluateBestFirst(ctx context.Context) error {
	w := s.workers[0]
	queue := promising{search: s, nodes: s.queue[:0]}
	for _, of := range s.workers {
		for i := range of.promising {
			if o := &of.promising[i]; w.better(o, &w.best) {
				queue.nodes = append(queue.nodes, *o)
			}
		}
	}
	if err := s.evaluateQueued(ctx, &queue); err != nil {
		return err
	}
	if s.losesPutOff() {
		return nil
	}
	queue.nodes = s.queue[:0]
	if s.Config.Sample != nil {
		for _, position := range w.deferred {
			w.lookAgain(&queue, int(position))
		}
	} else {
		for position := range s.bounds {
			w.lookAgain(&queue, position)
		}
	}
	return s.evaluateQueued(ctx, &queue)
}

// losesPutOff reports that all nodes that were put off lose against the incumbent.
func (s *search) losesPutOff() bool {
	least := worst
	for _, w := range s.workers {
		if least.worse(&w.leastDeferred) {
			least = w.leastDeferred
		}
	}
	w := s.workers[0]
	w.noteBestFirst()
	return least == worst || least.worse(&w.bestFirst)
}

// noteBestFirst notes the first figures of the best candidate, by which others lose if
// its violations do not count before.
func (w *searchWorker) noteBestFirst() {
	if w.decides(&w.best) {
		w.bestFirst = w.leadingOf(&w.best)
	}
}

// lookAgain queues a node unless it has been evaluated or loses against the incumbent.
func (w *searchWorker) lookAgain(queue *promising, position int) {
	b, slot := &w.bounds[position], w.Snap.Order[position]
	if b.kind == settled {
		return
	}
	sum := w.Snap.Summaries.At(slot)
	if first := w.firstFigures(b, slot, sum, &w.bestFirst); first.worse(&w.bestFirst) {
		return
	}
	w.tighten(b, slot)
	w.tightenByShares(b, slot, sum)
	if o := w.optimistic(b, position, slot); w.better(&o, &w.best) {
		queue.nodes = append(queue.nodes, o)
	}
}

// evaluateQueued evaluates the nodes of a queue that is not ordered yet.
func (s *search) evaluateQueued(ctx context.Context, queue *promising) error {
	w := s.workers[0]
	s.queue = queue.nodes
	queue.order()
	for tries := 0; len(queue.nodes) > 0; tries++ {
		if tries%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !w.better(&queue.nodes[0], &w.best) {
			return nil
		}
		w.evaluateAt(queue.nodes[0].position)
		queue.dropFirst()
	}
	return nil
}

// evaluateAt finds the victims on the node at a position.
func (w *searchWorker) evaluateAt(position int) {
	b := &w.bounds[position]
	w.findVictims(position, w.nodeAt(position), b)
	b.kind = settled
}

// promising is a heap of nodes by their optimistic scores, the best first.
type promising struct {
	*search
	nodes []nodeScore
}

func (q *promising) order() {
	for i := len(q.nodes)/2 - 1; i >= 0; i-- {
		q.sink(i)
	}
}

func (q *promising) sink(i int) {
	for {
		best := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(q.nodes); child++ {
			if q.better(&q.nodes[child], &q.nodes[best]) {
				best = child
			}
		}
		if best == i {
			return
		}
		q.nodes[i], q.nodes[best] = q.nodes[best], q.nodes[i]
		i = best
	}
}

func (q *promising) dropFirst() {
	last := len(q.nodes) - 1
	q.nodes[0] = q.nodes[last]
	q.nodes = q.nodes[:last]
	q.sink(0)
}

func (q *promising) push(o nodeScore) {
	q.nodes = append(q.nodes, o)
	for i := len(q.nodes) - 1; i > 0; {
		parent := (i - 1) / 2
		if !q.better(&q.nodes[i], &q.nodes[parent]) {
			return
		}
		q.nodes[i], q.nodes[parent] = q.nodes[parent], q.nodes[i]
		i = parent
	}
}
