package state

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// The results in this file are computed only when a search asks for them, and are kept for the next search.

// Digests returns the digest of each block and one for all nodes, up to date, or nil if there are no nodes.
// Time is linear in the nodes of the blocks that changed since the last call. The error is that of the
// context.
func (s *Snapshot) Digests(ctx context.Context) (of []*Digest, whole *Digest, err error) {
	return s.Summaries.upToDate(ctx, s.Owner)
}

// Sieve returns the sieve of a block, up to date. The caller must have called Digests since the last change.
func (s *Snapshot) Sieve(block int) *Sieve { return s.Summaries.sieve(block, s.Owner) }

// Labelled finds the nodes that pass a filter which wants these labels. passing has their bits by slot and
// reuses the memory of into; lacking is the number of nodes that lack a label. Restricted nodes may fail for
// other reasons: ask decides about them, and lacking leaves them out. The caller must have called Digests
// since the last change.
func (s *Snapshot) Labelled(labels map[string]string, into []uint64, ask func(n *NodeState) bool) (passing []uint64, lacking int) {
	digests, _, _ := s.Digests(context.Background()) // nothing is left to do that the context could end
	passing = Fill(into, len(digests), math.MaxUint64)

	for key, value := range labels {
		p := s.Partition(key)
		id, ok := p.IDOf.Get(value)
		if !ok {
			id = NoDomain - 1 // no slot has this id, because no node has the value
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
	// A slot beyond the end is newer than the partition and has no domain.
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

// AnswersTo returns the table of a rule's answers about every node. It asks the rule only about nodes whose
// answer is missing or no longer holds. It returns nil if these are more than most, or if the context ends.
func (s *Snapshot) AnswersTo(ctx context.Context, key AnswersKey, most int, ask func(n *NodeState) preemption.Status) *AnswerTable {
	slots := len(s.NodeStates)
	kept, stale := s.Answers.find(key)
	if kept != nil && len(stale) == 0 && len(kept.statusAt) >= slots {
		return kept
	}

	if !kept.continues(slots) {
		kept, stale = nil, s.Order
		if len(stale) > most {
			return nil // saves sorting the list of all nodes
		}
	}

	// A node that changed twice is in the log twice, but has to be asked about only once.
	stale = slices.Compact(slices.Sorted(slices.Values(stale)))
	if len(stale) > most {
		return nil
	}

	w := tableFrom(kept, slots)
	for i, slot := range stale {
		if i%asksPerLook == 0 && ctx.Err() != nil {
			return nil
		}
		// A slot without a node gets Success, so that no failure counts it.
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

// asksPerLook is the number of nodes about which a rule is asked between two looks at the context.
const asksPerLook = 64

// NamedBy returns the slot of the node that a pod of the snapshot runs on or is nominated to. ok is false if
// it has no such node or the snapshot does not know the pod.
func (s *Snapshot) NamedBy(pod *outrank.Pod) (slot int32, ok bool) {
	p, ok := s.PodStates.Of(pod)
	if !ok || p.At == nil {
		return 0, false
	}
	return s.Slots.Get(p.At.Name)
}
