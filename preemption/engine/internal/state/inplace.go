package state

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// errInPlace is the error for a pod whose object the caller has changed in place.
func errInPlace(p *outrank.Pod) error {
	return fmt.Errorf("pod %s: %w: the object that the snapshot holds was changed in place; give it a changed copy", p.Key(), preemption.ErrState)
}

// changedInPlace reports whether the object of a pod no longer agrees with what the snapshot has counted of
// it. The fields for the node and the nomination are ignored, because the snapshot decides about those. Time
// is linear in the pods on the pod's node.
func (s *Snapshot) changedInPlace(p *PodState) bool {
	is := s.NewPodState(p.Pod, p.Node(), p.Nominated(), p.Class)
	if string(classKey(p.Pod, s.Rules.VictimUnits)) != p.Class.Key ||
		is.Takes.Std != p.Takes.Std || !slices.Equal(is.Takes.More(), p.Takes.More()) {
		return true
	}

	// The remaining counts are kept by node.
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

// miscounts reports whether the node's sort key of a pod, or its counts over all pods, disagree with the
// objects.
func (n *NodeState) miscounts(p *PodState, traits filterTraits) bool {
	at := slices.Index(n.Pods, p)
	if at < 0 || n.SortKeys[at] != p.Rank() {
		return true
	}

	// A count does not show one pod's part in it, so that all pods are counted again.
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

// countsClaims reports whether the claims counted for a node are those that its pods name now.
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

	// A claim that is counted but no longer named does not show in the loop. It shows in the total, which is
	// larger than what the pods name.
	for key, uses := range named {
		if s.Claims.uses(key, n.Slot) != uses {
			return false
		}
	}
	return total == n.claimUses
}
