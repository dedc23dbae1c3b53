package explain

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// ofKubelet returns the configuration by which a kubelet decides: the same release and operation,
// without the settings that go beyond the kubelet.
func ofKubelet(config kubeletadmit.Config) kubeletadmit.Config {
	return kubeletadmit.Config{Release: config.Release, Operation: config.Operation}
}

// missingFrom lists the pods of other that are missing from list, in the order of other. It counts
// evictions, because a pod that is listed as active twice may be evicted twice. Time is linear in
// the evictions.
func missingFrom(list, other []kubeletadmit.EvictedPod) (pods []*outrank.Pod) {
	listed := map[*outrank.Pod]int{}
	for _, e := range list {
		listed[e.Pod]++
	}
	for _, e := range other {
		if listed[e.Pod]--; listed[e.Pod] < 0 {
			pods = append(pods, e.Pod)
		}
	}
	return pods
}
