package preemption

import "slices"

// tournament keeps what every node comes to for preemptors of one signature:
// equal in everything that the filters and the ranks look at, where these look
// at resources and at the nodes themselves alone. Each entry is a node's score,
// or the best that its bound allows as long as it is not evaluated. When an
// entry that is evaluated wins, it is the answer.
type tournament struct {
	entries []entry
	// winners holds the matches: winners[i] is the better of winners[2i] and
	// winners[2i+1], where those from len(entries) on are the positions.
	winners []int32
	// unsure are positions whose entries hold for one decision only.
	transient     []int32
	before, after answers
}

// entry is what a tournament knows of a node.
type entry struct {
	nodeBound
	nodeScore
}

// reset makes room for so many nodes.
func (t *tournament) reset(nodes int) {
	t.entries = slices.Grow(t.entries[:0], nodes)[:nodes]
	t.winners = slices.Grow(t.winners[:0], 2*nodes)[:2*nodes]
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

// playFrom decides all matches anew that a position has a part in.
func (t *tournament) playFrom(position int32) {
	for i := (len(t.entries) + int(position)) / 2; i > 0; i /= 2 {
		t.play(i)
	}
}
