package kubeletadmit_test

import (
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// This file is the choice of pods once more, written to be read. It keeps no
// figures: at every step it asks each pod again for all that it needs to know.

// shortage is an amount that is still missing, always above 0.
type shortage struct {
	name   resource.Name
	amount int64
}

// request is what evicting the pod frees.
func request(pod *outrank.Pod, name resource.Name) int64 {
	if name == resource.Pods {
		return 1
	}
	return pod.KubeletRequests().Amount(name)
}

// without gives the shortages that stay once the pods have gone.
func without(shortages []shortage, pods ...[]*outrank.Pod) []shortage {
	var left []shortage
	for _, s := range shortages {
		for _, pod := range slices.Concat(pods...) {
			if s.amount > 0 {
				s.amount -= request(pod, s.name)
			}
		}
		if s.amount > 0 {
			left = append(left, s)
		}
	}
	return left
}

// far is the distance of a pod from covering the shortages.
func far(pod *outrank.Pod, shortages []shortage) float64 {
	distance := 0.0
	for _, s := range shortages {
		if rest := s.amount - request(pod, s.name); rest > 0 {
			distance += math.Pow(float64(rest)/float64(s.amount), 2)
		}
	}
	return distance
}

// least keeps the places of the list whose key is the smallest.
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
func byDistance(pods []*outrank.Pod, shortages []shortage) []*outrank.Pod {
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

// referenceChoice gives the pods to go in order, or the shortages that stay.
func referenceChoice(preemptor *outrank.Pod, active []*outrank.Pod, failures []kubeletadmit.Failure) (evict []*outrank.Pod, stay []shortage) {
	class := map[outrank.QOSClass][]*outrank.Pod{}
	for _, pod := range active {
		finished := pod.Phase == outrank.PhaseSucceeded || pod.Phase == outrank.PhaseFailed
		if !finished && kubeletadmit.MayPreempt(preemptor, pod) {
			class[qos.Of(pod)] = append(class[qos.Of(pod)], pod)
		}
	}
	bestEffort, burstable, guaranteed := class[outrank.BestEffort], class[outrank.Burstable], class[outrank.Guaranteed]
	var all []shortage
	for _, f := range failures {
		all = append(all, shortage{f.Resource, f.Shortage()})
	}
	all = without(all) // those of 0 and less
	if stay := without(all, bestEffort, burstable, guaranteed); len(stay) > 0 {
		return nil, stay
	}
	guaranteed = byDistance(guaranteed, without(all, bestEffort, burstable))
	burstable = byDistance(burstable, without(all, bestEffort, guaranteed))
	bestEffort = byDistance(bestEffort, without(all, burstable, guaranteed))
	return slices.Concat(bestEffort, burstable, guaranteed), nil
}
