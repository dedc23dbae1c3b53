package preemption

import "slices"

// tournament keeps the answers of all nodes for preemptors of one signature. An
// entry has the node's score if it is evaluated, and otherwise the best score
// that its bound allows. When the overall winner is evaluated, it is the
// answer: no other entry could be better even at its best.
type tournament struct {
	entries []entry
	// winners is a binary tree of matches: winners[i] is the position that wins
	// the match between winners[2i] and winners[2i+1]. From len(entries) on
	// these are the positions themselves.
	winners []int32
	// transient are positions whose entries hold for one decision only.
	transient []int32
	// guarded are positions that were evaluated while budgets covered pods of the
	// node: their entries hold for the budgets of that time.
	guarded       []int32
	before, after answers
}

// entry is what a tournament knows of a node.
type entry struct {
	nodeBound
	nodeScore
	guarded bool // the position is in the list of these
}

// reset makes room for this many nodes.
func (t *tournament) reset(nodes int) {
	t.entries = slices.Grow(t.entries[:0], nodes)[:nodes]
	clear(t.entries)
	t.winners = slices.Grow(t.winners[:0], 2*nodes)[:2*nodes]
	t.guarded = t.guarded[:0]
}

// playAll decides all matches.
func (t *tournament) playAll() {
	n := len(t.entries)
	for position := range n {
		t.winners[n+position] = int32(position)
	}
	for i := n - 1; i > 0; i-- {
		t.play(i)
	}
}

// play decides one match.
func (t *tournament) play(i int) {
	a, b := t.winners[2*i], t.winners[2*i+1]
	if t.entries[b].better(&t.entries[a].nodeScore) {
		a = b
	}
	t.winners[i] = a
}

// playFrom decides again all matches that a position takes part in.
func (t *tournament) playFrom(position int32) {
	for i := (len(t.entries) + int(position)) / 2; i > 0; i /= 2 {
		t.play(i)
	}
}
