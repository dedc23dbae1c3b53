package state

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// errInPlace returns the error about a pod that the caller has changed in place.
func errInPlace(p *outrank.Pod) error {
	return fmt.Errorf("pod %s: %w: the object that the snapshot holds was changed in place; give it a changed copy", p.Key(), preemption.ErrState)
}

// changedInPlace reports whether the snapshot counts a pod as something else than its object says by
// now. Where the pod runs or is nominated is not looked at, since the snapshot knows that better.
// Time is linear in the pods on its node.
func (s *Snapshot) changedInPlace(p *PodState) bool {
	is := s.NewPodState(p.Pod, p.Node(), p.Nominated(), p.Class)
	if string(classKey(p.Pod, s.Rules.VictimUnits)) != p.Class.Key ||
		is.Takes.Std != p.Takes.Std || !slices.Equal(is.Takes.More(), p.Takes.More()) {
		return true
	}

	// What remains is kept by node.
	switch {
	case p.At == nil:
		return false
	case p.Running:
		n := s.NodeState(p.At.Name)
		return n.miscounts(p, s.traits) || !s.countsClaims(n) || s.attached.misjudge(n, p)
	}
	byImportance := func(a, b *PodState) int { return a.Compare(b, rank.Never) }
	return !slices.IsSortedFunc(s.NodeState(p.At.Name).Nominated, byImportance)
}

// miscounts reports whether the node sorts a pod as something else than it is by now, or counts it,
// or another of its pods, as something else.
func (n *NodeState) miscounts(p *PodState, traits filterTraits) bool {
	at := slices.Index(n.Pods, p)
	if at < 0 || n.SortKeys[at] != p.Rank() {
		return true
	}

	// The counts do not tell which pods they are made of, so that all are counted again.
	var concerned [MaxFilters]int32
	grouped := int32(0)
	for _, q := range n.Pods {
		for set := traits.ConcernedBy(q.Pod); set != 0; set &= set - 1 {
			concerned[bits.TrailingZeros16(uint16(set))]++
		}
		if q.Pod.Group != "" {
			grouped++
		}
	}
	return concerned != n.Concerned || grouped != n.Grouped
}

// countsClaims reports whether the claims counted for a node are those that its pods name by now.
func (s *Snapshot) countsClaims(n *NodeState) bool {
	named, total := map[string]int32{}, int32(0)
	for _, q := range n.Pods {
		for i := range q.Pod.Volumes {
			if v := &q.Pod.Volumes[i]; UsesClaim(v) {
				named[ClaimKey(q.Pod, v.Claim)]++
				total++
			}
		}
	}

	// A claim that no pod names any more is not among the named ones. If one is counted, the node
	// counts more uses in all than its pods name.
	for key, uses := range named {
		if s.Claims.uses(key, n.Slot) != uses {
			return false
		}
	}
	return total == n.claimUses
}
