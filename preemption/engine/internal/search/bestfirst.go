package search

import (
	"context"

	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// evaluateBestFirst evaluates first the nodes that the workers have kept in mind, then those that they have
// put off, each group in the order of the optimistic scores. It skips nodes whose optimistic score does not
// beat the incumbent, because no candidate on them does.
func (s *Search) evaluateBestFirst(ctx context.Context) error {
	queue := promising{rules: &s.Asked.Rules, nodes: s.queue[:0]}
	s.queuePromising(&queue)
	if err := s.evaluateQueued(ctx, &queue); err != nil {
		return err
	}

	if s.losesPutOff() {
		return nil
	}
	queue.nodes = s.queue[:0]
	s.queuePutOff(&queue)
	return s.evaluateQueued(ctx, &queue)
}

// queuePromising queues the nodes that workers have kept in mind.
func (s *Search) queuePromising(queue *promising) {
	best := &s.Workers[0].Best
	for _, w := range s.Workers {
		kept := w.outlook.promising
		for i := range kept {
			if queue.rules.Better(&kept[i], best) {
				queue.nodes = append(queue.nodes, kept[i])
			}
		}
	}
}

// losesPutOff reports whether all nodes that were put off lose against the incumbent by their leading
// figures.
func (s *Search) losesPutOff() bool {
	least := worst
	for _, w := range s.Workers {
		if least.Worse(&w.outlook.leastDeferred) {
			least = w.outlook.leastDeferred
		}
	}

	w := s.Workers[0]
	w.noteBestLeading()
	return least == worst || least.Worse(&w.outlook.bestLeading)
}

// queuePutOff queues the nodes that were put off and may still win. Only for a sample is there a list of
// them. Otherwise all nodes are looked at, and those that lost before lose again.
func (s *Search) queuePutOff(queue *promising) {
	w := s.Workers[0]
	if w.terms.Sample == nil {
		for position := range s.Bounds {
			w.lookAgain(queue, position)
		}
		return
	}
	for _, position := range w.outlook.deferred {
		w.lookAgain(queue, int(position))
	}
}

// lookAgain queues a node unless it has been evaluated or loses against the incumbent.
func (w *Worker) lookAgain(queue *promising, position int) {
	b, slot := &w.bounds[position], w.snap.Order[position]
	if b.Kind == Settled {
		return
	}

	// Most nodes lose by their leading figures, which take less time than the score.
	best := &w.outlook.bestLeading
	p := prospect{position, slot, w.sums.At(slot), b}
	if bound := w.BoundLeading(p, best); bound.Worse(best) {
		return
	}

	w.Tighten(b, slot)
	if score := w.Optimistic(b, position, slot); w.rules.Better(&score, &w.Best) {
		queue.nodes = append(queue.nodes, score)
	}
}

// evaluateQueued orders a queue and evaluates its nodes. It ends with the first that does not beat the
// incumbent, because those behind it are no better.
func (s *Search) evaluateQueued(ctx context.Context, queue *promising) error {
	w := s.Workers[0]
	s.queue = queue.nodes // later queues reuse its memory
	queue.order()
	for tries := 0; len(queue.nodes) > 0; tries++ {
		if tries%dryrun.ChunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}

		best := &queue.nodes[0]
		if !w.rules.Better(best, &w.Best) {
			return nil
		}
		w.evaluateAt(best.Position)
		queue.dropFirst()
	}
	return nil
}
