package state

import (
	"maps"

	"github.com/outrank-go/outrank"
)

// ClaimUsers counts, by slot, how often the pods of a node use one claim. The snapshot that owns it may write
// it; any other snapshot copies it first.
type ClaimUsers struct {
	owner *Owner
	Nodes map[int32]int32
}

// claimIndex finds the users of claims by key. It has only claims that a pod on a node uses.
type claimIndex struct{ byKey sharedIndex[*ClaimUsers] }

// Each calls f for every claim that is used, in no particular order.
func (x *claimIndex) Each(f func(key string, u *ClaimUsers)) { x.byKey.Each(f) }

func (x *claimIndex) share() claimIndex { return claimIndex{x.byKey.Share()} }
func (x *claimIndex) view() claimIndex  { return claimIndex{x.byKey.view()} }

// uses returns how often the pods of a node use a claim.
func (x *claimIndex) uses(key string, slot int32) int32 {
	if u, ok := x.byKey.Get(key); ok {
		return u.Nodes[slot]
	}
	return 0
}

// use adds the claims of a pod on a node to the counts (by is 1) or subtracts them (-1).
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

	// Unused claims and nodes are removed, so that for readers an entry means a use.
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
		// Pods may name a node that does not exist. It has a state but no object.
		if nodes[slot].Node != nil {
			return true
		}
	}
	return false
}
