package plainkubelet

import (
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// This file is the kubelet's choice of pods (groups 17.5 and 17.6), written to
// be read. It keeps no figures: every step asks each pod again.

// Evict returns the pods that make room on a node for the preemptor, in the order
// of eviction; or, if all pods that it may preempt are not enough, the remaining
// shortages. Shortages of 0 and less need nothing. The classes are those of the
// release.
func Evict(r outrank.Release, preemptor *outrank.Pod, active []*outrank.Pod, shortages []Shortage) (evict []*outrank.Pod, missing []Shortage) {
	class := map[outrank.QOSClass][]*outrank.Pod{}
	for _, pod := range active {
		if !pod.Finished() && kubeletMayPreempt(preemptor, pod) {
			class[qos.Of(r, pod)] = append(class[qos.Of(r, pod)], pod)
		}
	}

	bestEffort, burstable, guaranteed := class[outrank.BestEffort], class[outrank.Burstable], class[outrank.Guaranteed]
	all := without(shortages) // only those above 0
	if missing := without(all, bestEffort, burstable, guaranteed); len(missing) > 0 {
		return nil, missing
	}

	// The shortages of a class are those that remain if all pods of the classes below it leave, and the chosen
	// ones of the classes above. So the most important class is settled first.
	guaranteed = byDistance(guaranteed, without(all, bestEffort, burstable))
	burstable = byDistance(burstable, without(all, bestEffort, guaranteed))
	bestEffort = byDistance(bestEffort, without(all, burstable, guaranteed))
	return slices.Concat(bestEffort, burstable, guaranteed), nil
}

// kubeletMayPreempt: a critical pod may push out one that is not; else both
// must have a priority, and the preemptor the higher one.
func kubeletMayPreempt(preemptor, pod *outrank.Pod) bool {
	if kubeletCritical(preemptor) && !kubeletCritical(pod) {
		return true
	}
	return preemptor.Priority != nil && pod.Priority != nil && *preemptor.Priority > *pod.Priority
}

// kubeletCritical reports whether a pod is critical to the kubelet.
func kubeletCritical(p *outrank.Pod) bool {
	return p.Static || p.Mirror || p.Priority != nil && *p.Priority >= 2_000_000_000
}

// Shortage is an amount of a resource that a node is short of; cpu in
// thousandths of a core, anything else in whole units.
type Shortage struct {
	Resource resource.Name
	Amount   int64
}

// request returns the amount that evicting the pod frees.
func request(pod *outrank.Pod, name resource.Name) int64 {
	if name == resource.Pods {
		return 1
	}
	return pod.KubeletRequests().Amount(name)
}

// without returns the shortages that remain once the pods are gone.
func without(shortages []Shortage, pods ...[]*outrank.Pod) []Shortage {
	var left []Shortage
	for _, s := range shortages {
		for _, pod := range slices.Concat(pods...) {
			if s.Amount > 0 {
				s.Amount -= request(pod, s.Resource)
			}
		}
		if s.Amount > 0 {
			left = append(left, s)
		}
	}
	return left
}

// far returns the distance of a pod from covering the shortages.
func far(pod *outrank.Pod, shortages []Shortage) float64 {
	distance := 0.0
	for _, s := range shortages {
		if rest := s.Amount - request(pod, s.Resource); rest > 0 {
			distance += math.Pow(float64(rest)/float64(s.Amount), 2)
		}
	}
	return distance
}

// least returns the indexes of the list whose key is the smallest.
func least[K float64 | int64](places []int, key func(int) K) []int {
	keys := make([]K, len(places))
	for i, at := range places {
		keys[i] = key(at)
	}
	var kept []int
	for i, at := range places {
		if keys[i] == slices.Min(keys) {
			kept = append(kept, at)
		}
	}
	return kept
}

// byDistance takes pods from the list until no shortage is left.
func byDistance(pods []*outrank.Pod, shortages []Shortage) []*outrank.Pod {
	list, chosen := slices.Clone(pods), []*outrank.Pod(nil)
	for len(shortages) > 0 {
		places := make([]int, len(list))
		for i := range places {
			places[i] = i
		}
		places = least(places, func(i int) float64 { return far(list[i], shortages) })
		places = least(places, func(i int) int64 { return request(list[i], resource.Memory) })
		places = least(places, func(i int) int64 { return request(list[i], resource.CPU) })
		at := places[len(places)-1]
		pod := list[at]
		chosen = append(chosen, pod)
		list[at] = list[len(list)-1]
		list = list[:len(list)-1]
		shortages = without(shortages, []*outrank.Pod{pod})
	}
	return chosen
}
