package explain

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// ofKubelet is the configuration by which a kubelet decides: of the same release and
// operation, and without the settings that go beyond.
func ofKubelet(config kubeletadmit.Config) kubeletadmit.Config {
	return kubeletadmit.Config{Release: config.Release, Operation: config.Operation}
}

// missingFrom lists the pods that are evicted by the second list and not by the first, in the order of eviction. A
// pod that is listed twice among the active ones is two pods. Time is linear in the evictions.
func missingFrom(list, of []kubeletadmit.EvictedPod) (pods []*outrank.Pod) {
	there := map[*outrank.Pod]int{}
	for _, e := range list {
		there[e.Pod]++
	}
	for _, e := range of {
		if there[e.Pod]--; there[e.Pod] < 0 {
			pods = append(pods, e.Pod)
		}
	}
	return pods
}
