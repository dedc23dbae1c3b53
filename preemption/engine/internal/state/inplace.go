package state

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// errInPlace is the error about a pod that the caller has changed in place.
func errInPlace(p *outrank.Pod) error {
	return fmt.Errorf("pod %s: %w: the object that the snapshot holds was changed in place; give it a changed copy", p.Key(), preemption.ErrState)
}

// changedInPlace reports whether what is counted of a pod is no more what its object says.
// Where a pod runs or is nominated is not asked: that is the snapshot's own knowledge.
// Time is linear in the pods on its node.
func (s *Snapshot) changedInPlace(p *PodState) bool {
	is := s.NewPodState(p.Pod, p.Node(), p.Nominated(), p.Class)
	if string(classKey(p.Pod, s.Rules.VictimUnits)) != p.Class.Key ||
		is.Takes.Std != p.Takes.Std || !slices.Equal(is.Takes.More(), p.Takes.More()) {
		return true
	}
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

// miscounts reports whether the node has sorted or counted a pod, or any other of its pods
// with it, as what it is no more.
func (n *NodeState) miscounts(p *PodState, traits filterTraits) bool {
	at := slices.Index(n.Pods, p)
	if at < 0 || n.SortKeys[at] != p.Rank() {
		return true
	}
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

// countsClaims reports whether the claims counted for a node are those that its pods name.
// As many are counted of each named claim as it is named, and no more in all, so that none
// is counted that nobody names any more.
func (s *Snapshot) countsClaims(n *NodeState) bool {
	named, uses := map[string]int32{}, int32(0)
	for _, q := range n.Pods {
		for i := range q.Pod.Volumes {
			if v := &q.Pod.Volumes[i]; UsesClaim(v) {
				named[ClaimKey(q.Pod, v.Claim)]++
				uses++
			}
		}
	}
	for key, uses := range named {
		if users, ok := s.Claims.byKey.Get(key); !ok || users.Nodes[n.Slot] != uses {
			return false
		}
	}
	return uses == n.claimUses
}
