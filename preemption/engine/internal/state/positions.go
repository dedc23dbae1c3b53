package state

import (
	"math"
	"sync"
)

// NodePositions has the position of each slot in an order of the nodes. It is computed when first asked for.
// Snapshots with the same order share it.
type NodePositions struct {
	once sync.Once
	// bySlot has the position of each slot, -1 for a slot without a node. It is nil until it is computed.
	// firsts has the least position in each block of slots.
	bySlot []int32
	firsts []int32
}

// Positions returns the position of each slot in the order of the nodes, -1 for a slot without
// a node. Slots beyond the end of the list have no node, either. Nobody may write the list.
func (s *Snapshot) Positions() []int32 {
	p := s.positions
	p.once.Do(func() {
		// Even without slots the list must not be nil, because writeOrder takes nil for not computed.
		p.bySlot = Fill(make([]int32, 0), len(s.NodeStates), -1)
		p.firsts = Fill(make([]int32, 0), (len(s.NodeStates)+SummaryBlockSize-1)/SummaryBlockSize, math.MaxInt32)

		for position, slot := range s.Order {
			p.bySlot[slot] = int32(position)
			block := uint32(slot) / SummaryBlockSize
			p.firsts[block] = min(p.firsts[block], int32(position))
		}
	})
	return p.bySlot
}

// FirstPositions returns the least position of the nodes in each block of slots, math.MaxInt32 for
// a block without nodes. Nobody may write the list.
func (s *Snapshot) FirstPositions() []int32 {
	s.Positions() // computes both lists
	return s.positions.firsts
}
