package preemption

import "slices"

// Statuses that the caller gives take the place of what the filters say about the
// nodes as things are. Preemption is then tried on every node with the code
// Unschedulable, whatever the filters say there; only dry runs ask them.

// takeStatuses prepares the round that reads the caller's statuses.
func (s *search) takeStatuses(req *Request) {
	s.given, s.statuses, s.inOrder = true, req.Statuses, req.StatusesInOrder
	s.refused, s.elsewhere = filterStatus{}, true // the caller has gone beyond that
}

// noteGiven notes the given statuses of a chunk of the nodes, and on which of them
// preemption is to be tried.
func (w *searchWorker) noteGiven(from, to int) {
	for position := from; position < to; position++ {
		w.toTry[position] = w.note(w.givenAt(position)) == Unschedulable
	}
}

// boundGiven is boundGeneral for given statuses.
func (w *searchWorker) boundGiven(from, to int) {
	for position := from; position < to; position++ {
		b := &w.bounds[position]
		b.kind = settled
		switch w.note(w.givenAt(position)) {
		case Success:
			w.fitsSomewhere = true
		case Unschedulable:
			if w.onlyCount || w.fitsSomewhere {
				continue
			}
			slot := w.snap.order[position]
			if w.tryNode(b, position, slot); b.kind != settled && w.general {
				w.consider(b, position, slot, w.snap.summaries.at(slot))
			}
		}
	}
}

// note counts a given status, and returns its code.
func (w *searchWorker) note(st *Status) Code {
	w.before.count(w.answerGiven(st), 1)
	return min(st.Code, UnschedulableAndUnresolvable)
}

// givenAt returns the status that the caller gave for a node.
func (w *searchWorker) givenAt(position int) *Status {
	if w.inOrder != nil {
		return &w.inOrder[position]
	}
	if st, ok := w.statuses[w.nodeAt(position).name]; ok {
		w.known++
		w.space = st
		return &w.space
	}
	return &notFiltered
}

// checkGiven returns the error of a status for a node that does not exist, once all
// statuses are noted.
func (s *search) checkGiven(req *Request) error {
	known := 0
	for _, w := range s.workers {
		known += w.known
	}
	if known == len(req.Statuses) {
		return nil
	}
	_, err := req.givenStatuses(s.snap)
	return err
}

// answerGiven returns the answer that stands for a given status. Mostly it is the
// same as for the node before.
func (w *searchWorker) answerGiven(st *Status) answer {
	if st.Code == Success {
		return 0
	}
	last := &w.lastGiven
	if w.lastAnswer == 0 || st.Code != last.Code || st.Filter != last.Filter || st.ExcludedBy != last.ExcludedBy ||
		!sameTexts(st.Reasons, last.Reasons) {
		w.lastGiven, w.lastAnswer = *st, w.before.intern(filterStatusOf(st))
	}
	return w.lastAnswer
}

// sameTexts is slices.Equal, and mostly does not look at the texts.
func sameTexts(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// mayRefuse reports whether a node filter may turn the preemptor away, where none was
// asked so far.
func (w *searchWorker) mayRefuse(sum *nodeSummary) bool {
	return w.elsewhere && (sum.flags&restricted != 0 || w.selects)
}

// tryNode bounds a node on which preemption is to be tried, whatever the filters say
// about it as things are.
func (w *searchWorker) tryNode(b *nodeBound, position int, slot int32) {
	sum := w.snap.summaries.at(slot)
	switch {
	case w.mayRefuse(sum):
		*b = nodeBound{}
		w.evaluateByFilters(position, w.snap.nodes[slot])
		b.kind = settled
		return
	case sum.flags&^(restricted|w.light) == 0 && !w.filtered && !w.exactly:
		w.boundByResources(b, slot, sum)
	default:
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
