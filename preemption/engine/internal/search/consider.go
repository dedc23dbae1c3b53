package search

// By other rules than the default ones a worker considers each candidate as soon as it is bounded. It knows two
// scores that prune: that of the best candidate so far, and the best optimistic score of a node that it has
// evaluated. The second is no candidate's, so that a node that is worse is put off and not dropped.
//
//   - It drops a node that loses against the best candidate.
//   - It evaluates a node at once if no optimistic score before was better.
//   - It puts off a node whose leading figures are worse than those of the best optimistic score.
//   - It keeps any other node in mind.
//
// Nodes that were put off or kept in mind are looked at again once all are bounded (bestfirst.go).

// mostTries is how many nodes may be evaluated because they look as good as the best
// ones so far. A good incumbent saves the look at many others, but where bounds say
// little they would be evaluated in vain.
const mostTries = 32

// considerChunk considers the candidates of a chunk.
func (w *Worker) considerChunk(from, to int) {
	for position := from; position < to; position++ {
		if b := &w.bounds[position]; b.Kind != Settled {
			slot := w.snap.Order[position]
			w.consider(prospect{position, slot, w.sums.At(slot), b})
		}
	}
}

// consider decides what becomes of a candidate.
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

// betterThanBest returns the optimistic score of a node, nil if it does not beat the best candidate. The score
// lies in the memory of the outlook until the next call, because copying it takes longer than finding it.
func (w *Worker) betterThanBest(p prospect) *NodeScore {
	b, look := p.bound, &w.outlook

	// The rough bound is compared first. Tightening it reads more of the node.
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

// stillBetter renews the score of low victims after their bound was tightened, and reports whether it beats the
// best candidate.
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

// tryNow evaluates a candidate whose order is the caller's, unless it loses. There any pod can be the first
// victim, so that bounds tell little beside the number of victims. The end of the order tells more, and is
// found sooner than a better bound.
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

// canWait reports that a candidate has worse leading figures than the best optimistic score of a node that was
// evaluated. It puts off the candidate, because that node may have turned out worse than its score, unless the
// candidate loses against the best one as well.
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

// putOff notes that a candidate is to be looked at again. A list of these is kept for a sample alone: elsewhere
// all candidates that are not settled are gone over, while a sample does not bound every node.
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
