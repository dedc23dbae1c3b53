package preemption

import (
	"maps"

	"github.com/outrank-go/outrank"
)

// users is where the pods are that use a claim: how often they name it on each
// node, by slot. It is written by the snapshot that owns it, and copied by any
// other.
type claimUsers struct {
	owner *owner
	nodes map[int32]int32
}

// useClaims counts the claims of a pod on a node in, where by is 1, or out,
// where it is -1. Pods without a node use nothing.
func (s *Snapshot) useClaims(p *podState, by int32) {
	if !p.running || len(p.pod.Volumes) == 0 {
		return
	}
	slot, _ := s.slots.get(p.at.name)
	for i := range p.pod.Volumes {
		if claim := p.pod.Volumes[i].Claim; claim != "" {
			s.useClaim(claimKey(p.pod, claim), slot, by)
		}
	}
}

func (s *Snapshot) useClaim(key string, slot, by int32) {
	u, ok := s.claims.get(key)
	switch {
	case !ok:
		u = &claimUsers{owner: s.owner, nodes: map[int32]int32{}}
	case u.owner != s.owner:
		u = &claimUsers{owner: s.owner, nodes: maps.Clone(u.nodes)}
	}
	if u.nodes[slot] += by; u.nodes[slot] == 0 {
		delete(u.nodes, slot)
	}
	if len(u.nodes) == 0 {
		s.claims.remove(key)
	} else {
		s.claims.set(key, u)
	}
}

// claimInUse reports whether a pod on a node that is there uses the claim.
func (s *Snapshot) claimInUse(key string) bool {
	u, ok := s.claims.get(key)
	if !ok {
		return false
	}
	for slot := range u.nodes {
		if s.nodes[slot].node != nil {
			return true
		}
	}
	return false
}

// claimKey names a claim in the namespace of a pod.
func claimKey(p *outrank.Pod, claim string) string { return p.NamespaceName() + "/" + claim }
