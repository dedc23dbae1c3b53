package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// VolumeBinding turns a pod away from nodes on which one of its volumes cannot
// be used (group 7.10).
const VolumeBinding = "VolumeBinding"

var volumeNodeText = []string{"node(s) didn't match PersistentVolume's node affinity"}

var volumeBindingFilter = descriptor{
	name: VolumeBinding,
	concernsPod: func(pod *outrank.Pod) bool {
		return slices.ContainsFunc(pod.Volumes, func(v outrank.Volume) bool { return v.Node != nil })
	},
	check: func(pod *outrank.Pod, node *outrank.Node) []string {
		for i := range pod.Volumes {
			if s := pod.Volumes[i].Node; s != nil && !fit.MatchesLabels(s, node.Labels) {
				return volumeNodeText
			}
		}
		return nil
	},
	appendSignature: func(key *keyWriter, pod *outrank.Pod) {
		key.number(len(pod.Volumes))
		for i := range pod.Volumes {
			key.nodeSelector(pod.Volumes[i].Node)
		}
	},
}
