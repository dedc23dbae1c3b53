package state

import (
	"math"
	"sync"
)

// NodePositions finds positions in the order of the nodes. They are found when they are first asked for,
// and snapshots whose nodes have one order share them.
type NodePositions struct {
	once sync.Once
	// bySlot has the position of each slot, -1 for one without a node, and firsts the least of them in
	// each block of slots.
	bySlot []int32
	firsts []int32
}

// Positions returns the position of each slot in the order of the nodes, -1 for a slot without
// a node. Slots behind the last one have none, either. Nobody may write it.
func (s *Snapshot) Positions() []int32 {
	at := s.positions
	at.once.Do(func() {
		at.bySlot = Fill(make([]int32, 0), len(s.NodeStates), -1) // not nil, whatever there is
		at.firsts = Fill(make([]int32, 0), (len(s.NodeStates)+SummaryBlockSize-1)/SummaryBlockSize, math.MaxInt32)
		for position, slot := range s.Order {
			at.bySlot[slot] = int32(position)
			block := uint32(slot) / SummaryBlockSize
			at.firsts[block] = min(at.firsts[block], int32(position))
		}
	})
	return at.bySlot
}

// FirstPositions returns the least position of the nodes in each block of slots, more than any for
// a block without nodes. Nobody may write it.
func (s *Snapshot) FirstPositions() []int32 {
	s.Positions() // finds both
	return s.positions.firsts
}
