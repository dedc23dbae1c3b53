package preemption

import "slices"

// Statuses that the caller gives take the place of what the filters say about the
// nodes as things are. Preemption is then tried on every node with the code
// Unschedulable, whatever the filters say there; only dry runs ask them.

// takeStatuses prepares the round that reads the caller's statuses. The error is
// that of a status for a node that does not exist.
func (s *search) takeStatuses(req *Request) error {
	s.given, s.statuses = true, req.Statuses
	s.refused = filterStatus{} // the caller has gone beyond that
	if !s.knowsAll(req) {
		_, err := req.givenStatuses(s.snap)
		return err
	}
	return nil
}

// knowsAll reports whether all nodes with a status exist.
func (s *search) knowsAll(req *Request) bool {
	found := 0
	for _, slot := range s.snap.order {
		if _, ok := req.Statuses[s.snap.nodes[slot].name]; ok {
			found++
		}
	}
	return found == len(req.Statuses)
}

// noteGiven notes the given statuses of a chunk of the nodes, and on which of them
// preemption is to be tried.
func (w *searchWorker) noteGiven(from, to int) {
	for position := from; position < to; position++ {
		st, ok := w.statuses[w.snap.nodes[w.snap.order[position]].name]
		if !ok {
			st = Status{Code: UnschedulableAndUnresolvable, Reasons: noStatusReasons}
		}
		b := &w.bounds[position]
		*b = nodeBound{before: w.answerGiven(&st)}
		if st.Code == Unschedulable {
			b.kind = toTry
		}
		w.before.count(b.before, 1)
	}
}

// answerGiven returns the answer that stands for a given status. Mostly it is the
// same as for the node before.
func (w *searchWorker) answerGiven(st *Status) answer {
	if st.Code == Success {
		return 0
	}
	last := &w.lastGiven
	if w.lastAnswer == 0 || st.Code != last.Code || st.Filter != last.Filter || st.ExcludedBy != last.ExcludedBy ||
		!slices.Equal(st.Reasons, last.Reasons) {
		w.lastGiven, w.lastAnswer = *st, w.before.intern(filterStatusOf(st))
	}
	return w.lastAnswer
}

// boundTried bounds those nodes of a chunk on which preemption is to be tried, and
// considers them.
func (w *searchWorker) boundTried(from, to int) {
	for position := from; position < to; position++ {
		b := &w.bounds[position]
		if b.kind != toTry {
			continue
		}
		slot := w.snap.order[position]
		w.tryNode(b, position, slot)
		if b.kind != settled {
			w.consider(b, position, slot, w.snap.summaries.at(slot))
		}
	}
}

// tryNode bounds a node on which preemption is to be tried, whatever the filters say
// about it as things are.
func (w *searchWorker) tryNode(b *nodeBound, position int, slot int32) {
	sum := w.snap.summaries.at(slot)
	if sum.flags&^restricted == 0 && !w.filtered && !w.exactly {
		w.boundByResources(b, slot, sum)
	} else {
		*b = nodeBound{}
		w.boundPods(b, position, slot)
	}
	if b.before == 0 {
		// There is room already, so that all pods can be put back.
		w.evaluateByFilters(position, w.snap.nodes[slot])
		b.kind = settled
	}
	w.after.count(b.after, 1)
}
