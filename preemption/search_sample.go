package preemption

import "context"

// filterNodes finds for a chunk of the nodes only whether they take the preemptor,
// and on which of the others preemption is to be tried.
func (w *searchWorker) filterNodes(from, to int) {
	plain := !w.filtered && !w.selects
	for position := from; position < to; position++ {
		b, slot := &w.bounds[position], w.snap.order[position]
		*b = nodeBound{}
		if sum := w.snap.summaries.at(slot); plain && sum.flags == 0 {
			w.filterByResources(b, slot, sum)
		} else if st := w.dry.filter(w.snap.nodes[slot]); st.code != Success {
			b.before = w.before.intern(st)
			if st.code == Unschedulable {
				b.kind = toTry
			}
		}
		w.before.count(b.before, 1)
	}
}

// filterByResources is filterNodes for a node on which resources alone decide. What
// the least important pods hold mostly shows that the node is large enough.
func (w *searchWorker) filterByResources(b *nodeBound, slot int32, sum *nodeSummary) {
	if b.before = w.shortage(sum); b.before == 0 {
		return
	}
	b.kind = toTry
	if w.covers(sum, &sum.low, int32(sum.lowPods)) {
		return
	}
	offers := &w.snap.nodes[slot].offers.std
	for k := range w.asks {
		if w.asks[k] > offers[k] {
			b.before |= unresolvable
			b.kind = settled
		}
	}
}

// trySample tries the nodes where preemption may help, from the offset on, until
// enough candidates are found, one of them free of violations (group 10.1). Only
// those that may violate a budget are evaluated for that.
func (s *search) trySample(ctx context.Context) error {
	nodes := s.positions[:0]
	for position := range s.bounds {
		if s.bounds[position].kind == toTry {
			nodes = append(nodes, int32(position))
		}
	}
	s.positions = nodes
	if len(nodes) == 0 {
		return nil
	}
	sample := s.config.Sample
	start, enough := sample.start(len(nodes), s.pod.Key()), sample.enough(len(nodes))
	w, violating, free := s.workers[0], 0, 0
	for i := range nodes {
		if i%chunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		switch w.tryForSample(int(nodes[(start+i)%len(nodes)]), violating < enough) {
		case freeCandidate:
			free++
		case violatingCandidate:
			violating++
		}
		if free > 0 && free+violating >= enough {
			return nil
		}
	}
	return nil
}

// sampled is what a node is for a sample.
type sampled uint8

const (
	noCandidate sampled = iota
	freeCandidate
	violatingCandidate
)

// tryForSample tries a node. A candidate that violates a budget counts only if there
// is room for it.
func (w *searchWorker) tryForSample(position int, room bool) sampled {
	slot := w.snap.order[position]
	b, sum := &w.bounds[position], w.snap.summaries.at(slot)
	best := w.best
	w.best = nodeScore{position: -1} // so that nothing is pruned
	w.tryNode(b, position, slot)
	found := w.best
	w.best = best
	if b.kind != settled {
		if w.freeOfViolations(b, slot, sum) {
			w.consider(b, position, slot, sum)
			return freeCandidate
		}
		found = w.scoreOfNode(b, position)
	}
	switch {
	case found.position < 0:
		return noCandidate
	case found.violations == 0:
		w.keep(found)
		return freeCandidate
	case room:
		w.keep(found)
		return violatingCandidate
	}
	return noCandidate
}

// freeOfViolations reports that no victim on a candidate violates a budget. That is
// so where all victims are of the lowest priority because those that violate none are
// enough, and where no pod of that priority can violate any.
func (w *searchWorker) freeOfViolations(b *nodeBound, slot int32, sum *nodeSummary) bool {
	if w.config.Policy.EmptySelectors || b.bound != sum.lowest {
		return false
	}
	e := w.snap.summaries.extremesAt(slot)
	if w.config.Policy.Victims == Ascending {
		return b.kind == byResources && !w.asked && !w.reordered && !w.mayViolate(e)
	}
	return w.staysLow(b, sum, e)
}

// scoreOfNode evaluates a node, and returns its score; position is below 0 where it
// is no candidate.
func (w *searchWorker) scoreOfNode(b *nodeBound, position int) nodeScore {
	best, allowed := w.best, w.allowed
	w.best = nodeScore{position: -1}
	w.evaluateAt(position)
	found := w.best
	w.best, w.allowed = best, allowed
	return found
}
