package preemption

import (
	"maps"

	"github.com/outrank-go/outrank"
)

// claimUsers counts, by slot, how often pods on a node name one claim. The
// snapshot that owns it may write it; any other snapshot copies it first.
type claimUsers struct {
	owner *owner
	nodes map[int32]int32
}

// claimIndex finds the users of claims by key.
type claimIndex struct{ sharedIndex[*claimUsers] }

// use counts the claims of a pod on a node in (by is 1) or out (by is -1).
func (x *claimIndex) use(pod *outrank.Pod, slot, by int32, o *owner) {
	for i := range pod.Volumes {
		if v := &pod.Volumes[i]; usesClaim(v) {
			x.useOne(claimKey(pod, v.Claim), slot, by, o)
		}
	}
}

func (x *claimIndex) useOne(key string, slot, by int32, o *owner) {
	u, ok := x.get(key)
	switch {
	case !ok:
		u = &claimUsers{owner: o, nodes: map[int32]int32{}}
	case u.owner != o:
		u = &claimUsers{owner: o, nodes: maps.Clone(u.nodes)}
	}
	if u.nodes[slot] += by; u.nodes[slot] == 0 {
		delete(u.nodes, slot)
	}
	if len(u.nodes) == 0 {
		x.remove(key)
	} else {
		x.set(key, u)
	}
}

// inUse reports whether a pod uses the claim on a node that exists.
func (x *claimIndex) inUse(key string, nodes []*nodeState) bool {
	u, ok := x.get(key)
	if !ok {
		return false
	}
	for slot := range u.nodes {
		if nodes[slot].node != nil {
			return true
		}
	}
	return false
}

// usesClaim reports whether a volume is a use of a claim: one that is made along
// with the pod is not.
func usesClaim(v *outrank.Volume) bool { return v.Claim != "" && !v.Ephemeral }

// claimKey names a claim in the namespace of a pod.
func claimKey(p *outrank.Pod, claim string) string { return p.NamespaceName() + "/" + claim }
