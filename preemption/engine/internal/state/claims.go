package state

import (
	"maps"

	"github.com/outrank-go/outrank"
)

// ClaimUsers counts, by slot, how often pods on a node name one claim. The
// snapshot that owns it may write it; any other snapshot copies it first.
type ClaimUsers struct {
	owner *Owner
	Nodes map[int32]int32
}

// claimIndex finds the users of claims by key. A claim that no pod on a node names is not in it.
type claimIndex struct{ byKey sharedIndex[*ClaimUsers] }

// Each calls f for every claim that is used, in no particular order.
func (x *claimIndex) Each(f func(key string, u *ClaimUsers)) { x.byKey.Each(f) }

func (x *claimIndex) share() claimIndex { return claimIndex{x.byKey.Share()} }
func (x *claimIndex) view() claimIndex  { return claimIndex{x.byKey.view()} }

// uses returns how often pods on the node of a slot name a claim.
func (x *claimIndex) uses(key string, slot int32) int32 {
	if u, ok := x.byKey.Get(key); ok {
		return u.Nodes[slot]
	}
	return 0
}

// use counts the claims of a pod on a node in (by is 1) or out (by is -1).
func (x *claimIndex) use(pod *outrank.Pod, slot, by int32, o *Owner) {
	for i := range pod.Volumes {
		if v := &pod.Volumes[i]; UsesClaim(v) {
			x.useOne(ClaimKey(pod, v.Claim), slot, by, o)
		}
	}
}

// useOne is use for one claim.
func (x *claimIndex) useOne(key string, slot, by int32, o *Owner) {
	u, ok := x.byKey.Get(key)
	switch {
	case !ok:
		u = &ClaimUsers{owner: o, Nodes: map[int32]int32{}}
	case u.owner != o:
		u = &ClaimUsers{owner: o, Nodes: maps.Clone(u.Nodes)}
	}

	// What is used nowhere is not listed, so that readers need only look whether an entry is there.
	if u.Nodes[slot] += by; u.Nodes[slot] == 0 {
		delete(u.Nodes, slot)
	}
	if len(u.Nodes) == 0 {
		x.byKey.Remove(key)
	} else {
		x.byKey.Set(key, u)
	}
}

// InUse reports whether a pod on a node that exists uses the claim. nodes are the states by slot.
func (x *claimIndex) InUse(key string, nodes []*NodeState) bool {
	u, ok := x.byKey.Get(key)
	if !ok {
		return false
	}
	for slot := range u.Nodes {
		// Pods may name a node that is not there, which has a state all the same.
		if nodes[slot].Node != nil {
			return true
		}
	}
	return false
}
