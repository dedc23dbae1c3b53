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

// volumeMissing reports whether a claim is bound to a volume that is not there (rule 7.10.8).
// VolumeZone refuses the pod for that before any node is looked at, but not for an ephemeral volume.
func volumeMissing(v *outrank.Volume) bool {
	return v.Claim != "" && v.State == outrank.ClaimVolumeMissing
}

// refuseClaims returns why no node takes the pod, because of a claim that no pod can use (VolumeBinding
// PreFilter). The first such claim counts (rule 7.10.5), and only without one a claim that is merely not
// bound (rule 7.10.6).
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
