package search

import (
	"math"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Tournament keeps the results of all nodes for preemptors of one signature. An entry has the node's score if
// it is evaluated, and otherwise the best score that its bound allows. If the overall winner is evaluated, it
// is the answer, because no other entry is better even by its optimistic score.
//
// The entries are in blocks, each with the matches among its own. The caches of
// clones share a block until one of them writes it.
type Tournament struct {
	// nodes is the number of nodes. It is 0 if the entries are not valid, and the tournament must be begun anew.
	// The first of them, as many as built says, have entries; matches count once all have.
	nodes, built int
	// Blocks has the entries by position. own says of each block that no other tournament shares it, so that
	// it may be written.
	Blocks []*TournamentBlock
	own    []bool
	// winners is a binary tree of matches between blocks: winners[i] is the
	// position that wins the match between winners[2i] and winners[2i+1]. From
	// len(blocks) on these are the winners of the blocks.
	winners []int32
	// transient lists positions whose entries are valid for one decision only.
	transient []int32
	// guarded lists positions whose evaluation depends on what budgets allowed at that time. Some of the
	// listed entries may no longer be evaluated.
	guarded []int32
	// fits has a bit for each position whose node takes the preemptor without preemption.
	fits []uint64
	// again lists positions whose scores have changed since their matches were played (see playAgain).
	again []int32
	// before and after count the answers of the entries.
	before, after answers
	// counted is the version of the filters' counts when the entries were made.
	counted uint64
}

// TournamentBlockSize is small, because a clone that evaluates nodes here and there
// copies a block for each of them.
const TournamentBlockSize = 16

// TournamentBlock has the entries of consecutive positions. winners is a binary tree like that of the
// tournament. It has indexes into the block, and every entry is a leaf. Entries behind the last node have no
// candidate.
type TournamentBlock struct {
	entries [TournamentBlockSize]entry
	winners [2 * TournamentBlockSize]uint8
}

// copy returns an equal tournament that may be written: it shares the blocks, but copies one before it writes
// it. t must not be written from then on.
func (t *Tournament) copy() *Tournament {
	c := *t
	c.Blocks = slices.Clone(t.Blocks)
	c.own = make([]bool, len(t.own))
	c.winners = slices.Clone(t.winners)
	c.transient = slices.Clone(t.transient)
	c.guarded = slices.Clone(t.guarded)
	c.fits = slices.Clone(t.fits)
	c.again = nil
	c.before.others = slices.Clone(t.before.others)
	c.after.others = slices.Clone(t.after.others)
	return &c
}

// reset makes room for this many nodes, with all entries empty and no match played.
func (t *Tournament) reset(nodes int) {
	t.nodes, t.built = nodes, 0
	if blocks := (nodes + TournamentBlockSize - 1) / TournamentBlockSize; len(t.Blocks) != blocks {
		t.Blocks = make([]*TournamentBlock, blocks)
		t.own = make([]bool, blocks)
		t.winners = make([]int32, 2*blocks)
	}

	for i, own := range t.own {
		if own {
			*t.Blocks[i] = TournamentBlock{}
		} else {
			t.Blocks[i], t.own[i] = &TournamentBlock{}, true
		}
	}

	t.transient, t.guarded = t.transient[:0], t.guarded[:0]
	t.fits = state.Fill(t.fits, (nodes+63)/64, 0)
}

// noteFit records whether the node at a position takes the preemptor without preemption.
func (t *Tournament) noteFit(position int32, fits bool) {
	word, bit := &t.fits[uint32(position)/64], uint64(1)<<(uint32(position)%64)
	*word &^= bit
	if fits {
		*word |= bit
	}
}

// firstFit returns the first position whose node takes the preemptor, math.MaxInt if none does.
func (t *Tournament) firstFit() int {
	for i, word := range t.fits {
		if word != 0 {
			return 64*i + bits.TrailingZeros64(word)
		}
	}
	return math.MaxInt
}

// At returns the entry of a position for reading.
func (t *Tournament) At(position int32) *entry {
	return &t.Blocks[uint32(position)/TournamentBlockSize].entries[uint32(position)%TournamentBlockSize]
}

// writable returns the entry of a position for writing.
func (t *Tournament) writable(position int32) *entry {
	return &t.block(uint32(position) / TournamentBlockSize).entries[uint32(position)%TournamentBlockSize]
}

// block returns a block for writing. A shared block is copied first.
func (t *Tournament) block(i uint32) *TournamentBlock {
	if !t.own[i] {
		own := *t.Blocks[i]
		t.Blocks[i], t.own[i] = &own, true
	}
	return t.Blocks[i]
}

// best returns the position of the overall winner.
func (t *Tournament) best() int32 { return t.winners[1] }

// playAll decides all matches once all entries are written after a reset. It goes from high indexes to low,
// so that each match comes after the two that lead to it.
func (t *Tournament) playAll() {
	// Entries behind the last node must never win.
	last := t.block(uint32(len(t.Blocks) - 1))
	for i := (t.nodes-1)%TournamentBlockSize + 1; i < TournamentBlockSize; i++ {
		last.entries[i].Position = -1
	}

	for block := range t.Blocks {
		b := t.block(uint32(block)) // the first blocks may be shared, if a clone was made before the last was written
		for i := range b.entries {
			b.winners[TournamentBlockSize+i] = uint8(i)
		}
		for i := TournamentBlockSize - 1; i > 0; i-- {
			b.play(i)
		}
		t.seed(block)
	}

	for i := len(t.Blocks) - 1; i > 0; i-- {
		t.play(i)
	}
}

// playFrom decides again all matches that a position takes part in: first in its block, then between blocks.
func (t *Tournament) playFrom(position int32) {
	block := t.playInBlock(position)
	for i := (len(t.Blocks) + block) / 2; i > 0; i /= 2 {
		t.play(i)
	}
}

// playInBlock decides again the matches within the block of a position, seeds its winner, and returns the block.
func (t *Tournament) playInBlock(position int32) (block int) {
	at := uint32(position) / TournamentBlockSize
	b := t.block(at)
	for i := (TournamentBlockSize + int(uint32(position)%TournamentBlockSize)) / 2; i > 0; i /= 2 {
		b.play(i)
	}
	t.seed(int(at))
	return int(at)
}

// playAgain decides the matches of all positions in again, and empties the list. Matches that several
// positions share are mostly decided only once.
func (t *Tournament) playAgain() {
	if len(t.again) < fewMatches {
		for _, position := range t.again {
			t.playFrom(position)
		}
		t.again = t.again[:0]
		return
	}

	// First come the matches within blocks. Each position in the list is replaced by the leaf of its block in
	// the tree of matches between blocks.
	for i, position := range t.again {
		t.again[i] = int32(len(t.Blocks) + t.playInBlock(position))
	}
	slices.Sort(t.again)

	// Then that tree is decided level by level. The list stays sorted, so that equal matches are neighbors.
	// Leaves can be on two levels. A match that is reached from both is decided twice, the second time from
	// the deeper one, which is correct.
	for len(t.again) > 0 {
		above := t.again[:0]
		for _, match := range t.again {
			match /= 2
			if match > 0 && (len(above) == 0 || above[len(above)-1] != match) {
				t.play(int(match))
				above = append(above, match)
			}
		}
		t.again = above
	}
}

// fewMatches is the number of positions below which shared matches are too rare to look for.
const fewMatches = 4

// seed enters the winner of a block into the matches between blocks.
func (t *Tournament) seed(block int) {
	t.winners[len(t.Blocks)+block] = int32(block*TournamentBlockSize + int(t.Blocks[block].winners[1]))
}

// play decides one match between blocks.
func (t *Tournament) play(i int) {
	a, b := t.winners[2*i], t.winners[2*i+1]
	if t.At(b).BeatsByDefault(&t.At(a).NodeScore) {
		a = b
	}
	t.winners[i] = a
}

// play decides one match within a block.
func (t *TournamentBlock) play(i int) {
	a, b := t.winners[2*i], t.winners[2*i+1]
	if t.entries[b%TournamentBlockSize].BeatsByDefault(&t.entries[a%TournamentBlockSize].NodeScore) {
		a = b
	}
	t.winners[i] = a
}
