package preemption

import "slices"

// tournament keeps the answers of all nodes for preemptors of one signature. An
// entry has the node's score if it is evaluated, and otherwise the best score
// that its bound allows. When the overall winner is evaluated, it is the
// answer: no other entry could be better even at its best.
//
// The entries are in blocks, each with the matches among its own. The caches of
// clones share a block until one of them writes it.
type tournament struct {
	nodes  int // 0 while there are no answers yet
	blocks []*tournamentBlock
	own    []bool // by block: no other tournament has it
	// winners is a binary tree of matches between blocks: winners[i] is the
	// position that wins the match between winners[2i] and winners[2i+1]. From
	// len(blocks) on these are the winners of the blocks.
	winners []int32
	// transient are positions whose entries hold for one decision only.
	transient []int32
	// guarded are positions that were evaluated while budgets covered pods of the
	// node: their entries hold for the budgets of that time.
	guarded       []int32
	before, after answers
}

// tournamentBlockSize is small, because a clone that evaluates nodes here and there
// copies a block for each of them.
const tournamentBlockSize = 16

// tournamentBlock has the entries of consecutive positions. winners is a binary
// tree like that of the tournament, of indexes into the block; its leaves are all
// entries. Behind the last node there are entries without candidates.
type tournamentBlock struct {
	entries [tournamentBlockSize]entry
	winners [2 * tournamentBlockSize]uint8
}

// entry is what a tournament knows of a node.
type entry struct {
	nodeBound
	nodeScore
	guarded bool // the position is in the list of these
}

// copy returns an equal tournament that shares all blocks. Neither may be written
// any more but through a further copy.
func (t *tournament) copy() *tournament {
	c := *t
	c.blocks, c.own, c.winners = slices.Clone(t.blocks), make([]bool, len(t.own)), slices.Clone(t.winners)
	c.transient, c.guarded = slices.Clone(t.transient), slices.Clone(t.guarded)
	c.before.others, c.after.others = slices.Clone(t.before.others), slices.Clone(t.after.others)
	return &c
}

// reset makes room for this many nodes.
func (t *tournament) reset(nodes int) {
	t.nodes = nodes
	if blocks := (nodes + tournamentBlockSize - 1) / tournamentBlockSize; len(t.blocks) != blocks {
		t.blocks, t.own, t.winners = make([]*tournamentBlock, blocks), make([]bool, blocks), make([]int32, 2*blocks)
	}
	for i, own := range t.own {
		if own {
			*t.blocks[i] = tournamentBlock{}
		} else {
			t.blocks[i], t.own[i] = &tournamentBlock{}, true
		}
	}
	t.transient, t.guarded = t.transient[:0], t.guarded[:0]
}

// at returns the entry of a position for reading.
func (t *tournament) at(position int32) *entry {
	return &t.blocks[uint32(position)/tournamentBlockSize].entries[uint32(position)%tournamentBlockSize]
}

// writable returns the entry of a position for writing.
func (t *tournament) writable(position int32) *entry {
	return &t.block(uint32(position) / tournamentBlockSize).entries[uint32(position)%tournamentBlockSize]
}

// block returns a block for writing.
func (t *tournament) block(i uint32) *tournamentBlock {
	if !t.own[i] {
		own := *t.blocks[i]
		t.blocks[i], t.own[i] = &own, true
	}
	return t.blocks[i]
}

// best returns the position of the overall winner.
func (t *tournament) best() int32 { return t.winners[1] }

// playAll decides all matches after a reset.
func (t *tournament) playAll() {
	last := t.blocks[len(t.blocks)-1]
	for i := (t.nodes-1)%tournamentBlockSize + 1; i < tournamentBlockSize; i++ {
		last.entries[i].position = -1
	}
	for at, b := range t.blocks {
		for i := range b.entries {
			b.winners[tournamentBlockSize+i] = uint8(i)
		}
		for i := tournamentBlockSize - 1; i > 0; i-- {
			b.play(i)
		}
		t.seed(at)
	}
	for i := len(t.blocks) - 1; i > 0; i-- {
		t.play(i)
	}
}

// playFrom decides again all matches that a position takes part in.
func (t *tournament) playFrom(position int32) {
	at := uint32(position) / tournamentBlockSize
	b := t.block(at)
	for i := (tournamentBlockSize + int(uint32(position)%tournamentBlockSize)) / 2; i > 0; i /= 2 {
		b.play(i)
	}
	t.seed(int(at))
	for i := (len(t.blocks) + int(at)) / 2; i > 0; i /= 2 {
		t.play(i)
	}
}

// seed enters the winner of a block into the matches between blocks.
func (t *tournament) seed(block int) {
	t.winners[len(t.blocks)+block] = int32(block*tournamentBlockSize + int(t.blocks[block].winners[1]))
}

// play decides one match between blocks.
func (t *tournament) play(i int) {
	a, b := t.winners[2*i], t.winners[2*i+1]
	if t.at(b).beatsByDefault(&t.at(a).nodeScore) {
		a = b
	}
	t.winners[i] = a
}

// play decides one match within a block.
func (t *tournamentBlock) play(i int) {
	a, b := t.winners[2*i], t.winners[2*i+1]
	if t.entries[b%tournamentBlockSize].beatsByDefault(&t.entries[a%tournamentBlockSize].nodeScore) {
		a = b
	}
	t.winners[i] = a
}
