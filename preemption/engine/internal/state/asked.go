package state

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// A search asks a snapshot for what it makes when it is asked for, and keeps.

// Digests returns the digests of all blocks, up to date, and one that holds for all nodes, nil
// without any. Time is that of the nodes in blocks that have changed since they were last asked for. The error is
// that of the context.
func (s *Snapshot) Digests(ctx context.Context) (of []*Digest, whole *Digest, err error) {
	x := s.Summaries.digests
	if x == nil {
		return nil, nil, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.refresh(ctx, s.Summaries.blocks, s.Owner); err != nil {
		return nil, nil, err
	}
	return x.of, x.whole, nil
}

// Sieve returns the sieve of a block, up to date. The digests are.
func (s *Snapshot) Sieve(block int) *Sieve {
	x := s.Summaries.digests
	x.mu.Lock()
	defer x.mu.Unlock()
	at := x.sieveOf(block)
	if !at.fresh {
		if at.of == nil || at.of.owner != s.Owner {
			at.of = &Sieve{owner: s.Owner}
		}
		at.of.make(s.Summaries.blocks[block], x.of[block])
		at.fresh = true
	}
	return at.of
}

// Labelled returns a bit by slot for each node with these labels, in the memory of into, and counts
// the nodes that lack one. The restricted ones are asked instead, and have a bit if they pass.
func (s *Snapshot) Labelled(labels map[string]string, into []uint64, ask func(n *NodeState) bool) (with []uint64, lacking int) {
	digests, _, _ := s.Digests(context.Background()) // they are up to date
	with = Fill(into, len(digests), math.MaxUint64)
	for key, value := range labels {
		p := s.Partition(key)
		id, ok := p.IDOf.Get(value)
		if !ok {
			id = NoDomain - 1
		}
		for block := range with {
			with[block] &= p.in(id, block*SummaryBlockSize)
		}
	}
	for block, d := range digests {
		open := d.Members &^ d.Restricted
		with[block] &= open
		lacking += bits.OnesCount64(open &^ with[block])
		for left := d.Restricted; left != 0; left &= left - 1 {
			i := bits.TrailingZeros64(left)
			if ask(s.NodeStates[block*SummaryBlockSize+i]) {
				with[block] |= 1 << i
			}
		}
	}
	return with, lacking
}

// in returns a bit for each slot of a block, which begins with a slot, that is in a domain.
func (p *Partition) in(id int32, from int) (slots uint64) {
	if from < len(p.IDs) {
		for i, of := range p.IDs[from:min(from+SummaryBlockSize, len(p.IDs))] {
			if of == id {
				slots |= 1 << i
			}
		}
	}
	return slots
}

// AnswersTo returns what a rule says about every node. It asks about those nodes that it is not
// known of, and returns nil if there are more than so many of them, or if the context ends.
func (s *Snapshot) AnswersTo(ctx context.Context, key AnswersKey, most int, ask func(n *NodeState) preemption.Status) *AnswerTable {
	kept, stale := s.Answers.find(key)
	if kept != nil && len(stale) == 0 && len(kept.statusAt) >= len(s.NodeStates) {
		return kept
	}
	if !kept.continues(len(s.NodeStates)) {
		if kept, stale = nil, s.Order; len(stale) > most {
			return nil // before anything is made for so many nodes
		}
	}
	stale = slices.Compact(slices.Sorted(slices.Values(stale)))
	if len(stale) > most {
		return nil
	}
	w := tableFrom(kept, len(s.NodeStates))
	for i, slot := range stale {
		if i%asksPerLook == 0 && ctx.Err() != nil {
			return nil
		}
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

// NamedBy returns the slot of the node that a known pod runs on or is nominated to, not ok for
// none.
func (s *Snapshot) NamedBy(pod *outrank.Pod) (slot int32, ok bool) {
	p, ok := s.PodStates.Of(pod)
	if !ok || p.At == nil {
		return 0, false
	}
	return s.Slots.Get(p.At.Name)
}
