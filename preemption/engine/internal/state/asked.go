package state

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// This file has what a snapshot works out only when a search asks for it, and keeps for the next one.

// Digests returns the digests of all blocks and one that holds for all nodes, up to date; nil
// without any nodes. Time is linear in the nodes of the blocks that changed since the last call.
// The error is that of the context.
func (s *Snapshot) Digests(ctx context.Context) (of []*Digest, whole *Digest, err error) {
	return s.Summaries.upToDate(ctx, s.Owner)
}

// Sieve returns the sieve of a block, up to date. The caller has called Digests since the last change.
func (s *Snapshot) Sieve(block int) *Sieve { return s.Summaries.sieve(block, s.Owner) }

// Labelled finds the nodes that pass a filter which wants these labels. It returns a bit by slot for
// each, in the memory of into, and counts the nodes that lack a label. A restricted node may fail for
// other reasons, so that ask decides about it, and the count leaves it out. The caller has called
// Digests since the last change.
func (s *Snapshot) Labelled(labels map[string]string, into []uint64, ask func(n *NodeState) bool) (passing []uint64, lacking int) {
	digests, _, _ := s.Digests(context.Background()) // nothing is left to do that the context could end
	passing = Fill(into, len(digests), math.MaxUint64)

	for key, value := range labels {
		p := s.Partition(key)
		id, ok := p.IDOf.Get(value)
		if !ok {
			id = NoDomain - 1 // no slot has this id, as no node has the value
		}
		for block := range passing {
			passing[block] &= p.slotsIn(id, block*SummaryBlockSize)
		}
	}

	for block, d := range digests {
		open := d.Members &^ d.Restricted
		passing[block] &= open
		lacking += bits.OnesCount64(open &^ passing[block])

		for left := d.Restricted; left != 0; left &= left - 1 {
			i := bits.TrailingZeros64(left)
			if ask(s.NodeStates[block*SummaryBlockSize+i]) {
				passing[block] |= 1 << i
			}
		}
	}
	return passing, lacking
}

// slotsIn returns a bit for each slot of a block whose node is in a domain. first is the first slot
// of the block.
func (p *Partition) slotsIn(domain int32, first int) (slots uint64) {
	// Slots beyond the end are newer than the partition, and have no domain.
	if first >= len(p.IDs) {
		return 0
	}
	for i, id := range p.IDs[first:min(first+SummaryBlockSize, len(p.IDs))] {
		if id == domain {
			slots |= 1 << i
		}
	}
	return slots
}

// AnswersTo returns what a rule says about every node. It asks the rule about the nodes whose answer
// is not kept, or no longer holds. It returns nil if these are more than most, or if the context ends.
func (s *Snapshot) AnswersTo(ctx context.Context, key AnswersKey, most int, ask func(n *NodeState) preemption.Status) *AnswerTable {
	slots := len(s.NodeStates)
	kept, stale := s.Answers.find(key)
	if kept != nil && len(stale) == 0 && len(kept.statusAt) >= slots {
		return kept
	}

	if !kept.continues(slots) {
		kept, stale = nil, s.Order
		if len(stale) > most {
			return nil // before a list is made of all nodes
		}
	}

	// A node that changed twice is in the log twice, and is asked about once.
	stale = slices.Compact(slices.Sorted(slices.Values(stale)))
	if len(stale) > most {
		return nil
	}

	w := tableFrom(kept, slots)
	for i, slot := range stale {
		if i%asksPerLook == 0 && ctx.Err() != nil {
			return nil
		}
		// A slot without a node has the status Success, so that it counts nowhere.
		var status preemption.Status
		if n := s.NodeStates[slot]; n != nil && n.Node != nil {
			status = ask(n)
		}
		w.set(slot, status)
	}

	t := w.AnswerTable
	s.Answers.keep(key, &t)
	return &t
}

// asksPerLook is how many nodes a rule is asked about between two looks at the context.
const asksPerLook = 64

// NamedBy returns the slot of the node that a known pod runs on or is nominated to. ok is false if
// there is no such node or the snapshot does not know the pod.
func (s *Snapshot) NamedBy(pod *outrank.Pod) (slot int32, ok bool) {
	p, ok := s.PodStates.Of(pod)
	if !ok || p.At == nil {
		return 0, false
	}
	return s.Slots.Get(p.At.Name)
}
