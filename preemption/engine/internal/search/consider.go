package search

// By other rules than the default ones a worker considers each candidate as soon as it is bounded. It
// compares it with two scores: that of the best candidate so far, and the best optimistic score among the
// nodes that it has evaluated. The second need not be a real candidate's, so that a worse node is put off and
// not dropped.
//
//   - It drops a node that loses against the best candidate.
//   - It evaluates a node at once if no earlier optimistic score was better.
//   - It puts off a node whose leading figures are worse than those of that optimistic score.
//   - It keeps any other node in mind.
//
// Nodes that were put off or kept in mind are looked at again once all are bounded (bestfirst.go).

// mostTries is the number of nodes that a worker evaluates because they look as good as the best so far. A
// good incumbent saves a look at many others, but with weak bounds most such evaluations are in vain.
const mostTries = 32

// considerChunk considers the candidates at a range of positions.
func (w *Worker) considerChunk(from, to int) {
	for position := from; position < to; position++ {
		if b := &w.bounds[position]; b.Kind != Settled {
			slot := w.snap.Order[position]
			w.consider(prospect{position, slot, w.sums.At(slot), b})
		}
	}
}

// consider drops a candidate, evaluates it, puts it off, or keeps it in mind.
func (w *Worker) consider(p prospect) {
	switch {
	case w.losesByLatestStart(p.slot):
		return
	case w.rules.order == callersOrder && !w.rules.chosen && p.bound.Kind == byResources:
		w.tryNow(p)
		return
	case w.canWait(p):
		return
	}
	if score := w.betterThanBest(p); score != nil {
		w.place(score)
	}
}

// betterThanBest returns the optimistic score of a node, nil if it does not beat the best candidate. The
// score is in the memory of the outlook and valid until the next call, because copying it takes longer than
// computing it.
func (w *Worker) betterThanBest(p prospect) *NodeScore {
	b, look := p.bound, &w.outlook

	// The rough bound is compared first, because tightening it reads more of the node.
	score, better := &look.low, false
	score.Position = -1
	if w.lowCounts(p) {
		b.setLow(score, p.position)
		w.boundCost(score, p, p.mayBeLow())
		if w.rules.Better(score, &w.Best) {
			w.Tighten(b, p.slot)
			better = w.stillBetter(score, p)
		}
	}

	if e := w.highExtremes(p); e != nil {
		high := &look.high
		w.setHigh(high, p, e)
		if w.rules.Better(high, score) {
			score, better = high, w.rules.Better(high, &w.Best)
		}
	}

	if !better {
		return nil
	}
	return score
}

// stillBetter updates the score of low victims after their bound was tightened, and reports whether it beats
// the best candidate.
func (w *Worker) stillBetter(score *NodeScore, p prospect) bool {
	p.bound.setLowVictims(score)
	w.boundLowStart(score, p)
	w.boundCost(score, p, p.mayBeLow())
	return w.rules.Better(score, &w.Best)
}

// place evaluates a node whose optimistic score beats the best candidate, puts it off or keeps it in mind.
func (w *Worker) place(score *NodeScore) {
	look, figures := &w.outlook, w.rules.LeadingOf(score)
	switch {
	case look.least.Position < 0 || look.tries < mostTries && w.rules.noWorse(score, &look.least):
		look.least = *score
		look.leastLeading = figures
		look.tries++
		w.evaluateAt(score.Position)
		w.noteBestLeading()

	case figures.Worse(&look.leastLeading):
		w.putOff(&figures, score.Position)

	default:
		look.promising = append(look.promising, *score)
	}
}

// tryNow evaluates a candidate by the caller's order, unless it loses. In that order any pod can be the first
// victim, so that bounds tell little beside the number of victims. The end of the order tells more, and costs
// less than a better bound.
func (w *Worker) tryNow(p prospect) {
	switch w.compareEnd(p) {
	case endLoses:
		return
	case endUnknown:
		if w.losesByLeading(p) {
			return
		}
	}
	w.evaluateAt(p.position)
	w.noteBestLeading()
}

// canWait reports whether a candidate has worse leading figures than the best optimistic score among the
// evaluated nodes. It then puts the candidate off, because that node may have turned out worse than its
// score. A candidate that also loses against the best one is dropped.
func (w *Worker) canWait(p prospect) bool {
	look := &w.outlook
	if look.least.Position < 0 {
		return false
	}
	bound := w.BoundLeading(p, &look.leastLeading)
	if !bound.Worse(&look.leastLeading) {
		return false
	}
	if !bound.Worse(&look.bestLeading) {
		w.putOff(&bound, p.position)
	}
	return true
}

// putOff records that a candidate has to be looked at again. Only a sample keeps a list of them, because it
// does not bound every node. Otherwise all nodes that are not settled are looked at again.
func (w *Worker) putOff(figures *leading, position int) {
	look := &w.outlook
	if look.leastDeferred.Worse(figures) {
		look.leastDeferred = *figures
	}
	if w.terms.Sample != nil {
		look.deferred = append(look.deferred, int32(position))
	}
}

// evaluateAt finds the victims on the node at a position.
func (w *Worker) evaluateAt(position int) {
	b := &w.bounds[position]
	w.FindVictims(position, w.NodeAt(position), b)
	b.Kind = Settled
}
