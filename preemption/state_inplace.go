package preemption

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank"
)

// errInPlace is the error about a pod that the caller has changed in place.
func errInPlace(p *outrank.Pod) error {
	return fmt.Errorf("pod %s: %w: the object that the snapshot holds was changed in place; give it a changed copy", p.Key(), ErrState)
}

// changedInPlace reports whether what is counted of a pod is no more what its object says.
// Where a pod runs or is nominated is not asked: that is the snapshot's own knowledge.
// Time is linear in the pods on its node.
func (s *Snapshot) changedInPlace(p *podState) bool {
	is := s.newPodState(p.pod, p.node(), p.nominated(), p.class)
	if string(classKey(p.pod, s.rules.VictimUnits)) != p.class.key ||
		is.takes.std != p.takes.std || !slices.Equal(is.takes.more(), p.takes.more()) {
		return true
	}
	switch {
	case p.at == nil:
		return false
	case p.running:
		n := s.node(p.at.name)
		return n.miscounts(p, s.traits) || !s.countsClaims(n) || s.attachments.misjudge(n, p)
	}
	byImportance := func(a, b *podState) int { return a.compare(b, never) }
	return !slices.IsSortedFunc(s.node(p.at.name).nominated, byImportance)
}

// miscounts reports whether the node has sorted or counted a pod, or any other of its pods
// with it, as what it is no more.
func (n *nodeState) miscounts(p *podState, traits filterTraits) bool {
	at := slices.Index(n.pods, p)
	if at < 0 || n.sortKeys[at] != p.rank() {
		return true
	}
	var concerned [maxFilters]int32
	grouped := int32(0)
	for _, q := range n.pods {
		for set := traits.concernedBy(q.pod); set != 0; set &= set - 1 {
			concerned[bits.TrailingZeros16(uint16(set))]++
		}
		if q.pod.Group != "" {
			grouped++
		}
	}
	return concerned != n.concerned || grouped != n.grouped
}

// countsClaims reports whether the claims counted for a node are those that its pods name.
// As many are counted of each named claim as it is named, and no more in all, so that none
// is counted that nobody names any more.
func (s *Snapshot) countsClaims(n *nodeState) bool {
	named, uses := map[string]int32{}, int32(0)
	for _, q := range n.pods {
		for i := range q.pod.Volumes {
			if v := &q.pod.Volumes[i]; usesClaim(v) {
				named[claimKey(q.pod, v.Claim)]++
				uses++
			}
		}
	}
	for key, uses := range named {
		if users, ok := s.claims.get(key); !ok || users.nodes[n.slot] != uses {
			return false
		}
	}
	return uses == n.claimUses
}
