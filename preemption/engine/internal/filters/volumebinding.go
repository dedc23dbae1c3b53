package filters

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/fit"
)

var (
	volumeNodeText    = []string{"node(s) didn't match PersistentVolume's node affinity"}
	volumeMissingText = []string{"node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"}
	unboundClaimText  = []string{"pod has unbound immediate PersistentVolumeClaims"}
)

// VolumeBindingFilter is VolumeBinding.
var VolumeBindingFilter = descriptor{
	Entry:  filter.Of(filter.VolumeBinding),
	refuse: refuseClaims,
	check: func(q *Question, node *outrank.Node) []string {
		pod := q.Pod
		for i := range pod.Volumes {
			if volumeMissing(&pod.Volumes[i]) {
				return volumeMissingText
			}
			if s := pod.Volumes[i].Node; s != nil && !fit.MatchesLabels(s, node.Labels) {
				return volumeNodeText
			}
		}
		return nil
	},
}

// volumeMissing reports whether a claim is bound to a persistent volume that does not exist (rule 7.10.8).
// Unless the volume is ephemeral, VolumeZone refuses the pod for that before the first node.
func volumeMissing(v *outrank.Volume) bool {
	return v.Claim != "" && v.State == outrank.ClaimVolumeMissing
}

// refuseClaims returns why the pod's claims keep it from every node (VolumeBinding PreFilter). The first
// claim that is lost or being deleted decides (rule 7.10.5); only if there is none, a claim that is not bound
// yet does (rule 7.10.6).
func refuseClaims(pod *outrank.Pod) []string {
	unbound := false
	for i := range pod.Volumes {
		v := &pod.Volumes[i]
		if v.Claim == "" {
			continue
		}

		switch v.State {
		case outrank.ClaimLost:
			return []string{fmt.Sprintf("persistentvolumeclaim %q bound to non-existent persistentvolume %q", v.Claim, v.MissingVolume)}
		case outrank.ClaimDeleting:
			return []string{fmt.Sprintf("persistentvolumeclaim %q is being deleted", v.Claim)}
		case outrank.ClaimUnbound:
			unbound = true
		}
	}

	if unbound {
		return unboundClaimText
	}
	return nil
}
