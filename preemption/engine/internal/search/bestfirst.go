package search

import (
	"context"
	"math"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// mostTries is how many nodes may be evaluated because they look as good as the best
// ones so far. A good incumbent saves the look at many others, but where bounds say
// little they would be evaluated in vain.
const mostTries = 32

// considerChunk considers the candidates of a chunk.
func (w *Worker) considerChunk(from, to int) {
	for position := from; position < to; position++ {
		if b := &w.bounds[position]; b.Kind != Settled {
			slot := w.snap.Order[position]
			w.consider(nodeAt{position, slot, w.sums.At(slot), b})
		}
	}
}

// consider evaluates a candidate if its optimistic score is the best that the worker
// has seen, and keeps it in mind unless it is pruned.
func (w *Worker) consider(at nodeAt) {
	b, position, slot, sum := at.b, at.position, at.slot, at.sum
	if w.outdone(slot) {
		return
	}
	if w.rules.order == callersOrder && !w.rules.chosen && b.Kind == byResources {
		w.tryNow(at)
		return
	}
	if w.canWait(at) {
		return
	}
	// Scores are written in place, because copying one takes longer than what is found out.
	o, promising := &w.outlook.low, false
	o.Position = -1
	if !w.rules.topLast || b.Bound == sum.Lowest {
		b.setLowest(o, position)
		w.boundCost(o, at, b.Bound == sum.Lowest)
		if promising = w.rules.Better(o, &w.Best); promising {
			w.Tighten(b, slot)
			promising = w.stillBetter(o, at)
		}
	}
	if e := w.extremesFor(slot); e != nil && w.goesHigh(b, sum, e) {
		upper := &w.outlook.high
		w.setUpper(upper, at, e)
		if w.rules.Better(upper, o) {
			o, promising = upper, w.rules.Better(upper, &w.Best)
		}
	}
	if !promising {
		return
	}
	first := w.rules.LeadingOf(o)
	switch {
	case w.outlook.least.Position < 0 || w.outlook.tries < mostTries && w.rules.noWorse(o, &w.outlook.least):
		w.outlook.least, w.outlook.leastFirst = *o, first
		w.outlook.tries++
		w.evaluateAt(position)
		w.noteBestFirst()
	case first.Worse(&w.outlook.leastFirst):
		w.putOff(&first, position)
	default:
		w.outlook.promising = append(w.outlook.promising, *o)
	}
}

// tryNow evaluates a candidate unless it loses by the first ranks. In the caller's order any
// pod can be the first victim, so that only the number of victims bounds much, and the end of the
// order is found sooner than a better bound.
func (w *Worker) tryNow(at nodeAt) {
	switch verdict := w.compareEnd(at.position, at.slot, at.sum); {
	case verdict == endLoses || verdict == endUnknown && w.losesByFirst(at.b, at.slot, at.sum):
		return
	}
	w.evaluateAt(at.position)
	w.noteBestFirst()
}

// losesByFirst reports that a candidate loses by bounds of the first ranks.
func (w *Worker) losesByFirst(b *NodeBound, slot int32, sum *state.NodeSummary) bool {
	if b.Bound == sum.Lowest {
		b.fewest = max(b.fewest, uint16(sum.Fewest(&w.need.asks)))
	}
	first := w.FirstFigures(b, slot, sum, &w.outlook.bestFirst)
	if !first.Worse(&w.outlook.bestFirst) {
		first = w.firstOfAny(slot, sum)
	}
	return first.Worse(&w.outlook.bestFirst)
}

// firstOfAny bounds the first figures of a node by the number of victims that the sums of shares
// allow, each of which has the lowest priority of the node at least.
func (w *Worker) firstOfAny(slot int32, sum *state.NodeSummary) leading {
	e, short := w.sums.ExtremesAt(slot), w.short(sum)
	few := w.sums.ShareSumsAt(slot).Fewest(&short, e, w.fewestOfAny(e, sum))
	o := NodeScore{Figures: rank.Figures{Top: sum.Lowest, Victims: few, Sum: upperSum(sum, sum.Lowest, few)}}
	return w.rules.LeadingOf(&o)
}

// stillBetter brings the best score of victims that all have the lowest priority up to date,
// and reports whether it beats the incumbent.
func (w *Worker) stillBetter(o *NodeScore, at nodeAt) bool {
	at.b.setVictims(o)
	w.boundStart(o, at)
	w.boundCost(o, at, at.b.Bound == at.sum.Lowest)
	return w.rules.Better(o, &w.Best)
}

// canWait reports that a candidate loses by the first ranks against the best optimistic
// score that the worker has seen. It is looked at again if that came to nothing.
func (w *Worker) canWait(at nodeAt) bool {
	if w.outlook.least.Position < 0 {
		return false
	}
	first := w.FirstFigures(at.b, at.slot, at.sum, &w.outlook.leastFirst)
	if !first.Worse(&w.outlook.leastFirst) {
		return false
	}
	if !first.Worse(&w.outlook.bestFirst) {
		w.putOff(&first, at.position)
	}
	return true
}

// FirstFigures bounds the first figures of a node, as far as has to be known to tell whether
// they are worse than others.
func (w *Worker) FirstFigures(b *NodeBound, slot int32, sum *state.NodeSummary, than *leading) leading {
	first := leading{math.MaxInt64, unknown}
	if !w.rules.topLast || b.Bound == sum.Lowest {
		first.first = b.leads(w.rules.firstFigure)
		if first.first < than.first || first.first == than.first && w.rules.secondFigure == rank.NoFigure {
			return first
		}
	}
	few := int32(0)
	if e := w.extremesFor(slot); e != nil && w.goesHigh(b, sum, e) {
		few = w.fewestOfAny(e, sum)
		first.first = min(first.first, w.upperFigure(w.rules.firstFigure, b, sum, few))
	}
	if first.first == than.first && w.rules.secondFigure != rank.NoFigure {
		first.second = w.rough(w.rules.secondFigure, b, sum, few)
	}
	return first
}

// putOff notes that a candidate is to be looked at again. A sample does not try every node,
// so that it needs a list.
func (w *Worker) putOff(first *leading, position int) {
	if w.outlook.leastDeferred.Worse(first) {
		w.outlook.leastDeferred = *first
	}
	if w.terms.Sample != nil {
		w.outlook.deferred = append(w.outlook.deferred, int32(position))
	}
}

// evaluateBestFirst evaluates the nodes whose optimistic score is better than the
// incumbent's, the best first.
func (s *Search) evaluateBestFirst(ctx context.Context) error {
	w := s.Workers[0]
	queue := promising{rules: w.rules, nodes: s.queue[:0]}
	for _, of := range s.Workers {
		for i := range of.outlook.promising {
			if o := &of.outlook.promising[i]; w.rules.Better(o, &w.Best) {
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
	if w.terms.Sample != nil {
		for _, position := range w.outlook.deferred {
			w.lookAgain(&queue, int(position))
		}
	} else {
		for position := range s.Bounds {
			w.lookAgain(&queue, position)
		}
	}
	return s.evaluateQueued(ctx, &queue)
}

// losesPutOff reports that all nodes that were put off lose against the incumbent.
func (s *Search) losesPutOff() bool {
	least := worst
	for _, w := range s.Workers {
		if least.Worse(&w.outlook.leastDeferred) {
			least = w.outlook.leastDeferred
		}
	}
	w := s.Workers[0]
	w.noteBestFirst()
	return least == worst || least.Worse(&w.outlook.bestFirst)
}

// noteBestFirst notes the first figures of the best candidate, by which others lose if
// its violations do not count before.
func (w *Worker) noteBestFirst() {
	if w.rules.decides(&w.Best) {
		w.outlook.bestFirst = w.rules.LeadingOf(&w.Best)
	}
}

// lookAgain queues a node unless it has been evaluated or loses against the incumbent.
func (w *Worker) lookAgain(queue *promising, position int) {
	b, slot := &w.bounds[position], w.snap.Order[position]
	if b.Kind == Settled {
		return
	}
	sum := w.sums.At(slot)
	if first := w.FirstFigures(b, slot, sum, &w.outlook.bestFirst); first.Worse(&w.outlook.bestFirst) {
		return
	}
	w.Tighten(b, slot)
	if o := w.Optimistic(b, position, slot); w.rules.Better(&o, &w.Best) {
		queue.nodes = append(queue.nodes, o)
	}
}

// evaluateQueued evaluates the nodes of a queue that is not ordered yet.
func (s *Search) evaluateQueued(ctx context.Context, queue *promising) error {
	w := s.Workers[0]
	s.queue = queue.nodes
	queue.order()
	for tries := 0; len(queue.nodes) > 0; tries++ {
		if tries%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !w.rules.Better(&queue.nodes[0], &w.Best) {
			return nil
		}
		w.evaluateAt(queue.nodes[0].Position)
		queue.dropFirst()
	}
	return nil
}

// evaluateAt finds the victims on the node at a position.
func (w *Worker) evaluateAt(position int) {
	b := &w.bounds[position]
	w.FindVictims(position, w.NodeAt(position), b)
	b.Kind = Settled
}

// promising is a heap of nodes by their optimistic scores, the best first.
type promising struct {
	rules *searchRules
	nodes []NodeScore
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
			if q.rules.Better(&q.nodes[child], &q.nodes[best]) {
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

func (q *promising) push(o NodeScore) {
	q.nodes = append(q.nodes, o)
	for i := len(q.nodes) - 1; i > 0; {
		parent := (i - 1) / 2
		if !q.rules.Better(&q.nodes[i], &q.nodes[parent]) {
			return
		}
		q.nodes[i], q.nodes[parent] = q.nodes[parent], q.nodes[i]
		i = parent
	}
}
